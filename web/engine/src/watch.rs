//! What is seen of a switch while it runs: what it holds, where it begins to drop, what it lost.
//!
//! Samples are taken at equal intervals of simulated time. When there are [`MOST`] of them every
//! second one is given up and the interval doubles, so that a run of any length is seen whole, in
//! bounded memory. A sample is what the switch held at that instant, not the most since the last.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forebay_switch::{DropTally, Gauge, Handle, Location, Lost, SwitchObserver};
use forebay_units::{Duration, Time};

use crate::picture::{Chart, Line, Table};

/// The most samples.
const MOST: usize = 512;
/// The first interval: half a small packet at 400 Gb/s.
const FIRST: Duration = Duration::from_ns(1);
/// The most lines of a chart, those that reach highest.
const LINES: usize = 8;

/// What a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    location: Location,
    name: &'static str,
    is_limit: bool,
}

/// All that was seen.
#[derive(Debug, Default)]
struct Seen {
    interval: Duration,
    next: Time,
    /// The instants of the samples, in picoseconds.
    at: Vec<u64>,
    held: Vec<u64>,
    gauges: BTreeMap<Key, Vec<Option<u64>>>,
    /// Losses so far at each sample, by cause.
    lost: Vec<DropTally>,
    /// The same now.
    held_now: u64,
    most_held: u64,
    lost_now: DropTally,
}

impl Seen {
    /// Begins a sample.
    fn sample(&mut self, now: Time) {
        if self.at.len() == MOST {
            self.thin();
        }
        self.at.push(now.as_ps());
        self.held.push(self.held_now);
        self.lost.push(self.lost_now);
        while self.next <= now {
            // From now on where nothing happened for long.
            let behind = now.since(self.next).as_ps() / self.interval.as_ps();
            self.next += self.interval * (behind + 1);
        }
    }

    fn thin(&mut self) {
        self.interval = self.interval * 2;
        let mut index = 0;
        let mut every_second = || {
            index += 1;
            index % 2 == 1
        };
        self.at.retain(|_| every_second());
        self.held = self.held.iter().step_by(2).copied().collect();
        self.lost = self.lost.iter().step_by(2).copied().collect();
        for values in self.gauges.values_mut() {
            // Lines that ended early are shorter.
            *values = values.iter().step_by(2).copied().collect();
        }
    }

    fn gauge(&mut self, gauge: &Gauge) {
        let (key, bytes) = match *gauge {
            Gauge::Level { location, name, bytes } => {
                (Key { location, name, is_limit: false }, bytes)
            }
            Gauge::Threshold { location, name, bytes } => {
                (Key { location, name, is_limit: true }, bytes)
            }
            Gauge::Moved { .. } => return,
        };
        let last = self.at.len().saturating_sub(1);
        let values = self.gauges.entry(key).or_default();
        values.resize(last, None);
        values.push(Some(bytes));
    }
}

/// Who watches a switch; clones see the same.
#[derive(Clone, Debug)]
pub(crate) struct Watch(Arc<Mutex<Seen>>);

impl Watch {
    pub(crate) fn new() -> Self {
        Watch(Arc::new(Mutex::new(Seen { interval: FIRST, ..Seen::default() })))
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Packets that the switch lost so far.
    pub(crate) fn lost(&self) -> u64 {
        self.seen().lost_now.total().packets
    }

    /// The most bytes that it held.
    pub(crate) fn most_held(&self) -> u64 {
        self.seen().most_held
    }

    /// What waits in all and by queue, with where the scheme acts, and what was lost.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        let seen = self.seen();
        let at: Vec<f64> = seen.at.iter().map(|ps| *ps as f64 / 1e6).collect();
        let is_whole = |key: &Key| matches!(key.location, Location::Switch | Location::Pool(_));
        let held = seen.held.iter().map(|bytes| Some(*bytes as f64)).collect();
        let mut whole = vec![line("packets held".to_owned(), false, held)];
        whole.extend(lines(&seen, is_whole));
        let chart = |id, title, y, lines| Chart {
            id,
            title,
            x: ["time", "us"],
            y,
            log: [false; 2],
            at: at.clone(),
            lines,
        };
        vec![
            chart("occupancy", "Buffer in use", ["held", "bytes"], whole),
            chart("queues", "Queues", ["held", "bytes"], lines(&seen, |key| !is_whole(key))),
            chart("lost", "Lost so far, by cause", ["lost", "packets"], lost_lines(&seen)),
        ]
    }

    /// What the switch lost, by cause.
    pub(crate) fn table(&self) -> Table {
        let row = |(cause, count): (forebay_switch::DropCause, forebay_switch::Tally)| {
            vec![cause.name().to_owned(), count.packets.to_string(), count.bytes.to_string()]
        };
        Table {
            title: "Lost in the switch",
            heads: vec!["cause", "packets", "bytes"],
            rows: self.seen().lost_now.causes().map(row).collect(),
        }
    }
}

