//! A watched switch as tracks.
//!
//! ```text
//! switch 0                      swaps and expulsions as instants; memories and watermarks as counters
//!   lost                        one counter: packets lost so far
//!   pool 0                      counters of an on-chip memory
//!   port 3                      losses as instants
//!     waiting                   packets as slices, from arrival until they are sent or lost
//!     sending                   packets as slices, while the port sends them
//!     paused                    pauses of a class as slices, while the neighbour wants them
//!     pausing                   pauses as slices, while the switch wants them of the neighbour
//!     waiting bytes, threshold  counters
//! ```
//!
//! O(1) a packet, O(queues) a reading. Memory: 24 bytes a traced packet that waits, a track for as
//! many of a port's traced packets as ever waited at once, and the last value of each counter.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Write;
use std::num::NonZeroU32;

use forebay_switch::{
    DropCause, Gauge, Handle, Location, Lost, Pause, SwitchObserver, SwitchShape,
};
use forebay_units::{Bytes, Rate, Time};

use crate::bounds::Bounds;
use crate::perfetto::{Track, Unit, Value};
use crate::shared::Shared;

/// Writes what happens in one switch. Packets are known by the numbers of their handles
/// ([`Handle::numbered`]); what still waits when the run ends is left open.
#[derive(Debug)]
pub struct SwitchTracer<W: Write> {
    trace: Shared<W>,
    bounds: Bounds,
    switch: Track,
    lost: Track,
    lost_packets: u64,
    ports: Vec<PortTracks>,
    /// The tracks of pauses: by port, class and whether the switch asked for them.
    pauses: HashMap<(u16, u8, bool), Slices>,
    /// The tracks of traced packets that wait, by the number of their handle.
    waiting: HashMap<u32, Track>,
    counters: HashMap<(Location, &'static str), Counter>,
    /// Packets and bytes of each move, as last read.
    moved: HashMap<&'static str, (u64, u64)>,
    arrivals: u64,
    readings: u64,
    /// Whether levels are wanted in the reading under way.
    levels: bool,
}

/// The tracks of a port.
#[derive(Debug)]
struct PortTracks {
    port: Track,
    sending: Track,
    rate: Rate,
    /// Tracks for waiting packets on which nothing waits.
    free: Vec<Track>,
}

/// A track of pauses.
#[derive(Clone, Copy, Debug)]
struct Slices {
    track: Track,
    /// Whether one has begun there and not ended.
    open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Counter {
    track: Track,
    value: u64,
}

impl<W: Write> SwitchTracer<W> {
    /// A tracer of the switch of this shape, shown as `name`.
    pub fn new(trace: Shared<W>, name: &str, shape: &SwitchShape<'_>, bounds: Bounds) -> Self {
        let mut file = trace.lock();
        let switch = file.track(None, name);
        let lost = file.counter_track(Some(switch), "lost packets", Unit::Count);
        let tracks = |(number, rate): (usize, &Rate)| {
            let port = file.track(Some(switch), &format!("port {number}"));
            let sending = file.track(Some(port), "sending");
            PortTracks { port, sending, rate: *rate, free: Vec::new() }
        };
        let ports = shape.ports.iter().enumerate().map(tracks).collect();
        drop(file);
        SwitchTracer {
            trace,
            bounds,
            switch,
            lost,
            lost_packets: 0,
            ports,
            pauses: HashMap::new(),
            waiting: HashMap::new(),
            counters: HashMap::new(),
            moved: HashMap::new(),
            arrivals: 0,
            readings: 0,
            levels: false,
        }
    }

    /// Ends the waiting of a packet, if it is traced.
    fn end_waiting(&mut self, now: Time, port: usize, packet: &Handle) -> bool {
        let Some(track) = self.waiting.remove(&packet.packet().get()) else {
            return false;
        };
        self.trace.lock().end(now, track);
        if let Some(port) = self.ports.get_mut(port) {
            port.free.push(track);
        }
        true
    }

    /// A pause begins or ends. One that began before the window has no slice.
    fn pause(&mut self, now: Time, pause: &Pause, asked: bool) {
        let Pause { port, class, on } = *pause;
        let key = (port, class, asked);
        let known = self.pauses.get(&key).is_some_and(|slices| slices.open);
        if on == known || (on && !self.bounds.window.contains(now)) {
            return;
        }
        let parent = self.ports.get(usize::from(port)).map_or(self.switch, |port| port.port);
        let mut trace = self.trace.lock();
        let slices = self.pauses.entry(key).or_insert_with(|| {
            let name = if asked { "pausing" } else { "paused" };
            Slices { track: trace.track(Some(parent), name), open: false }
        });
        slices.open = on;
        if on {
            let about = [("class", Value::Number(class.into()))];
            trace.begin(now, slices.track, "pause", &format!("class {class}"), &about);
        } else {
            trace.end(now, slices.track);
        }
    }

    /// A counter's new value, if it is one.
    fn count(&mut self, now: Time, location: Location, name: &'static str, value: u64) {
        let parent = match location {
            Location::Port(port) | Location::Queue { port, .. } => {
                self.ports.get(usize::from(port)).map_or(self.switch, |port| port.port)
            }
            Location::Switch | Location::Pool(_) => self.switch,
        };
        let mut trace = self.trace.lock();
        match self.counters.entry((location, name)) {
            Entry::Occupied(mut entry) => {
                let counter = entry.get_mut();
                if counter.value != value {
                    counter.value = value;
                    trace.counter(now, counter.track, value);
                }
            }
            Entry::Vacant(entry) => {
                let track = trace.counter_track(Some(parent), &label(location, name), Unit::Bytes);
                trace.counter(now, track, value);
                entry.insert(Counter { track, value });
            }
        }
    }

