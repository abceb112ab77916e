//! What each flow offers: its rate and its class.

use forebay_parameters::ParameterError;
use forebay_sched::Packet;
use forebay_sched::tree::TreeConfig;

use super::Config;

/// The most flows.
const FLOWS: usize = 1 << 12;

impl Config {
    /// A packet of `flow`, whose input has the flow's number too.
    pub(super) fn packet_of(&self, flow: u32) -> Packet {
        let class = self.classes.get(flow as usize).or(self.classes.last());
        let (class, input) = (class.copied().unwrap_or(0), flow.min(u16::MAX.into()) as u16);
        Packet { flow, class, input, size: self.packet.get() as u32, ..Packet::default() }
    }

    /// The leaf of each flow.
    pub(super) fn leaves(&self, tree: &TreeConfig) -> Vec<Option<usize>> {
        (0..self.demands.len() as u32).map(|flow| tree.leaf_of(&self.packet_of(flow))).collect()
    }

    /// Refuses flows that no leaf takes, packets that are too large, and more that wait than may.
    pub(super) fn check_offers(&self, tree: &TreeConfig) -> Result<(), ParameterError> {
        if !(1..=1 << 20).contains(&self.packet.get()) {
            return Err(Config::PACKET.refuse("a packet must be 1 B to 1 MiB"));
        }
        if !(1..=FLOWS).contains(&self.demands.len()) {
            let given = self.demands.len();
            return Err(Config::DEMANDS.refuse(format_args!("{given} flows; give 1 to {FLOWS}")));
        }
        if let Some(flow) = self.leaves(tree).iter().position(Option::is_none) {
            let class = self.packet_of(flow as u32).class;
            return Err(Config::DEMANDS.refuse(format_args!(
                "no leaf of the tree takes flow {flow}, which is of class {class}; give fewer \
                 flows, or a leaf the rule match = [{{}}]"
            )));
        }
        if self.packet > tree.mtu {
            return Err(Config::PACKET.refuse(format_args!(
                "the tree takes packets of at most {}; give less, or raise its mtu",
                tree.mtu
            )));
        }
        let waiting = self.window.saturating_mul(self.demands.len() as u64);
        if waiting > tree.capacity as u64 {
            return Err(Config::WINDOW.refuse(format_args!(
                "{waiting} packets may wait, but the tree holds {}; give less, or raise its \
                 capacity",
                tree.capacity
            )));
        }
        Ok(())
    }
}
