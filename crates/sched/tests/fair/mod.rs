//! Fair queueing against the paper's statements and exact references.
#![allow(clippy::unwrap_used)]

mod compound;
mod conservation;
mod core_model;
mod debug;
mod discrepancy;
mod levels;
mod order;
mod shares;
mod step_down;

use forebay_parameters::{Choice, listed, set};
use forebay_sched::Packet;
use forebay_sched::fair::gearbox::{Gearbox, GearboxConfig, LevelConfig};
use forebay_sched::scheduler::{PacketScheduler, Weights};
use forebay_units::{Bytes, Time};

/// Sets what the scheduler reads of this.
fn set_known(choice: &mut Choice<dyn PacketScheduler>, given: &[(&str, &str)]) {
    let reads = listed(choice);
    let known = |name: &str| reads.iter().any(|one| one.parameter.name == name);
    let given: Vec<_> = given.iter().copied().filter(|(name, _)| known(name)).collect();
    set(choice, &given).unwrap();
}

/// Bytes of a unit of virtual time in these tests.
const UNIT: u32 = 100;

/// Levels of 10 FIFOs as in Fig. 3 and Fig. 4: 1, 10, 100 units; 100 bytes a unit.
fn decimal(levels: u32) -> GearboxConfig {
    let level = |number| LevelConfig { fifos: 10, granularity: 10u64.pow(number) };
    let mut config =
        GearboxConfig { levels: (0..levels).map(level).collect(), ..GearboxConfig::default() };
    config.unit.bytes = Bytes::new(u64::from(UNIT));
    config
}

/// A Gearbox of equal weights.
fn gearbox(config: &GearboxConfig) -> Gearbox {
    Gearbox::new(config, Weights::default()).unwrap()
}

/// A packet of `flow` that takes `units` of virtual time.
fn packet(flow: u32, units: f64, tag: u32) -> Packet {
    Packet { flow, size: (units * f64::from(UNIT)) as u32, tag, ..Packet::default() }
}

/// Serves packets of a flow of its own until the system time is `unit`; nothing else may wait
/// before.
fn advance(gearbox: &mut Gearbox, unit: u64) {
    for step in 0.. {
        let left = unit - gearbox.system_time().units();
        if left == 0 {
            return;
        }
        let filler = packet(1000 + step, left.min(5) as f64, u32::MAX);
        gearbox.enqueue(Time::ZERO, filler).unwrap();
        assert_eq!(gearbox.dequeue(Time::ZERO), Some(filler));
    }
}

/// Everything that waits, in order of service.
fn drain(scheduler: &mut dyn PacketScheduler) -> Vec<Packet> {
    core::iter::from_fn(|| scheduler.dequeue(Time::ZERO)).collect()
}
