//! Networks all of whose switches are described in the same way.

use alloc::boxed::Box;

use forebay_switch::{
    AnySwitch, DropTailSwitch, PortLimits, SwitchBuildError, SwitchConfig, SwitchModel, SwitchShape,
};
use forebay_units::Bytes;

use super::{Network, NetworkConfig, NetworkError};
use crate::topology::Graph;

impl Network<AnySwitch> {
    /// A network all of whose switches are like `switch`, with room for the packets of its hosts.
    ///
    /// # Errors
    /// If the network or one of its switches cannot be built; [`NetworkError::Packet`] if that is for the size of
    /// the hosts' packets.
    pub fn of(
        switch: &SwitchConfig,
        graph: &Graph,
        config: NetworkConfig,
    ) -> Result<Self, NetworkError> {
        Network::around(switch, graph, config, |_, switch| switch)
    }
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
        let (mut failed, mss) = (None, config.largest_payload());
        let headers = config.wire.headers;
        let packet = u32::try_from(mss.get()).unwrap_or(u32::MAX).saturating_add(headers);
        let switch = switch.clone().with_packets_of(packet);
        let network = Network::new(graph, config, |shape| {
            let built = switch.build(shape).unwrap_or_else(|error| {
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
