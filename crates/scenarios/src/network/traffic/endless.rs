//! Flows without end, or as long as the run: those that are watched (Gearbox §4.1.2), and those
//! that keep low-priority queues congested (Occamy §3.1).

use forebay_net::flow::Flow;
use forebay_net::topology::Graph;
use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Time};

use super::Traffic;
use crate::network::params::{Background, WorkloadConfig};

/// Payload of what is sent: 1448 of 1500 bytes.
const PAYLOAD: f64 = 1448.0 / 1500.0;
/// Longer than any run.
const ENDLESS: Bytes = Bytes::new(1 << 44);

impl Traffic {
    /// The weights of the flows whose shares are watched, in their order; none with other
    /// backgrounds.
    #[must_use]
    pub fn shared(&self) -> &[u32] {
        if self.config.background.watches_shares() { &self.weights } else { &[] }
    }

    /// Refuses more flows than hosts to send them.
    pub(in super::super) fn check(&self, graph: &Graph) -> Result<(), ParameterError> {
        let flows = self.shared().len();
        if flows >= graph.hosts as usize {
            return Err(ParameterError::value(
                "scheduler.weights",
                format_args!(
                    "{flows} flows need {} hosts, there are {}; give more hosts",
                    flows + 1,
                    graph.hosts
                ),
            ));
        }
        let WorkloadConfig { background, background_senders: senders, .. } = self.config;
        let receiver = self.config.background_receiver;
        let first = u64::from(graph.hosts).saturating_sub(senders.into());
        if background == Background::LongLived && u64::from(receiver) >= first {
            return Err(WorkloadConfig::BACKGROUND_SENDERS.refuse(format_args!(
                "with {senders} of {} hosts as senders, host {receiver} cannot be the receiver; \
                 give fewer senders, or a smaller workload.background_receiver",
                graph.hosts
            )));
        }
        Ok(())
    }

    /// All from the beginning; senders and classes take turns, so that each class has a flow of
    /// every sender where the numbers allow it.
    pub(super) fn long_lived(&self, graph: &Graph) -> Vec<Flow> {
        let sent = &self.config;
        let (senders, classes) = (sent.background_senders, u32::from(sent.background_classes));
        let first = graph.hosts.saturating_sub(senders);
        let flow = |index: u32| Flow {
            class: sent.background_class + ((index / senders) % classes) as u8,
            ..Flow::new(first + index % senders, sent.background_receiver, ENDLESS, Time::ZERO)
        };
        (0..sent.long_lived).map(flow).collect()
    }

    /// One flow per weight to the last host, all from the beginning.
    pub(super) fn shares(&self, graph: &Graph) -> Vec<Flow> {
        let last = graph.hosts - 1;
        let senders = 0..self.weights.len() as u32;
        senders.map(|src| Flow::new(src, last, ENDLESS, Time::ZERO)).collect()
    }

    /// Of n flows, flow i is there from i to n + i of 2n - 1 equal parts of the run: it has as many
    /// bytes as its share by weight gives it in that time.
    pub(super) fn join_and_leave(&self, graph: &Graph) -> Vec<Flow> {
        let (last, flows) = (graph.hosts - 1, self.weights.len());
        let part = Duration::from_ps(self.end.as_ps() / (2 * flows as u64 - 1));
        let bytes_of_part =
            self.host_rate.as_bps() as f64 / 8.0 * PAYLOAD * part.as_ps() as f64 / 1e12;
        let weight = |flow: usize| f64::from(self.weights[flow]);
        let share = |flow: usize, part: usize| {
            let active = (0..flows).filter(|other| (*other..flows + other).contains(&part));
            weight(flow) / active.map(weight).sum::<f64>()
        };
        let flow = |index: usize| {
            let shares: f64 = (index..flows + index).map(|part| share(index, part)).sum();
            let bytes = Bytes::new((shares * bytes_of_part) as u64 + 1);
            Flow::new(index as u32, last, bytes, Time::ZERO + part * index as u64)
        };
        (0..flows).map(flow).collect()
    }
}
