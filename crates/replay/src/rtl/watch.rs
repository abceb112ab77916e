//! What is counted of both sides, and what is traced of them.

use std::fs::File;

use forebay_sched::{DropCause, Tally};
use forebay_switch::{Gauge, Handle, Location, Lost, OnChip, SwitchModel, SwitchObserver};
use forebay_trace::SwitchTracer;
use forebay_units::Time;
use serde::Serialize;

use super::config::CoreConfig;
use super::events::Verdict;

/// What became of packets, on either side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Well-formed packets that came.
    pub came: Tally,
    /// Of them: dropped, beyond their queue's threshold.
    pub threshold: Tally,
    /// Dropped, the memory was full.
    pub full: Tally,
    /// Let in and expelled.
    pub expelled: Tally,
    /// Sent.
    pub sent: Tally,
}

impl Totals {
    /// A packet of so many bytes has come, with this verdict.
    pub(super) fn came(&mut self, verdict: Verdict, bytes: u32) {
        self.came.count(bytes);
        match verdict {
            Verdict::Admitted => {}
            Verdict::Threshold => self.threshold.count(bytes),
            Verdict::Full => self.full.count(bytes),
        }
    }

    /// A packet of so many bytes has left the buffer.
    pub(super) fn left(&mut self, expelled: bool, bytes: u32) {
        if expelled { &mut self.expelled } else { &mut self.sent }.count(bytes);
    }

    /// Those of both.
    pub(super) fn add(&mut self, other: &Totals) {
        self.came += other.came;
        self.threshold += other.threshold;
        self.full += other.full;
        self.expelled += other.expelled;
        self.sent += other.sent;
    }

    /// The core's counters of a port, by their numbers; no register refuses packets here.
    pub(super) fn counters(&self) -> [Tally; 6] {
        [self.came, Tally::default(), self.threshold, self.full, self.sent, self.expelled]
    }
}

/// Who watches both sides.
pub(super) struct Watchers {
    pub(super) core: SwitchTracer<File>,
    pub(super) switch: SwitchTracer<File>,
}

impl Watchers {
    /// A packet has come, with what each side says.
    pub(super) fn came(&mut self, now: Time, port: u16, packet: &Handle, said: [Verdict; 2]) {
        for (watcher, verdict) in [&mut self.core, &mut self.switch].into_iter().zip(said) {
            watcher.arrived(now, port, packet);
            let cause = match verdict {
                Verdict::Admitted => continue,
                Verdict::Threshold => DropCause::Threshold,
                Verdict::Full => DropCause::SramFull,
            };
            watcher.lost(now, &Lost { port, cause, packet: *packet });
        }
    }

    /// A packet has left the buffer: which it is, on each side.
    pub(super) fn left(
        &mut self,
        now: Time,
        port: u16,
        expelled: bool,
        packets: [Option<Handle>; 2],
    ) {
        for (watcher, packet) in [&mut self.core, &mut self.switch].into_iter().zip(packets) {
            let Some(packet) = packet else { continue };
            if expelled {
                watcher.lost(now, &Lost { port, cause: DropCause::Expelled, packet });
            } else {
                watcher.left(now, port, &packet);
            }
        }
    }

    /// The cells that each side has in use.
    pub(super) fn cells(&mut self, now: Time, core: &CoreConfig, free: u32, switch: &OnChip) {
        if self.core.reads(now) {
            let used = u64::from(core.cells.saturating_sub(free)) * u64::from(core.cell_bytes());
            let location = Location::Pool(0);
            self.core.gauge(now, &Gauge::Level { location, name: "used", bytes: used });
        }
        if self.switch.reads(now) {
            switch.gauges(&mut |gauge| self.switch.gauge(now, &gauge));
        }
    }
}
