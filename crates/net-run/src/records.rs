//! What became of each flow, made when it is asked for: a network keeps less of a flow than its
//! record takes.

use std::fmt;

use forebay_net::measure::FlowRecord;
use forebay_net::network::Network;
use forebay_switch::{FlowId, SwitchModel};

/// The records of a run's flows. It holds the network that has them.
pub struct Records(Box<dyn Recorded + Send>);

/// A network, whatever its switches are.
trait Recorded {
    fn flows(&self) -> FlowId;
    fn record(&self, flow: FlowId) -> Option<FlowRecord>;
}

impl<S: SwitchModel> Recorded for Network<S> {
    fn flows(&self) -> FlowId {
        self.flow_count()
    }

    fn record(&self, flow: FlowId) -> Option<FlowRecord> {
        Network::record(self, flow)
    }
}

impl Records {
    pub(crate) fn of<S: SwitchModel + Send + 'static>(network: Network<S>) -> Self {
        Records(Box::new(network))
    }

    /// The record of each flow, in their order.
    pub fn iter(&self) -> impl Iterator<Item = FlowRecord> + '_ {
        (0..self.0.flows()).filter_map(|flow| self.0.record(flow))
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Records of {} flows", self.0.flows())
    }
}
