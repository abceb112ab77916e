//! One direction of a connection: what is next, what waits, how it ends.
//!
//! Offsets count the stream's bytes from 0 in 64 bits; sequence numbers wrap, and are interpreted
//! as the nearest to the next one. Source: RFC 9293, §3.4. Complexity and memory: those of the
//! store.
//!
//! *The end.* A FIN takes the number after the last byte (RFC 9293, §3.4), and a receiver processes
//! it when it reaches that number: segments ahead are held (§3.10.7.4). So a FIN ahead of the data
//! waits here, and cuts off nothing. It ends the stream once everything before it is delivered,
//! unless there is more: data that passes over it makes it void, as at a receiver, for whom its
//! number is then an old one; what waits behind it, or a FIN further ahead, keeps the stream open.
//! A receiver would then drop what waits behind the FIN; here it is kept, since nobody can tell
//! which of the two is forged, and too many bytes blind nobody. Of several FINs the farthest waits.
//! Once the stream has ended, data behind the end is ignored, as §3.10.7.4 says.

use super::reassembler::ReassemblyCounters;
use super::segments::{Newcomer, Overlap, SEGMENT_OVERHEAD, SegmentStore};
use super::{Event, TcpFields};

/// What a stream may currently use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) overlap: Overlap,
    /// How far ahead a segment may end.
    pub(super) window: u64,
    /// Bytes that may still be kept.
    pub(super) room: usize,
}

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream<S> {
    /// The sequence number of offset 0, once a segment has been seen.
    origin: Option<u32>,
    /// The first byte that has not been delivered.
    next: u64,
    /// The position of the farthest FIN that has not been reached.
    fin: Option<u64>,
    ended: bool,
    reset: bool,
    /// The start of the first segment that was refused because it lay too far ahead of the next
    /// byte.
    refused: Option<u64>,
    /// The waiting segments.
    pub(super) store: S,
    /// Their size, including [`SEGMENT_OVERHEAD`].
    pub(super) held: usize,
}

impl<S: SegmentStore> Stream<S> {
    /// Whether a SYN with this number begins another stream than this one.
    pub(super) fn is_other(&self, syn: u32) -> bool {
        self.origin.is_some_and(|origin| origin != syn.wrapping_add(1))
    }

    /// The offset of a number, negative if it lies before the stream; `None` before the first
    /// segment.
    fn offset(&self, seq: u32) -> Option<i64> {
        let next = self.origin?.wrapping_add(self.next as u32);
        Some(self.next as i64 + i64::from(seq.wrapping_sub(next) as i32))
    }

    /// Processes a segment other than an RST; returns how many held segments it visited.
    pub(super) fn segment(
        &mut self,
        fields: &TcpFields,
        payload: &[u8],
        allowed: Allowance,
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) -> u32 {
        let seq = fields.seq.wrapping_add(u32::from(fields.syn));
        let origin = *self.origin.get_or_insert(seq);
        let from = self.offset(seq).unwrap_or(i64::from(seq.wrapping_sub(origin)));
        let until = from + payload.len() as i64;
        let ahead = from > self.next as i64;
        if ahead && until > self.next.saturating_add(allowed.window) as i64 {
            counters.beyond_window += 1;
            self.refused.get_or_insert(from as u64);
            return 0;
        }
        if fields.fin && !self.ended && until >= self.next as i64 {
            self.fin = self.fin.max(Some(until as u64));
        }
        let visited = self.data(from, payload, allowed, counters, sink);
        self.finish(counters, sink);
        visited
    }

    /// Processes data at an offset: delivered parts are cut off, and so is everything once the
    /// stream has ended.
    fn data(
        &mut self,
        from: i64,
        payload: &[u8],
        allowed: Allowance,
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) -> u32 {
        let old = (self.next as i64 - from).clamp(0, payload.len() as i64);
        counters.repeated_bytes += old as u64;
        let data = &payload[old as usize..];
        let start = (from + old).max(0) as u64;
        if self.ended {
            counters.after_end_bytes += data.len() as u64;
            return 0;
        }
        if data.is_empty() {
            return 0;
        }
        if start == self.next {
            return self.in_order(data, allowed.overlap, counters, sink);
        }
        let done = self.store.insert(Newcomer::new(start, data, allowed.overlap, allowed.room));
        self.held += done.kept;
        counters.refused_bytes += done.refused as u64;
        done.visited
    }

