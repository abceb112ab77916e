//! Networks all of whose switches are described in the same way.

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_switch::{
    AnySwitch, DropTailSwitch, PortLimits, SwitchBuildError, SwitchConfig, SwitchModel, SwitchShape,
};
use forebay_units::{Bytes, Duration};

use super::{Network, NetworkConfig, NetworkError};
use crate::topology::{Graph, Node};

impl Network<AnySwitch> {
    /// A network all of whose switches are like `switch`, with room for the packets of its hosts.
    ///
    /// # Errors
    /// If the network or one of its switches cannot be built; [`NetworkError::Packet`] if that is
    /// for the size of the hosts' packets.
    pub fn of(
        switch: &SwitchConfig,
        graph: &Graph,
        config: NetworkConfig,
    ) -> Result<Self, NetworkError> {
        Network::around(switch, graph, config, |_, switch| switch)
    }
}

/// Whether the ports of `switch` can hold the hosts' packets: in a network where they cannot, no
/// flow of more than a few bytes ever ends.
///
/// # Errors
/// [`NetworkError::Packet`] if they cannot.
pub fn check_packets(switch: &SwitchConfig, config: &NetworkConfig) -> Result<(), NetworkError> {
    let (mss, headers) = (config.largest_payload(), Bytes::new(config.headers().into()));
    switch.check_packets_of(largest_packet(config)).map_err(|error| match error {
        SwitchBuildError::Packet { room, .. } => NetworkError::Packet { mss, headers, room },
        other => NetworkError::Switch(other),
    })
}

/// For each switch, the delays of the cables at its ports.
fn cables(graph: &Graph) -> Vec<Vec<Duration>> {
    let mut cables = alloc::vec![Vec::new(); graph.switches as usize];
    for link in &graph.links {
        for end in link.ends {
            if let Node::Switch(switch) = end {
                cables[switch as usize].push(link.config.delay);
            }
        }
    }
    cables
}

/// The size of the hosts' largest packet on the wire.
fn largest_packet(config: &NetworkConfig) -> u32 {
    let mss = u32::try_from(config.largest_payload().get()).unwrap_or(u32::MAX);
    mss.saturating_add(config.headers())
}

impl<S: SwitchModel> Network<S> {
    /// As [`Network::of`], each switch in the layer that `around` puts around it.
    ///
    /// # Errors
    /// As [`Network::of`].
    pub fn around(
        switch: &SwitchConfig,
        graph: &Graph,
        config: NetworkConfig,
        mut around: impl FnMut(&SwitchShape<'_>, AnySwitch) -> S,
    ) -> Result<Self, NetworkError> {
        let (mut failed, mss, headers) = (None, config.largest_payload(), config.headers());
        let packet = largest_packet(&config);
        let switch = switch.clone().with_packets_of(packet);
        let flow_control = switch.flow_control();
        let cables = flow_control.map(|_| cables(graph));
        let flow_control = flow_control.or(config.flow_control);
        let (trims, returns_headers) = match switch.trimming() {
            Some(trimming) => (true, trimming.returns),
            None => (config.trims, config.returns_headers),
        };
        let config = NetworkConfig { flow_control, trims, returns_headers, ..config };
        let network = Network::new(graph, config, |shape| {
            let behind = cables.as_ref().and_then(|cables| cables.get(shape.index as usize));
            let own = behind.map(|delays| switch.clone().with_cables(delays));
            let built = own.as_ref().unwrap_or(&switch).build(shape).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                // Never used: the network is thrown away.
                Box::new(DropTailSwitch::new(shape, &PortLimits::default()))
            });
            around(shape, built)
        });
        match failed {
            // The packets that switches were told of are made of these.
            Some(SwitchBuildError::Packet { room, .. }) => {
                Err(NetworkError::Packet { mss, headers: Bytes::new(headers.into()), room })
            }
            Some(error) => Err(NetworkError::Switch(error)),
            None => network,
        }
    }
}
