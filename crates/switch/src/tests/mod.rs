//! Switches by themselves: nothing is lost without a cause, and what must be equal is.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod conservation;
mod equivalence;

use alloc::boxed::Box;
use alloc::vec::Vec;

use forebay_buffer::onchip::QueueConfig;
use forebay_sched::ShortestFlowFirst;
use forebay_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

use super::*;

const PORTS: u16 = 5;
const RATES: [Rate; PORTS as usize] = [Rate::from_gbps(10); PORTS as usize];

/// A packet that arrives: after so many picoseconds, for a port.
type Arrival = (u64, u16, Handle);

/// Arrivals faster than the ports send; every packet is its own flow, so that it can be told apart.
fn arrivals(most: usize, gap: u64) -> impl Strategy<Value = Vec<Arrival>> {
    let one = (0..gap, 0..PORTS, 64u32..1500, 0u8..4, any::<bool>());
    prop::collection::vec(one, 1..most).prop_map(|all| {
        (0..)
            .zip(all)
            .map(|(flow, (gap, port, size, class, markable))| {
                let ecn = if markable { Ecn::Capable } else { Ecn::NotCapable };
                (gap, port, Handle::new(flow, size).with_class(class).with_ecn(ecn))
            })
            .collect()
    })
}

/// Tells a switch how large the flows are: a few sizes, so that ranks repeat.
fn tell_flows(switch: &mut dyn SwitchModel, count: usize) {
    for id in 0..count as u32 {
        let size = [3_000, 700, 90_000, 1_000_000, 12_345, 3_000, 50][id as usize % 7];
        switch.flow_added(id, Bytes::new(size), Bytes::new(size));
    }
}

/// What a switch did.
#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    sent: Vec<(Time, u16, Handle)>,
    lost: Vec<(u16, DropCause, Handle)>,
}

/// Drives a switch as the network does: a port asks when its link is free and something waits; a
/// port that stalls is asked again after the switch's next event.
struct Driver<'a> {
    switch: &'a mut dyn SwitchModel,
    rate: Rate,
    now: Time,
    free_at: [Time; PORTS as usize],
    log: Log,
    losses: Losses,
}

impl<'a> Driver<'a> {
    fn new(switch: &'a mut dyn SwitchModel, rate: Rate) -> Self {
        let free_at = [Time::ZERO; PORTS as usize];
        let (log, losses) = (Log::default(), Losses::default());
        Driver { switch, rate, now: Time::ZERO, free_at, log, losses }
    }

    fn collect(&mut self) {
        while let Some(lost) = self.losses.pop() {
            self.log.lost.push((lost.port, lost.cause, lost.packet));
        }
    }

    /// Everything that happens before `until`, with `check` after every call.
    fn run(&mut self, until: Time, check: &mut dyn FnMut(&dyn SwitchModel, &Log)) {
        loop {
            let busy = |port: &u16| !self.switch.is_empty(*port);
            let ready = (0..PORTS).filter(busy).map(|port| self.free_at[usize::from(port)]);
            let link = ready.filter(|at| *at > self.now).min();
            let inside = self.switch.next_event();
            let Some(at) = link.into_iter().chain(inside).min().filter(|at| *at < until) else {
                return;
            };
            self.now = self.now.max(at);
            if inside.is_some_and(|inside| inside <= self.now) {
                self.switch.advance(self.now, &mut self.losses);
                self.collect();
                check(self.switch, &self.log);
            }
            (0..PORTS).for_each(|port| self.ask(port, check));
        }
    }

    fn ask(&mut self, port: u16, check: &mut dyn FnMut(&dyn SwitchModel, &Log)) {
        if self.free_at[usize::from(port)] > self.now || self.switch.is_empty(port) {
            return;
        }
        if let Some(packet) = self.switch.next(self.now, port, &mut self.losses) {
            let time = self.rate.time_for(Bytes::new(packet.size().into()));
            self.free_at[usize::from(port)] = self.now + time;
            self.log.sent.push((self.now, port, packet));
        }
        self.collect();
        check(self.switch, &self.log);
    }

    /// Lets so many picoseconds go by.
    fn wait(&mut self, gap: u64, check: &mut dyn FnMut(&dyn SwitchModel, &Log)) {
        let until = self.now + Duration::from_ps(gap);
        self.run(until, check);
        self.now = until;
    }

    fn receive(
        &mut self,
        port: u16,
        packet: Handle,
        check: &mut dyn FnMut(&dyn SwitchModel, &Log),
    ) {
        self.switch.arrive(self.now, port, packet, &mut self.losses);
        self.collect();
        check(self.switch, &self.log);
        self.ask(port, check);
    }
}

/// What `switch` makes of the arrivals.
fn drive(switch: &mut dyn SwitchModel, arrivals: &[Arrival]) -> Log {
    tell_flows(switch, arrivals.len());
    let mut driver = Driver::new(switch, Rate::from_gbps(10));
    for (gap, port, packet) in arrivals {
        driver.wait(*gap, &mut |_, _| ());
        driver.receive(*port, *packet, &mut |_, _| ());
    }
    driver.run(Time::MAX, &mut |_, _| ());
    driver.log
}

fn shape() -> SwitchShape<'static> {
    SwitchShape { index: 0, ports: &RATES }
}

/// The switch called `name`, so small that it overflows.
fn small(name: &str) -> SwitchConfig {
    let mut config = SwitchConfig::named(name).unwrap();
    let mark_above = Some(Bytes::new(4_000));
    match &mut config {
        SwitchConfig::DropTail(c) => {
            *c = PortLimits { limit: Bytes::new(10_000), mark_above }.into();
        }
        SwitchConfig::OnChip(c) => {
            let (pool, ports_per_pool) = (Bytes::new(20_000), 2);
            let reserved = QueueConfig { reserved: Bytes::new(600), ..QueueConfig::default() };
            let classes = alloc::vec![reserved, QueueConfig::default(), QueueConfig::default()];
            let rank = (name == "occamy-rank").then(ShortestFlowFirst::choice);
            let changed = OnChipConfig::named(name).unwrap();
            *c = OnChipConfig {
                pool,
                ports_per_pool,
                queues: 3,
                classes,
                mark_above,
                rank,
                ..changed
            };
        }
        SwitchConfig::Hybrid(c) => {
            c.memory.sram = Bytes::new(44_000);
            c.memory.staging = Bytes::new(4_000);
            c.memory.hbm.geometry.rows = 1;
            c.mark_above = mark_above;
        }
        SwitchConfig::Scheduled(c) => {
            c.limits = PortLimits { limit: Bytes::new(10_000), mark_above }
        }
    }
    config
}