    /// Data that is next: delivered at once, with what waits where they overlap and behind it.
    fn in_order(
        &mut self,
        mut data: &[u8],
        overlap: Overlap,
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) -> u32 {
        let mut visited = 0;
        loop {
            let held_from = self.store.first_start().unwrap_or(u64::MAX);
            let gap = held_from.saturating_sub(self.next).min(data.len() as u64) as usize;
            let (before, after) = data.split_at(gap);
            self.deliver(before, counters, sink);
            if held_from > self.next {
                return visited; // and nothing is left of the data
            }
            let Some(mut piece) = self.take_first() else { return visited };
            visited += 1;
            let common = piece.len().min(after.len());
            // It begins before all that waits, so it counts under Bsd too.
            if overlap != Overlap::First {
                piece[..common].copy_from_slice(&after[..common]);
            }
            self.deliver(&piece, counters, sink);
            data = &after[common..];
        }
    }

    fn take_first(&mut self) -> Option<Vec<u8>> {
        let piece = self.store.pop_first()?;
        self.held = self.held.saturating_sub(piece.len() + SEGMENT_OVERHEAD);
        Some(piece)
    }

    fn deliver(
        &mut self,
        data: &[u8],
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) {
        if !data.is_empty() {
            self.next += data.len() as u64;
            counters.delivered_bytes += data.len() as u64;
            sink(Event::Data(data));
        }
    }

    /// Ends the stream if it has reached its FIN and nothing waits behind; drops a FIN that data
    /// has passed over.
    fn finish(&mut self, counters: &mut ReassemblyCounters, sink: &mut impl FnMut(Event<'_>)) {
        let Some(fin) = self.fin.filter(|fin| *fin <= self.next) else { return };
        if fin < self.next {
            self.fin = None;
            counters.void_fins += 1;
        } else if self.store.is_empty() {
            self.fin = None;
            self.ended = true;
            sink(Event::Finished);
        }
    }

    /// The receiver says that it has everything before `ack`: what waits behind holes is delivered.
    pub(super) fn acknowledged(
        &mut self,
        ack: u32,
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) -> u32 {
        let mut visited = 0;
        while let (Some(start), Some(ack)) = (self.store.first_start(), self.offset(ack)) {
            if ack <= start as i64 {
                break;
            }
            let missing = start.saturating_sub(self.next);
            self.next = start;
            counters.missing_bytes += missing;
            sink(Event::Missing(missing));
            visited += self.in_order(&[], Overlap::First, counters, sink);
        }
        if self.store.first_start().is_none() {
            self.pass_refused(ack, counters, sink);
        }
        self.finish(counters, sink);
        visited
    }

    /// If the receiver has what was refused here, the hole before it is skipped: otherwise
    /// everything that follows would lie too far ahead as well.
    fn pass_refused(
        &mut self,
        ack: u32,
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) {
        let Some(refused) = self.refused else { return };
        if self.offset(ack).is_some_and(|ack| ack > refused as i64) {
            self.refused = None;
            if refused > self.next {
                let missing = refused - self.next;
                self.next = refused;
                counters.missing_bytes += missing;
                sink(Event::Missing(missing));
            }
        }
    }

    /// Processes an RST with this number, accepted if it lies in the window; then whatever waits is
    /// dropped, including a FIN.
    pub(super) fn reset(
        &mut self,
        seq: u32,
        window: u64,
        counters: &mut ReassemblyCounters,
        sink: &mut impl FnMut(Event<'_>),
    ) {
        let ahead = self.offset(seq).map_or(0, |offset| offset - self.next as i64);
        if !(0..=window as i64).contains(&ahead) {
            counters.ignored_resets += 1;
            return;
        }
        counters.resets += 1;
        (self.store, self.held, self.fin) = (S::default(), 0, None);
        if !self.reset {
            self.reset = true;
            sink(Event::Reset);
        }
    }
}
