//! A trace file as Perfetto reads it: tracks in a tree, and on them slices, instants and counters.
//!
//! Format: perfetto.dev, "Track events" and the definitions `trace_packet.proto`,
//! `track_event.proto`, `track_descriptor.proto`, `counter_descriptor.proto`,
//! `debug_annotation.proto`, `interned_data.proto`. Written as it comes, through a buffer: memory
//! does not grow with the trace, but for 60 bytes for each name. About 20 bytes a counter's value,
//! 20 to 60 a slice's begin.
//!
//! Perfetto counts nanoseconds; the picoseconds below are cut off.

use std::collections::HashMap;
use std::io::{self, Write};

use forebay_units::Time;

use crate::wire::Message;

/// Field numbers of `Trace` and `TracePacket`.
mod packet {
    pub(super) const IN_TRACE: u32 = 1;
    pub(super) const TIMESTAMP: u32 = 8;
    pub(super) const SEQUENCE: u32 = 10;
    pub(super) const TRACK_EVENT: u32 = 11;
    pub(super) const INTERNED: u32 = 12;
    pub(super) const FLAGS: u32 = 13;
    pub(super) const DESCRIPTOR: u32 = 60;
    /// The reader forgets what it knows of this sequence.
    pub(super) const CLEARED: u64 = 1;
    /// The packet relies on what came before it.
    pub(super) const NEEDS: u64 = 2;
}

/// Field numbers of `TrackDescriptor` and `CounterDescriptor`.
mod descriptor {
    pub(super) const UUID: u32 = 1;
    pub(super) const NAME: u32 = 2;
    pub(super) const PARENT: u32 = 5;
    pub(super) const COUNTER: u32 = 8;
    pub(super) const UNIT: u32 = 3;
    pub(super) const UNIT_BYTES: u64 = 3;
    pub(super) const UNIT_COUNT: u64 = 2;
}

/// Field numbers of `TrackEvent`, `DebugAnnotation` and the interned names.
mod event {
    pub(super) const ANNOTATION: u32 = 4;
    pub(super) const TYPE: u32 = 9;
    pub(super) const NAME_IID: u32 = 10;
    pub(super) const TRACK: u32 = 11;
    pub(super) const CATEGORY: u32 = 22;
    pub(super) const NAME: u32 = 23;
    pub(super) const COUNTER_VALUE: u32 = 30;
    pub(super) const BEGIN: u64 = 1;
    pub(super) const END: u64 = 2;
    pub(super) const INSTANT: u64 = 3;
    pub(super) const COUNTER: u64 = 4;
    pub(super) const EVENT_NAMES: u32 = 2;
    pub(super) const IID: u32 = 1;
    pub(super) const INTERNED_NAME: u32 = 2;
    pub(super) const ANNOTATION_UINT: u32 = 3;
    pub(super) const ANNOTATION_TEXT: u32 = 6;
    pub(super) const ANNOTATION_NAME: u32 = 10;
}

/// All packets are of one sequence.
const SEQUENCE: u64 = 1;

/// A row of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Track(u64);

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Packets, say.
    Count,
}

/// Something that is said of a slice or an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A whole number, shown without a unit.
    Number(u64),
    /// A text, shown as it is.
    Text(&'a str),
}

/// A trace that is being written to `W`.
///
/// Events of a track come in the order of time; the reader sorts the tracks' together. What cannot
/// be written is remembered, nothing more is written then, and [`Trace::finish`] says it.
///
/// ```
/// use forebay_trace::{Trace, Value};
/// use forebay_units::Time;
///
/// let mut file = Vec::new();
/// let mut trace = Trace::new(&mut file);
/// let port = trace.track(None, "port 0");
/// trace.begin(Time::from_ps(1_000), port, "packet", "flow 7", &[("bytes", Value::Number(1500))]);
/// trace.end(Time::from_ps(9_000), port);
/// trace.finish()?;
/// drop(trace);
/// assert!(file.len() > 50 && file.len() < 200);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Trace<W: Write> {
    out: io::BufWriter<W>,
    message: Message,
    /// Numbers of the names that come again and again.
    names: HashMap<&'static str, u64>,
    tracks: u64,
    events: u64,
    begun: bool,
    failed: Option<io::Error>,
}

impl<W: Write> Trace<W> {
    /// An empty trace.
    pub fn new(out: W) -> Self {
        Trace {
            out: io::BufWriter::with_capacity(1 << 16, out),
            message: Message::default(),
            names: HashMap::new(),
            tracks: 0,
            events: 0,
            begun: false,
            failed: None,
        }
    }

    /// A new track below `parent`. Tracks of one name and parent are shown as one, with what
    /// overlaps in several lines.
    pub fn track(&mut self, parent: Option<Track>, name: &str) -> Track {
        self.describe(parent, name, None)
    }

    /// A new counter's track below `parent`.
    pub fn counter_track(&mut self, parent: Option<Track>, name: &str, unit: Unit) -> Track {
        self.describe(parent, name, Some(unit))
    }