impl SwitchObserver for Watch {
    fn arrived(&mut self, _: Time, _: u16, packet: &Handle) {
        let mut seen = self.seen();
        seen.held_now += u64::from(packet.size());
    }

    fn lost(&mut self, _: Time, lost: &Lost) {
        let mut seen = self.seen();
        seen.held_now = seen.held_now.saturating_sub(lost.packet.size().into());
        seen.lost_now.count(lost.cause, lost.packet.size());
    }

    fn left(&mut self, _: Time, _: u16, packet: &Handle) {
        let mut seen = self.seen();
        seen.held_now = seen.held_now.saturating_sub(packet.size().into());
    }

    fn reads(&mut self, now: Time) -> bool {
        let mut seen = self.seen();
        seen.most_held = seen.most_held.max(seen.held_now);
        let is_due = now >= seen.next;
        if is_due {
            seen.sample(now);
        }
        is_due
    }

    fn gauge(&mut self, _: Time, gauge: &Gauge) {
        self.seen().gauge(gauge);
    }
}

fn line(name: String, dashed: bool, values: Vec<Option<f64>>) -> Line {
    Line { name, dashed, values }
}

/// The levels that reach highest among those of some places, in the order of places, with their
/// limits. Limits that are alike everywhere are one line.
fn lines(seen: &Seen, of: impl Fn(&Key) -> bool) -> Vec<Line> {
    let most = |values: &[Option<u64>]| values.iter().flatten().copied().max().unwrap_or(0);
    let mut levels: Vec<_> =
        seen.gauges.iter().filter(|(key, _)| of(key) && !key.is_limit).collect();
    levels.sort_by_key(|(_, values)| std::cmp::Reverse(most(values)));
    let used = levels.iter().filter(|(_, values)| most(values) > 0).count();
    levels.truncate(used.clamp(1, LINES));
    levels.sort_by_key(|(key, _)| **key);
    let shown = |key: &Key| levels.iter().any(|(level, _)| level.location == key.location);
    let mut limits: Vec<(&Key, &Vec<Option<u64>>)> = Vec::new();
    for (key, values) in seen.gauges.iter().filter(|(key, _)| of(key) && key.is_limit) {
        let is_new = limits.iter().all(|(_, known)| *known != values);
        if shown(key) && is_new && limits.len() < LINES {
            limits.push((key, values));
        }
    }
    let whole = |(key, values): (&Key, &Vec<Option<u64>>)| {
        let mut values: Vec<_> = values.iter().map(|bytes| bytes.map(|b| b as f64)).collect();
        values.resize(seen.at.len(), None);
        line(name_of(key), key.is_limit, values)
    };
    levels.into_iter().chain(limits).map(whole).collect()
}

fn name_of(Key { location, name, .. }: &Key) -> String {
    match location {
        Location::Switch => (*name).to_owned(),
        Location::Pool(pool) => format!("pool {pool}, {name}"),
        Location::Port(port) => format!("port {port}, {name}"),
        Location::Queue { port, class } => format!("port {port}, class {class}, {name}"),
    }
}

fn lost_lines(seen: &Seen) -> Vec<Line> {
    let of_cause = |(cause, _): (forebay_switch::DropCause, _)| {
        let values = seen.lost.iter().map(|lost| Some(lost.of(cause).packets as f64));
        line(cause.name().to_owned(), false, values.collect())
    };
    seen.lost_now.causes().map(of_cause).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_any_length_is_seen_whole_in_bounded_memory() {
        let mut watch = Watch::new();
        let level = |bytes| Gauge::Level { location: Location::Port(0), name: "held", bytes };
        for ns in 0..2_000_000_u64 {
            let now = Time::ZERO + Duration::from_ns(ns);
            watch.arrived(now, 0, &Handle::new(0, 10));
            if watch.reads(now) {
                watch.gauge(now, &level(ns));
            }
        }
        let charts = watch.charts();
        let at = &charts[0].at;
        assert!(at.len() > MOST / 2 - 2 && at.len() <= MOST, "{}", at.len());
        assert_eq!(at[0], 0.0);
        let gaps: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() < 1e-9), "{gaps:?}");
        let values = &charts[1].lines[0].values;
        assert_eq!(values.len(), at.len());
        // What was read at an instant stands there.
        for (value, us) in values.iter().zip(at) {
            assert_eq!(value.map(|ns| ns / 1000.0), Some(*us));
        }
        assert_eq!(watch.most_held(), 20_000_000);
    }
}
