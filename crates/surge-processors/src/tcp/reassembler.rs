//! The reassembler: segments in, events of streams out, within bounded memory. See the module's
//! head.

use std::net::SocketAddr;

use super::connections::RecentMap;
use super::segments::{Overlap, SegmentStore};
use super::stream::{Allowance, Stream};
use super::{Event, Segment, StreamId};
use crate::error::ProcessorError;

/// The parameters of a [`Reassembler`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReassemblyConfig {
    /// Which bytes count where waiting segments overlap.
    pub overlap: Overlap,
    /// How far ahead of the next byte a segment may end, in bytes; at most 2^30, the largest window
    /// of TCP.
    pub window: u64,
    /// How many connections are followed at once.
    pub max_connections: usize,
    /// The most bytes that wait in one direction of a connection, counting 64 more for each
    /// segment.
    pub max_stream_bytes: usize,
    /// The most bytes that wait in total.
    pub max_bytes: usize,
}

impl Default for ReassemblyConfig {
    /// First, 1 MiB of window, 65 536 connections, 2 MiB per stream, 256 MiB in total.
    fn default() -> Self {
        ReassemblyConfig {
            overlap: Overlap::First,
            window: 1 << 20,
            max_connections: 1 << 16,
            max_stream_bytes: 2 << 20,
            max_bytes: 256 << 20,
        }
    }
}

impl ReassemblyConfig {
    /// The paper's reassembler as far as it is known: a window of 16 KiB (§3.6.1).
    #[must_use]
    pub fn paper() -> Self {
        ReassemblyConfig { window: 16 << 10, ..ReassemblyConfig::default() }
    }

    fn check(&self) -> Result<(), ProcessorError> {
        let zeros = [
            ("window", self.window == 0),
            ("max_connections", self.max_connections == 0),
            ("max_stream_bytes", self.max_stream_bytes == 0),
            ("max_bytes", self.max_bytes == 0),
        ];
        let zero = zeros.into_iter().find(|(_, zero)| *zero);
        zero.map_or(Ok(()), |(name, _)| Err(ProcessorError::Zero(name)))
    }
}

/// What a reassembler has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblyCounters {
    /// Segments that arrived.
    pub segments: u64,
    /// Bytes delivered in order.
    pub delivered_bytes: u64,
    /// Bytes that had been delivered before.
    pub repeated_bytes: u64,
    /// Bytes that their receiver acknowledged and that were never seen.
    pub missing_bytes: u64,
    /// Bytes for which there was no room.
    pub refused_bytes: u64,
    /// Bytes behind the end of a stream.
    pub after_end_bytes: u64,
    /// FINs before data that arrived in spite of them.
    pub void_fins: u64,
    /// Segments that ended beyond the window.
    pub beyond_window: u64,
    /// RSTs that were accepted.
    pub resets: u64,
    /// RSTs outside the window.
    pub ignored_resets: u64,
    /// Connections replaced by newer ones between the same ends.
    pub replaced: u64,
    /// Connections evicted for newer ones.
    pub evicted: u64,
}

/// The work that a segment caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Waiting segments that were visited: the paper's traversals.
    pub visited: u32,
    /// Bytes that it delivered: its own and those that had waited for it.
    pub delivered: u64,
}

/// Both directions.
#[derive(Clone, Debug)]
struct Connection<S> {
    id: u64,
    first: SocketAddr,
    /// The direction from the first end, and the one to it.
    streams: [Stream<S>; 2],
}

impl<S: SegmentStore> Connection<S> {
    fn new(id: u64, first: SocketAddr) -> Self {
        Connection { id, first, streams: [Stream::default(), Stream::default()] }
    }

    fn held(&self) -> usize {
        self.streams[0].held + self.streams[1].held
    }

    /// The stream of a direction, and the opposite one.
    fn both(&mut self, direction: usize) -> [&mut Stream<S>; 2] {
        let [from_first, to_first] = &mut self.streams;
        if direction == 0 { [from_first, to_first] } else { [to_first, from_first] }
    }

    /// 0 from the first end, 1 to it.
    fn direction(&self, source: SocketAddr) -> usize {
        usize::from(source != self.first)
    }
}

impl<S: SegmentStore> Known<S> {
    /// The connection of a segment, a new one if it begins one; and the bytes that wait in all
    /// others.
    fn connection(
        &mut self,
        segment: &Segment<'_>,
        counters: &mut ReassemblyCounters,
    ) -> (usize, &mut Connection<S>) {
        let Segment { source, fields, .. } = *segment;
        let begun = self.begun;
        let new = || Connection::new(begun, source);
        let (connection, evicted) = self.connections.entry(ends(segment), new);
        if let Some(evicted) = evicted {
            counters.evicted += 1;
            self.held = self.held.saturating_sub(evicted.held());
        }
        let others = self.held.saturating_sub(connection.held());
        let opens = fields.syn && fields.ack.is_none();
        if opens && connection.streams[connection.direction(source)].is_other(fields.seq) {
            *connection = new();
            counters.replaced += 1;
        }
        self.begun += u64::from(connection.id == begun);
        (others, connection)
    }
}