    /// A slice begins on `track`; its innermost open one ends first. Names of `category` are few.
    pub fn begin(
        &mut self,
        now: Time,
        track: Track,
        category: &'static str,
        name: &str,
        about: &[(&str, Value<'_>)],
    ) {
        self.event(now, event::BEGIN, track, |message| {
            message.text(event::CATEGORY, category);
            message.text(event::NAME, name);
            annotate(message, about);
        });
    }

    /// The innermost open slice of `track` ends.
    pub fn end(&mut self, now: Time, track: Track) {
        self.event(now, event::END, track, |_| {});
    }

    /// Something happens on `track`. Names are few: each is written once.
    pub fn instant(
        &mut self,
        now: Time,
        track: Track,
        category: &'static str,
        name: &'static str,
        about: &[(&str, Value<'_>)],
    ) {
        let name = self.interned(name);
        self.event(now, event::INSTANT, track, |message| {
            message.text(event::CATEGORY, category);
            message.number(event::NAME_IID, name);
            annotate(message, about);
        });
    }

    /// The counter of `track` has this value from now on.
    pub fn counter(&mut self, now: Time, track: Track, value: u64) {
        self.event(now, event::COUNTER, track, |message| {
            message.number(event::COUNTER_VALUE, value.min(i64::MAX as u64));
        });
    }

    /// Events written so far.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn finish(&mut self) -> io::Result<()> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn describe(&mut self, parent: Option<Track>, name: &str, counter: Option<Unit>) -> Track {
        self.tracks += 1;
        let uuid = self.tracks;
        self.packet(|message| {
            message.message(packet::DESCRIPTOR, |message| {
                message.number(descriptor::UUID, uuid);
                if let Some(Track(parent)) = parent {
                    message.number(descriptor::PARENT, parent);
                }
                message.text(descriptor::NAME, name);
                if let Some(unit) = counter {
                    message.message(descriptor::COUNTER, |message| {
                        let unit = match unit {
                            Unit::Bytes => descriptor::UNIT_BYTES,
                            Unit::Count => descriptor::UNIT_COUNT,
                        };
                        message.number(descriptor::UNIT, unit);
                    });
                }
            });
        });
        Track(uuid)
    }

    /// The number of `name`, told to the reader the first time.
    fn interned(&mut self, name: &'static str) -> u64 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.names.len() as u64 + 1;
        self.names.insert(name, number);
        self.packet(|message| {
            message.message(packet::INTERNED, |message| {
                message.message(event::EVENT_NAMES, |message| {
                    message.number(event::IID, number);
                    message.text(event::INTERNED_NAME, name);
                });
            });
        });
        number
    }

    fn event(
        &mut self,
        now: Time,
        kind: u64,
        Track(track): Track,
        write: impl FnOnce(&mut Message),
    ) {
        self.events += 1;
        self.packet(|message| {
            message.number(packet::TIMESTAMP, now.as_ps() / 1000);
            message.message(packet::TRACK_EVENT, |message| {
                message.number(event::TYPE, kind);
                message.number(event::TRACK, track);
                write(message);
            });
        });
    }

    fn packet(&mut self, write: impl FnOnce(&mut Message)) {
        if self.failed.is_some() {
            return;
        }
        let flags = if self.begun { packet::NEEDS } else { packet::CLEARED };
        self.begun = true;
        self.message.clear();
        self.message.message(packet::IN_TRACE, |message| {
            message.number(packet::SEQUENCE, SEQUENCE);
            message.number(packet::FLAGS, flags);
            write(message);
        });
        self.failed = self.out.write_all(self.message.bytes()).err();
    }
}

fn annotate(message: &mut Message, about: &[(&str, Value<'_>)]) {
    for (name, value) in about {
        message.message(event::ANNOTATION, |message| {
            message.text(event::ANNOTATION_NAME, name);
            match value {
                Value::Number(number) => message.number(event::ANNOTATION_UINT, *number),
                Value::Text(text) => message.text(event::ANNOTATION_TEXT, text),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::reading::{Field, fields};

    /// The packets of a trace, as fields.
    fn packets(bytes: &[u8]) -> Vec<Vec<(u32, Field)>> {
        let inside = |(number, field)| match (number, field) {
            (packet::IN_TRACE, Field::Bytes(bytes)) => fields(&bytes),
            other => panic!("{other:?}"),
        };
        fields(bytes).into_iter().map(inside).collect()
    }

    #[test]
    fn the_first_packet_alone_clears_and_names_are_told_once() {
        let mut file = Vec::new();
        let mut trace = Trace::new(&mut file);
        let track = trace.counter_track(None, "bytes", Unit::Bytes);
        trace.counter(Time::from_ps(2_999), track, 5);
        for at in [3_000, 4_000] {
            trace.instant(Time::from_ps(at), track, "loss", "expelled", &[]);
        }
        assert_eq!(trace.events(), 3);
        trace.finish().unwrap();
        drop(trace);
        let packets = packets(&file);
        let flags: Vec<_> =
            packets.iter().map(|p| p.iter().find(|(n, _)| *n == packet::FLAGS)).collect();
        assert_eq!(flags[0], Some(&(packet::FLAGS, Field::Number(1))));
        assert!(flags[1..].iter().all(|f| *f == Some(&(packet::FLAGS, Field::Number(2)))));
        let named = |p: &&Vec<(u32, Field)>| p.iter().any(|(n, _)| *n == packet::INTERNED);
        assert_eq!((packets.len(), packets.iter().filter(named).count()), (5, 1));
        assert!(packets[1].contains(&(packet::TIMESTAMP, Field::Number(2))));
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("no space"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told_at_the_end() {
        let mut trace = Trace::new(Full);
        for _ in 0..10_000 {
            trace.track(None, "port");
        }
        assert_eq!(trace.finish().unwrap_err().to_string(), "no space");
    }
}
