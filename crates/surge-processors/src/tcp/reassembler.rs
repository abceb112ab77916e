//! The reassembler: segments in, events of streams out, under bounds of memory. See the module's head.

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
    /// How many bytes ahead of what is next a segment may end; at most 2^30, the largest window of TCP.
    pub window: u64,
    /// The most connections.
    pub max_connections: usize,
    /// The most bytes that wait in one direction of a connection, with 64 for each segment.
    pub max_stream_bytes: usize,
    /// The most bytes that wait in all.
    pub max_bytes: usize,
}

impl Default for ReassemblyConfig {
    /// First, 1 MiB of window, 65 536 connections, 2 MiB a stream, 256 MiB in all.
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
    /// That of the paper's reassembler as far as it is known: a window of 16 KiB (§3.6.1).
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
pub struct Counters {
    /// Segments that came.
    pub segments: u64,
    /// Bytes delivered in order.
    pub delivered_bytes: u64,
    /// Bytes that had been delivered before.
    pub repeated_bytes: u64,
    /// Bytes that their receiver acknowledged and nobody saw.
    pub missing_bytes: u64,
    /// Bytes for which there was no room.
    pub refused_bytes: u64,
    /// Bytes behind the end of a stream.
    pub after_end_bytes: u64,
    /// Segments that ended beyond the window.
    pub beyond_window: u64,
    /// RSTs that were believed.
    pub resets: u64,
    /// RSTs outside the window.
    pub ignored_resets: u64,
    /// Connections that gave way to newer ones of the same ends.
    pub replaced: u64,
    /// Connections that gave way to any newer one.
    pub evicted: u64,
}

/// The work that a segment took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Waiting segments that were visited: the paper's traversals.
    pub visited: u32,
    /// Bytes that it delivered, its own and those that had waited for it.
    pub delivered: u64,
}

/// Both directions.
#[derive(Clone, Debug)]
struct Connection<S> {
    id: u64,
    first: SocketAddr,
    /// From the first end, and to it.
    streams: [Stream<S>; 2],
}

impl<S: SegmentStore> Connection<S> {
    fn new(id: u64, first: SocketAddr) -> Self {
        Connection { id, first, streams: [Stream::default(), Stream::default()] }
    }

    fn held(&self) -> usize {
        self.streams[0].held + self.streams[1].held
    }

    /// 0 from the first end, 1 to it.
    fn direction(&self, source: SocketAddr) -> usize {
        usize::from(source != self.first)
    }
}

/// Puts TCP streams together.
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
    connections: RecentMap<(SocketAddr, SocketAddr), Connection<S>>,
    /// Bytes that wait in all.
    held: usize,
    begun: u64,
    counters: Counters,
}

impl<S: SegmentStore> Reassembler<S> {
    /// One that knows no connection.
    ///
    /// # Errors
    /// [`ProcessorError::Zero`] for a limit that is.
    pub fn new(config: ReassemblyConfig) -> Result<Self, ProcessorError> {
        config.check()?;
        let config = ReassemblyConfig { window: config.window.min(1 << 30), ..config };
        let connections = RecentMap::new(config.max_connections);
        Ok(Reassembler { config, connections, held: 0, begun: 0, counters: Counters::default() })
    }

    /// A segment arrives; `sink` is told what its streams have come to.
    pub fn process(
        &mut self,
        segment: &Segment<'_>,
        mut sink: impl FnMut(StreamId, Event<'_>),
    ) -> Work {
        let Segment { source, fields, payload, .. } = *segment;
        self.counters.segments += 1;
        let before = self.counters.delivered_bytes;
        let (begun, config) = (self.begun, self.config);
        let new = || Connection::new(begun, source);
        let (connection, evicted) = self.connections.entry(ends(segment), new);
        if let Some(evicted) = evicted {
            self.counters.evicted += 1;
            self.held = self.held.saturating_sub(evicted.held());
        }
        self.begun += u64::from(connection.id == begun);
        let direction = connection.direction(source);
        let others = self.held.saturating_sub(connection.held());
        if fields.syn && fields.ack.is_none() && connection.streams[direction].is_other(fields.seq)
        {
            *connection = Connection::new(self.begun, source);
            self.begun += 1;
            self.counters.replaced += 1;
        }
        let (id, direction) = (connection.id, connection.direction(source));
        let name = |direction| StreamId { connection: id, from_first: direction == 0 };
        let mut visited = 0;
        if let Some(ack) = fields.ack {
            let other = &mut connection.streams[1 - direction];
            let mut sink = |event: Event<'_>| sink(name(1 - direction), event);
            visited += other.acknowledged(ack, &mut self.counters, &mut sink);
        }
        let room = config.max_bytes.saturating_sub(others + connection.held());
        let stream = &mut connection.streams[direction];
        let mut sink = |event: Event<'_>| sink(name(direction), event);
        if fields.rst {
            let believed = stream.reset(fields.seq, config.window, &mut sink);
            self.counters.resets += u64::from(believed);
            self.counters.ignored_resets += u64::from(!believed);
        } else {
            let room = room.min(config.max_stream_bytes.saturating_sub(stream.held));
            let allowed = Allowance { overlap: config.overlap, window: config.window, room };
            visited += stream.segment(&fields, payload, allowed, &mut self.counters, &mut sink);
        }
        self.held = others + connection.held();
        Work { visited, delivered: self.counters.delivered_bytes - before }
    }

    /// The number of segments that wait in the direction of `segment`: the estimate of thesis §3.5.2.
    #[must_use]
    pub fn out_of_order(&self, segment: &Segment<'_>) -> usize {
        self.connections.peek(&ends(segment)).map_or(0, |connection| {
            connection.streams[connection.direction(segment.source)].store.len()
        })
    }

    /// Bytes that wait, with 64 for each segment; never above the configured most.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.held
    }

    /// Connections that are known.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// What it has done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.counters
    }
}

/// Both ends, the same in both directions.
fn ends(segment: &Segment<'_>) -> (SocketAddr, SocketAddr) {
    let (a, b) = (segment.source, segment.destination);
    (a.min(b), a.max(b))
}