/// Reassembles TCP streams.
///
/// ```
/// use forebay_surge_processors::tcp::{Event, ListStore, Reassembler, ReassemblyConfig, Segment, TcpFields};
///
/// let mut reassembler: Reassembler<ListStore> = Reassembler::new(ReassemblyConfig::default())?;
/// let (source, destination) = ("10.0.0.1:4000".parse()?, "10.0.0.2:80".parse()?);
/// let mut text = Vec::new();
/// for (seq, payload) in [(u32::MAX, &b""[..]), (3, b"lo"), (0, b"hel")] {
///     let fields = TcpFields { seq, syn: payload.is_empty(), ..TcpFields::default() };
///     let segment = Segment { source, destination, fields, payload };
///     reassembler.process(&segment, |_, event| {
///         if let Event::Data(bytes) = event {
///             text.extend_from_slice(bytes);
///         }
///     });
/// }
/// assert_eq!(text, b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reassembler<S> {
    config: ReassemblyConfig,
    known: Known<S>,
    counters: ReassemblyCounters,
}

/// The connections, with what waits in them.
#[derive(Clone, Debug)]
struct Known<S> {
    connections: RecentMap<(SocketAddr, SocketAddr), Connection<S>>,
    /// Bytes that wait, in total.
    held: usize,
    begun: u64,
}

impl<S: SegmentStore> Reassembler<S> {
    /// A reassembler without connections.
    ///
    /// # Errors
    /// [`ProcessorError::Zero`] for a limit of zero.
    pub fn new(config: ReassemblyConfig) -> Result<Self, ProcessorError> {
        config.check()?;
        let config = ReassemblyConfig { window: config.window.min(1 << 30), ..config };
        let connections = RecentMap::new(config.max_connections);
        let known = Known { connections, held: 0, begun: 0 };
        Ok(Reassembler { config, known, counters: ReassemblyCounters::default() })
    }

    /// Processes an arriving segment; `sink` gets the events of its streams.
    pub fn process(
        &mut self,
        segment: &Segment<'_>,
        mut sink: impl FnMut(StreamId, Event<'_>),
    ) -> Work {
        let Segment { source, destination, fields, payload } = *segment;
        let ReassemblyConfig { window, overlap, max_bytes, max_stream_bytes, .. } = self.config;
        let counters = &mut self.counters;
        counters.segments += 1;
        let before = counters.delivered_bytes;
        let (others, connection) = self.known.connection(segment, counters);
        let (id, direction) = (connection.id, connection.direction(source));
        let [there, back] = connection.both(direction);
        let mut visited = 0;
        if let Some(ack) = fields.ack {
            let name = StreamId { connection: id, from: destination, to: source };
            let mut sink = |event: Event<'_>| sink(name, event);
            visited += back.acknowledged(ack, counters, &mut sink);
        }
        let name = StreamId { connection: id, from: source, to: destination };
        let mut sink = |event: Event<'_>| sink(name, event);
        if fields.rst {
            there.reset(fields.seq, window, counters, &mut sink);
        } else {
            let in_all = max_bytes.saturating_sub(others + there.held + back.held);
            let room = in_all.min(max_stream_bytes.saturating_sub(there.held));
            let allowed = Allowance { overlap, window, room };
            visited += there.segment(&fields, payload, allowed, counters, &mut sink);
        }
        self.known.held = others + there.held + back.held;
        Work { visited, delivered: counters.delivered_bytes - before }
    }

    /// The number of segments that wait in the direction of `segment`: the estimate of thesis
    /// §3.5.2.
    #[must_use]
    pub fn out_of_order(&self, segment: &Segment<'_>) -> usize {
        self.known.connections.peek(&ends(segment)).map_or(0, |connection| {
            connection.streams[connection.direction(segment.source)].store.len()
        })
    }

    /// Bytes that wait, counting 64 more for each segment; never above the configured limit.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.known.held
    }

    /// The number of known connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.known.connections.len()
    }

    /// What it has done so far.
    #[must_use]
    pub fn counters(&self) -> ReassemblyCounters {
        self.counters
    }
}

/// Both ends, the same for both directions.
fn ends(segment: &Segment<'_>) -> (SocketAddr, SocketAddr) {
    let (a, b) = (segment.source, segment.destination);
    (a.min(b), a.max(b))
}
