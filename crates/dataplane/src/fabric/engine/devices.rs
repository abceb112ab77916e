//! The devices that a fabric is made of.

use std::collections::{BinaryHeap, VecDeque};

use forebay_replay::with_room;
use forebay_switch::{AnySwitch, Observed, SwitchBuildError, SwitchObserver, SwitchShape};
use forebay_units::{Duration, Rate, Time};

use super::{Fabric, Shapes};
use crate::fabric::config::{DeviceConfig, Peer, PortConfig};
use crate::fabric::counts::DeviceCounts;
use crate::fabric::forwarding::Forwarding;
use crate::link::{EmulationConfig, Flows, Node, Pace, Rules, Store, Wire, largest_frame};

/// The switches of a fabric, from which a [`Fabric`] is made.
pub struct Devices {
    made: Vec<Made>,
    mtu: u32,
    memory: u64,
}

struct Made {
    config: DeviceConfig,
    switch: AnySwitch,
    rates: Vec<Rate>,
    paces: Vec<Pace>,
}

impl Devices {
    /// Builds every switch, with room for frames of this MTU; all frames together take at most
    /// `memory` bytes.
    ///
    /// # Errors
    /// The first device, by its number, whose switch cannot be built.
    pub fn build(
        configs: Vec<DeviceConfig>,
        mtu: u32,
        memory: u64,
    ) -> Result<Self, (usize, SwitchBuildError)> {
        let build = |(index, config): (usize, DeviceConfig)| {
            let paces: Vec<Pace> = config.ports.iter().map(|port| port.pace.clone()).collect();
            let rates: Vec<Rate> = paces.iter().map(Pace::mean).collect();
            config.switch.check_lossy().map_err(|error| (index, error.into()))?;
            let switch = with_room(config.switch.clone(), largest_frame(mtu));
            let shape = SwitchShape { index: index as u32, ports: &rates };
            let switch = switch.build(&shape).map_err(|error| (index, error))?;
            Ok(Made { config, switch, rates, paces })
        };
        let made = configs.into_iter().enumerate().map(build).collect::<Result<_, _>>()?;
        Ok(Devices { made, mtu, memory })
    }

    /// The same, with whoever `observer` makes for each switch told what happens in it.
    #[must_use]
    pub fn observed<O: SwitchObserver + Send + 'static>(
        mut self,
        mut observer: impl FnMut(&str, &SwitchShape<'_>) -> O,
    ) -> Self {
        let observe = |(index, made): (usize, Made)| {
            let shape = SwitchShape { index: index as u32, ports: &made.rates };
            let observer = observer(&made.config.name, &shape);
            Made { switch: Box::new(Observed::new(made.switch, observer)), ..made }
        };
        self.made = self.made.into_iter().enumerate().map(observe).collect();
        self
    }

    /// The shapes of these devices, for whoever makes another policy for one while they are in use.
    #[must_use]
    pub fn shapes(&self) -> Shapes {
        Shapes { rates: self.made.iter().map(|made| made.rates.clone()).collect(), mtu: self.mtu }
    }

    /// By edge: from which port of which device frames leave there.
    fn exits_at(&self) -> Vec<Option<(u32, u16)>> {
        let mut all = Vec::new();
        for (device, made) in (0..).zip(&self.made) {
            for (port, config) in (0..).zip(&made.config.ports) {
                let Peer::Edge(edge) = config.peer else { continue };
                let edge = edge as usize;
                all.resize(all.len().max(edge + 1), None);
                all[edge] = Some((device, port));
            }
        }
        all
    }

    /// How much later than computed frames may leave at an edge, so that several do at once.
    #[must_use]
    pub fn together(&self, edge: u32) -> Duration {
        self.exit(edge).map_or(Duration::ZERO, |link| link.together)
    }

    /// The least time that frames take that leave at an edge: that of their last wire.
    #[must_use]
    pub fn least_delay(&self, edge: u32) -> Duration {
        self.exit(edge).map_or(Duration::ZERO, EmulationConfig::least_delay)
    }

    /// The wire on which frames leave at an edge.
    fn exit(&self, edge: u32) -> Option<&EmulationConfig> {
        let mut ports = self.made.iter().flat_map(|made| &made.config.ports);
        ports.find(|port| port.peer == Peer::Edge(edge)).map(|port| &port.link)
    }

    /// The fabric of these switches, empty, at instant 0. Frames that come in at edge `i` arrive at
    /// `entrances[i]`, a device and a port of it.
    pub fn fabric(&mut self, entrances: Vec<(u32, u16)>) -> Fabric<'_> {
        let exits_at = self.exits_at();
        Fabric {
            devices: self.made.iter_mut().map(Device::new).collect(),
            latest: vec![Time::ZERO; entrances.len()],
            exits_at,
            entrances,
            store: Store::new(self.memory),
            on_the_way: Vec::new(),
            given: 0,
            decisions: None,
            meter: None,
            flows: Flows::default(),
            events: BinaryHeap::new(),
            sequence: 0,
            exits: VecDeque::new(),
            on_wires: 0,
            mtu: self.mtu,
            now: Time::ZERO,
        }
    }
}

pub(super) struct Device<'a> {
    pub(super) name: String,
    pub(super) node: Node<'a>,
    pub(super) rules: Rules,
    pub(super) forwarding: Forwarding,
    pub(super) ports: Vec<Port>,
    pub(super) counts: DeviceCounts,
    /// For when its next event is in the queue of events.
    pub(super) scheduled: Time,
    /// How many frames have arrived.
    pub(super) arrivals: u64,
}

impl<'a> Device<'a> {
    fn new(made: &'a mut Made) -> Self {
        let Made { config, switch, rates, paces } = made;
        let DeviceConfig { name, rules, forwarding, ports, .. } = config;
        let port = |(port, config): (usize, &PortConfig)| Port {
            peer: config.peer,
            wire: Wire::new(&config.link, &format!("{name} {port}")),
        };
        Device {
            counts: DeviceCounts::of(ports.len()),
            ports: ports.iter().enumerate().map(port).collect(),
            node: Node::new(switch, rates, paces.clone()),
            rules: rules.clone(),
            forwarding: forwarding.clone(),
            scheduled: Time::MAX,
            name: name.clone(),
            arrivals: 0,
        }
    }
}

pub(super) struct Port {
    pub(super) peer: Peer,
    pub(super) wire: Wire,
}
