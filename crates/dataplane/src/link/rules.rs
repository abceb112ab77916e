//! What users say about packets by their header fields: classes and ranks.

use std::net::Ipv4Addr;

use forebay_expression::Expression;
use forebay_replay::{HeaderRule, PacketFields};
use forebay_sched::Rank;
use forebay_switch::FlowId;
use forebay_units::Time;
use forebay_workload::Headers;

use super::frame::Read;

/// Rules over the fields of a packet ([`forebay_replay::FIELDS`]). Sizes of flows are not known,
/// and are 0; what is no IP has zeros for addresses and ports.
#[derive(Clone, Default)]
pub struct Rules {
    /// A packet's class, from 0 (the most urgent) to 255. Default: 0 for all.
    pub class: Option<Expression>,
    /// A packet's rank, for a switch that ranks by the size of flows
    /// ([`applied_to`](forebay_replay::Ranking::applied_to)).
    pub rank: Option<HeaderRule>,
}

impl Rules {
    /// The class and the rank of the frame number `frame`, from 1.
    pub(crate) fn apply(
        &self,
        now: Time,
        frame: u64,
        size: u32,
        flow: FlowId,
        read: &Read,
    ) -> (u8, Option<Rank>) {
        if self.class.is_none() && self.rank.is_none() {
            return (0, None);
        }
        let nowhere = Ipv4Addr::UNSPECIFIED.into();
        let none = Headers { source: nowhere, destination: nowhere, protocol: 0, ports: [0; 2] };
        let (headers, service) = (read.flow.unwrap_or(none), read.service);
        let frame = u32::try_from(frame).unwrap_or(u32::MAX);
        let mut fields = PacketFields {
            now,
            size,
            flow,
            flow_size: 0,
            input: 0,
            frame,
            headers,
            service,
            port: 0,
            class: 0,
        };
        if let Some(rule) = &self.class {
            fields.class = rule.evaluate(&fields.values()).clamp(0, u8::MAX.into()) as u8;
        }
        (fields.class, self.rank.as_ref().map(|rule| rule(&fields.values())))
    }
}