    /// What has been moved since the last reading.
    fn moved(&mut self, now: Time, name: &'static str, cause: &str, total: (u64, u64)) {
        let before = self.moved.insert(name, total).unwrap_or_default();
        let (packets, bytes) = (total.0 - before.0, total.1 - before.1);
        if packets > 0 && self.bounds.window.contains(now) {
            let about = [
                ("packets", Value::Number(packets)),
                ("bytes", Value::Number(bytes)),
                ("cause", Value::Text(cause)),
            ];
            self.trace.lock().instant(now, self.switch, "move", name, &about);
        }
    }
}

/// What a counter is called: one of a pool or a class says which.
fn label(location: Location, name: &str) -> String {
    match location {
        Location::Switch | Location::Port(_) => name.to_owned(),
        Location::Pool(pool) => format!("pool {pool} {name}"),
        Location::Queue { class, .. } => format!("class {class} {name}"),
    }
}

/// What is said of a packet.
fn about(packet: &Handle) -> [(&'static str, Value<'static>); 4] {
    [
        ("flow", Value::Number(packet.flow().into())),
        ("bytes", Value::Number(packet.size().into())),
        ("class", Value::Number(packet.class().into())),
        ("input", Value::Number(packet.input().into())),
    ]
}

impl<W: Write> SwitchObserver for SwitchTracer<W> {
    fn arrived(&mut self, now: Time, port: u16, packet: &Handle) {
        if !self.bounds.window.contains(now) {
            return;
        }
        let number = self.arrivals;
        self.arrivals += 1;
        let port = usize::from(port);
        if !number.is_multiple_of(u64::from(self.bounds.sample.get())) || port >= self.ports.len() {
            return;
        }
        let tracks = &mut self.ports[port];
        let mut trace = self.trace.lock();
        let track = tracks.free.pop().unwrap_or_else(|| trace.track(Some(tracks.port), "waiting"));
        trace.begin(now, track, "waiting", &name(packet), &about(packet));
        self.waiting.insert(packet.packet().get(), track);
    }

    fn lost(&mut self, now: Time, lost: &Lost) {
        self.lost_packets += 1;
        let traced = self.end_waiting(now, lost.port.into(), &lost.packet);
        if !traced && !self.bounds.window.contains(now) {
            return;
        }
        let told = traced || self.bounds.sample == NonZeroU32::MIN;
        let track = self.ports.get(usize::from(lost.port)).map_or(self.switch, |port| port.port);
        let mut trace = self.trace.lock();
        trace.counter(now, self.lost, self.lost_packets);
        if told {
            let [flow, bytes, class, input] = about(&lost.packet);
            let cause = ("cause", Value::Text(lost.cause.name()));
            let kind = kind(lost.cause);
            trace.instant(now, track, "lost", kind, &[cause, flow, bytes, class, input]);
        }
    }

    fn left(&mut self, now: Time, port: u16, packet: &Handle) {
        let traced = self.end_waiting(now, port.into(), packet);
        // One that came before the window has no slice for its waiting, but leaves in the window.
        let all = self.bounds.sample == NonZeroU32::MIN && self.bounds.window.contains(now);
        let Some(port) = self.ports.get(usize::from(port)).filter(|_| traced || all) else {
            return;
        };
        let sent = now + port.rate.time_for(Bytes::new(packet.size().into()));
        let mut trace = self.trace.lock();
        trace.begin(now, port.sending, "sending", &name(packet), &about(packet));
        trace.end(sent, port.sending);
    }

    fn paused(&mut self, now: Time, pause: &Pause) {
        self.pause(now, pause, false);
    }

    fn asked(&mut self, now: Time, pause: &Pause) {
        self.pause(now, pause, true);
    }

    fn reads(&mut self, now: Time) -> bool {
        self.readings += 1;
        let sampled = (self.readings - 1).is_multiple_of(u64::from(self.bounds.sample.get()));
        self.levels = sampled && self.bounds.window.contains(now);
        // What was moved before the window must be known when it begins; after it, nothing is read.
        now < self.bounds.window.to
    }

    fn gauge(&mut self, now: Time, gauge: &Gauge) {
        match *gauge {
            Gauge::Level { location, name, bytes } | Gauge::Threshold { location, name, bytes } => {
                if self.levels {
                    self.count(now, location, name, bytes);
                }
            }
            Gauge::Moved { name, cause, total } => {
                self.moved(now, name, cause, (total.packets, total.bytes));
            }
        }
    }
}

fn name(packet: &Handle) -> String {
    format!("flow {}", packet.flow())
}

/// Which instant a loss is.
fn kind(cause: DropCause) -> &'static str {
    match cause {
        DropCause::Expelled => "expelled",
        DropCause::PushedOut => "pushed out",
        DropCause::QueueFull
        | DropCause::Threshold
        | DropCause::SramFull
        | DropCause::HbmFull
        | DropCause::StagingFull
        | DropCause::NoDescriptor
        | DropCause::Impossible
        | DropCause::Horizon
        | DropCause::Early
        | DropCause::LinkDown
        | DropCause::NoRoute
        | DropCause::Unmatched
        | DropCause::HeadroomFull
        | DropCause::Watchdog => "dropped",
    }
}

#[cfg(test)]
mod tests;
