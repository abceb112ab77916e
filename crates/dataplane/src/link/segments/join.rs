//! Pieces that leave together become one segment again.
//!
//! A receiver cannot tell the difference but by time: cutting the joined segment, as a card would,
//! gives the very frames that it was joined from. So neighbours are joined only if they were
//! neighbours in one segment when it came, nothing left between them, and their headers are those
//! that cutting makes: a mark on one of them, or another time to live, stands in the way.
//!
//! What has left already when somebody looks leaves together in any case. Beyond that, a piece is
//! held back for the next for [`Outlet::new`]'s `together` at most, if the next may leave by then;
//! otherwise it leaves at its own instant. O(1) a frame.

use std::sync::Arc;

use forebay_units::{Duration, Time};

use super::{FIRST, Kind, LAST, Stretch, finish_header, folded, protocol};
use crate::link::{Checksum, Frame};

/// The largest IP packet: what an interface takes at once.
const LARGEST: usize = 65_535;

/// What is left to whoever receives a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offload {
    /// A checksum that is not finished.
    pub(crate) checksum: Option<Checksum>,
    /// How it is cut, if it is a segment.
    pub(crate) cut: Option<Cut>,
}

/// How a segment is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) kind: Kind,
    pub(crate) is_v6: bool,
    /// Whether its first piece alone has CWR.
    pub(crate) has_cwr: bool,
    /// How many bytes of data each piece has, but for the last.
    pub(crate) size: u16,
    /// How many bytes of headers.
    pub(crate) headers: u16,
}

/// What leaves at once: a frame, or several as one segment.
#[derive(Debug)]
pub(crate) struct Leaving<'a> {
    /// Its bytes, one part behind the other.
    pub(crate) parts: [&'a [u8]; 2],
    pub(crate) offload: Offload,
    /// When each of the frames was to leave.
    pub(crate) due: &'a [Time],
    /// How many bytes they have together, each with its headers.
    pub(crate) bytes: u64,
}

/// Where frames go in the end.
pub(crate) trait Sink {
    /// This leaves now.
    fn leave(&mut self, leaving: &Leaving<'_>);

    /// A buffer that is no longer used.
    fn free(&mut self, buffer: Vec<u8>);
}

/// The end of a way, where frames leave in the order of time.
#[derive(Debug)]
pub(crate) struct Outlet {
    together: Duration,
    run: Option<Run>,
    due: Vec<Time>,
}

/// Neighbouring pieces that have not left yet.
#[derive(Debug)]
struct Run {
    first: Frame,
    /// The last of them.
    last: Stretch,
    last_flags: u8,
    bytes: u64,
}

impl Outlet {
    /// Pieces are held back for others for at most so long; if that is no time, none is joined.
    pub(crate) fn new(together: Duration) -> Self {
        Outlet { together, run: None, due: Vec::new() }
    }

    /// A frame leaves that was to do so at `at`, which has come.
    pub(crate) fn add(&mut self, at: Time, frame: Frame, sink: &mut impl Sink) {
        if let Some(run) = &mut self.run {
            match run.push(frame) {
                Ok(buffer) => {
                    self.due.push(at);
                    let is_over = run.is_over();
                    sink.free(buffer);
                    if is_over {
                        self.flush(sink);
                    }
                    return;
                }
                Err(frame) => {
                    self.flush(sink);
                    return self.begin(at, frame, sink);
                }
            }
        }
        self.begin(at, frame, sink);
    }

    fn begin(&mut self, at: Time, frame: Frame, sink: &mut impl Sink) {
        self.due.clear();
        self.due.push(at);
        match frame.stretch() {
            Some(last) if self.together > Duration::ZERO && last.number + 1 < last.count => {
                let (last, bytes) = (last.clone(), frame.len() as u64);
                self.run = Some(Run { first: frame, last, last_flags: 0, bytes });
            }
            _ => self.leave(frame, sink),
        }
    }

    fn leave(&mut self, frame: Frame, sink: &mut impl Sink) {
        let offload = Offload { checksum: frame.checksum(), cut: None };
        let bytes = frame.len() as u64;
        sink.leave(&Leaving { parts: frame.parts(), offload, due: &self.due, bytes });
        self.due.clear();
        sink.free(frame.into_buffer());
    }

    /// Nothing more leaves at the present, `now`, and nothing before `next`: lets go what is not
    /// worth holding back.
    pub(crate) fn settle(&mut self, now: Time, next: Option<Time>, sink: &mut impl Sink) {
        let Some(latest) = self.latest() else { return };
        if now >= latest || next.is_none_or(|next| next > latest) {
            self.flush(sink);
        }
    }

    /// When to look again, if nothing leaves before `next`.
    pub(crate) fn wake(&self, next: Option<Time>) -> Option<Time> {
        let (Some(latest), Some(run), Some(last)) = (self.latest(), &self.run, self.due.last())
        else {
            return next;
        };
        // The pieces that are missing probably leave as far apart as the next from the last.
        let missing: u64 = (run.last.count - run.last.number).saturating_sub(1).max(1).into();
        let over = next.map_or(latest, |next| *last + next.since(*last) * missing);
        Some(over.min(latest))
    }

