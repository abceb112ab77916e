//! The parameters of the network experiments and where each comes from. Those of switches are the
//! engine's.

pub(super) mod hosts;
mod switches;
mod workload;

use forebay_parameters::{Configure, Kind, Source, Walk};

pub use hosts::{HostPart, TopologyKind};
pub use switches::SwitchPart;
pub use workload::{Around, Background, LoadOf, Rounds, RunPart, WorkloadConfig};

use crate::schedulers::Scheduling;

const OCCAMY: Source = Source::paper("occamy §6.4");
const COUNT: Kind = Kind::Int { min: 1, max: 4096 };
const SHARE: Kind = Kind::Float { min: 0.0, max: 10.0 };
const NONE: Source = Source::assumed("none: not part of every experiment");

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Config {
    /// What hosts are connected by, and how they send.
    pub hosts: HostPart,
    /// What switches are.
    pub switch: SwitchPart,
    /// What is sent.
    pub workload: WorkloadConfig,
    /// Which part of it is measured.
    pub run: RunPart,
}

impl Config {
    /// What the traffic depends on.
    fn around(&self) -> Around {
        let reads_class = self.switch.reads_class(false) || self.hosts.has_two_transports();
        Around { kind: self.hosts.kind, reads_class }
    }
}

impl Configure for Config {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.hosts.walk(walk);
        self.switch.walk(walk);
        if self.switch.reads_class(walk.wants_all()) {
            walk.field(&HostPart::ACK_CLASS, &mut self.hosts.ack_class);
        }
        let around = self.around();
        self.workload.walk_given(around, walk);
        if self.workload.background == Background::None || walk.wants_all() {
            self.switch.walk_alone(walk);
        }
        let watched = self.workload.background.watches_shares();
        self.run.walk_given(watched, walk);
        // Whose shares are watched, whatever serves them.
        if watched && !self.switch.reads_weights() {
            Scheduling::walk_weights(&mut self.switch.weights, walk);
        }
    }
}