    /// How many frames it holds.
    pub(crate) fn held(&self) -> usize {
        if self.run.is_some() { self.due.len() } else { 0 }
    }

    /// Until when what is held back may be.
    fn latest(&self) -> Option<Time> {
        let first = self.due.first().filter(|_| self.run.is_some())?;
        Some(*first + self.together)
    }

    /// Lets go what is held back.
    pub(crate) fn flush(&mut self, sink: &mut impl Sink) {
        let Some(mut run) = self.run.take() else { return };
        if self.due.len() == 1 {
            return self.leave(run.first, sink);
        }
        let Some(offload) = run.finish() else {
            // Unreachable: pieces have headers. None of them can be sent.
            return;
        };
        let [head, _] = run.first.parts();
        let data = run.data();
        sink.leave(&Leaving { parts: [head, data], offload, due: &self.due, bytes: run.bytes });
        self.due.clear();
        sink.free(run.first.into_buffer());
    }
}

impl Run {
    /// Takes the next piece, and gives back its buffer; or gives it back if it is not.
    fn push(&mut self, frame: Frame) -> Result<Vec<u8>, Frame> {
        let Some(stretch) = frame.stretch() else { return Err(frame) };
        let follows = Arc::ptr_eq(&stretch.segment, &self.last.segment)
            && stretch.number == self.last.number + 1
            && frame.len() + self.data().len() <= LARGEST
            && same(self.first.head(), frame.head(), stretch);
        if !follows {
            return Err(frame);
        }
        self.bytes += frame.len() as u64;
        self.last_flags = flags(frame.head(), stretch);
        self.last = stretch.clone();
        Ok(frame.into_buffer())
    }

    /// Whether the last piece has come.
    fn is_over(&self) -> bool {
        self.last.number + 1 == self.last.count
    }

    /// The data of all pieces.
    fn data(&self) -> &[u8] {
        let begin = self.first.stretch().map_or(self.last.begin, |first| first.begin);
        self.last.segment.between(begin, self.last.end)
    }

    /// Gives the first piece the headers of all.
    fn finish(&mut self) -> Option<Offload> {
        let data = self.data().len();
        let Stretch { segment, network, .. } = self.last.clone();
        let (kind, checksum) = (segment.kind, segment.checksum);
        let transport = usize::from(checksum.start);
        let head = self.first.head_mut();
        let from_transport = u16::try_from(head.len() - transport + data).ok()?;
        let ip = head.get_mut(network.into()..transport)?;
        let is_v6 = ip.first()? >> 4 == 6;
        let identification = u16::from_be_bytes([*ip.get(4)?, *ip.get(5)?]);
        let addresses = finish_header(ip, from_transport.into(), identification)?;
        let mut has_cwr = false;
        match kind {
            Kind::Tcp => {
                let flags = head.get_mut(transport + 13)?;
                *flags |= self.last_flags & LAST;
                has_cwr = *flags & FIRST != 0;
            }
            Kind::Udp => {
                let length = head.get_mut(transport + 4..transport + 6)?;
                length.copy_from_slice(&from_transport.to_be_bytes());
            }
        }
        let sum = folded(addresses + protocol(kind) + u64::from(from_transport));
        let place = transport + usize::from(checksum.offset);
        head.get_mut(place..place + 2)?.copy_from_slice(&sum.to_be_bytes());
        let cut = Cut { kind, is_v6, has_cwr, size: segment.size, headers: head.len() as u16 };
        Some(Offload { checksum: Some(checksum), cut: Some(cut) })
    }
}

/// The flags of a piece, if it is of TCP.
fn flags(head: &[u8], stretch: &Stretch) -> u8 {
    let transport = usize::from(stretch.segment.checksum.start);
    match stretch.segment.kind {
        Kind::Tcp => head.get(transport + 13).copied().unwrap_or(0),
        Kind::Udp => 0,
    }
}

/// Whether two pieces of a segment have the same headers, but for what cutting changes.
fn same(one: &[u8], other: &[u8], stretch: &Stretch) -> bool {
    let (network, transport) =
        (usize::from(stretch.network), usize::from(stretch.segment.checksum.start));
    let checksum = transport + usize::from(stretch.segment.checksum.offset);
    let equal = |begin: usize, end: usize| match (one.get(begin..end), other.get(begin..end)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    };
    let is_v6 = one.get(network).is_some_and(|first| first >> 4 == 6);
    // Lengths, IPv4's identification and checksum are between these.
    let network_is = if is_v6 {
        equal(0, network + 4) && equal(network + 6, transport)
    } else {
        equal(0, network + 2) && equal(network + 6, network + 10) && equal(network + 12, transport)
    };
    let transport_is = match stretch.segment.kind {
        // Flags that all share, beside the sequence number.
        Kind::Tcp => {
            let ours = |head| flags(head, stretch) & !(LAST | FIRST);
            equal(transport, transport + 4)
                && equal(transport + 8, transport + 13)
                && ours(one) == ours(other)
                && equal(transport + 14, checksum)
        }
        Kind::Udp => equal(transport, transport + 4),
    };
    network_is && transport_is && one.len() == other.len() && equal(checksum + 2, one.len())
}
