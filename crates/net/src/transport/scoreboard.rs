//! What SACK blocks say about the data in flight: which bytes arrived, which are lost, how much is
//! still in the network.
//!
//! Source: RFC 6675, §4 (Update, IsLost, SetPipe, NextSeg). Our choices: pipe is summed once per
//! acknowledgement, over the ranges rather than the bytes; the ranges survive a timeout (§5.1
//! allows it, and our receiver never takes a byte back); ranges beyond the limit count as not
//! received, which can only cause a needless retransmission. Linear in the number of ranges per
//! acknowledgement; 128 bytes and 16 per range, allocated when the first block arrives.

use super::ranges::{Range, RangeSet};
use super::segment::Ack;
use super::sender::ByTime;

/// The sender's view of a flow with gaps.
#[derive(Clone, Debug)]
pub(super) struct Scoreboard {
    sacked: RangeSet,
    /// HighRxt: no position below it is retransmitted again in this recovery.
    retransmitted: u64,
    /// Unsacked positions below it are lost.
    lost_edge: u64,
    pipe: u64,
    /// DupThresh: this many segments beyond a gap make it a loss (RFC 6675, §2).
    threshold: u32,
    /// Whether the rescue retransmission of this recovery has been made.
    rescued: bool,
    /// Unsacked positions below it are lost, whatever arrived later.
    lost_by_time: u64,
    /// Of a flow that finds losses by time.
    pub(super) by_time: ByTime,
}

impl Scoreboard {
    pub(super) fn new(max_ranges: u16, threshold: u32) -> Self {
        Scoreboard {
            sacked: RangeSet::new(max_ranges),
            retransmitted: 0,
            lost_edge: 0,
            pipe: 0,
            threshold,
            rescued: false,
            lost_by_time: 0,
            by_time: ByTime::default(),
        }
    }

    /// Processes an acknowledgement: Update() and SetPipe(). `high` is the position after the
    /// highest byte sent. Returns whether it reported bytes not known before.
    pub(super) fn update(&mut self, ack: &Ack, high: u64, mss: u64) -> bool {
        self.sacked.remove_below(ack.cumulative);
        let mut news = false;
        for (start, end) in ack.sack_blocks() {
            news |= self.sacked.insert(start, end.min(high)).is_some_and(|new| new > 0);
        }
        self.retransmitted = self.retransmitted.max(ack.cumulative);
        self.set_pipe(ack.cumulative, high, mss);
        news
    }

    /// Finds the edge of loss from above: below it, as many ranges as the threshold has, or the
    /// bytes of more than one segment less, were received higher up (IsLost).
    fn find_lost_edge(&self, una: u64, mss: u64) -> u64 {
        let (mut ranges, mut bytes) = (0, 0);
        for range in self.sacked.as_slice().iter().rev() {
            ranges += 1;
            bytes += range.len();
            let enough = u64::from(self.threshold - 1) * mss;
            if ranges >= self.threshold || bytes > enough {
                return range.start;
            }
        }
        una
    }

    /// Bytes in the network: unsacked and not lost, plus unsacked and retransmitted.
    fn set_pipe(&mut self, una: u64, high: u64, mss: u64) {
        self.lost_edge = self.find_lost_edge(una, mss).max(self.lost_by_time);
        let unsacked_below = |edge: u64| (edge - una) - self.sacked.count_below(edge);
        let original = unsacked_below(high) - unsacked_below(self.lost_edge);
        self.pipe = original + unsacked_below(self.retransmitted.clamp(una, high));
    }

    /// Begins a recovery: nothing above `una` is retransmitted yet.
    pub(super) fn start_recovery(&mut self, una: u64, high: u64, mss: u64) {
        (self.retransmitted, self.rescued) = (una, false);
        self.set_pipe(una, high, mss);
    }

    /// Whether all of `range` arrived.
    pub(super) fn has(&self, range: Range) -> bool {
        self.sacked.at(range.start).is_some_and(|found| found.end >= range.end)
    }

    /// What did not arrive below `edge` is lost.
    pub(super) fn lose_below(&mut self, una: u64, edge: u64) {
        self.lost_by_time = self.lost_by_time.max(edge).max(una);
        self.lost_edge = self.lost_edge.max(self.lost_by_time);
    }

    /// What did not arrive below something that did is lost.
    pub(super) fn lose_below_arrived(&mut self, una: u64) {
        let edge = self.sacked.as_slice().last().map_or(una, |range| range.start);
        self.lose_below(una, edge);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sacked.as_slice().is_empty()
    }

    pub(super) const fn pipe(&self) -> u64 {
        self.pipe
    }

    /// Counts `bytes` as sent.
    pub(super) const fn add_to_pipe(&mut self, bytes: u64) {
        self.pipe += bytes;
    }

    pub(super) const fn is_lost(&self, position: u64) -> bool {
        position < self.lost_edge
    }

    pub(super) fn sacked_below(&self, edge: u64) -> u64 {
        self.sacked.count_below(edge)
    }

    /// The first unsacked positions at or above `from`, below `limit`.
    pub(super) fn gap(&self, from: u64, limit: u64) -> Option<Range> {
        self.sacked.gap(from, limit)
    }

    /// NextSeg() rule 1: a lost piece not yet retransmitted, of at most `mss` bytes.
    pub(super) fn take_lost(&mut self, mss: u64) -> Option<Range> {
        self.take_gap(self.lost_edge, mss)
    }

    /// NextSeg() rule 3: a piece below something that arrived, lost or not.
    pub(super) fn take_unsacked(&mut self, mss: u64) -> Option<Range> {
        let highest = self.sacked.as_slice().last()?.start;
        self.take_gap(highest, mss)
    }

    fn take_gap(&mut self, limit: u64, mss: u64) -> Option<Range> {
        let gap = self.sacked.gap(self.retransmitted, limit)?;
        let piece = Range { start: gap.start, end: gap.end.min(gap.start.saturating_add(mss)) };
        self.retransmitted = piece.end;
        Some(piece)
    }

    /// NextSeg() rule 4: once a recovery, the highest outstanding piece. `retransmitted` does not
    /// move.
    pub(super) fn take_rescue(&mut self, una: u64, high: u64, mss: u64) -> Option<Range> {
        if self.rescued {
            return None;
        }
        let (mut start, mut end) = (una, high);
        let mut above = self.sacked.as_slice().iter().rev();
        match above.next() {
            Some(top) if top.end == high => {
                end = top.start;
                start = above.next().map_or(una, |below| below.end);
            }
            Some(top) => start = top.end,
            None => {}
        }
        self.rescued = true;
        let start = start.max(end.saturating_sub(mss));
        (start < end).then_some(Range { start, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn it_takes_what_its_head_says() {
        assert_eq!(size_of::<Scoreboard>(), 128);
    }

    const MSS: u64 = 10;
    const HIGH: u64 = 300;

    /// IsLost() as RFC 6675 words it, byte by byte.
    fn is_lost(sacked: &[bool], position: usize) -> bool {
        let above: Vec<usize> = (position..sacked.len()).filter(|&p| sacked[p]).collect();
        let runs = above.iter().filter(|&&p| !sacked[p - 1]).count();
        runs >= 3 || above.len() as u64 > 2 * MSS
    }

    proptest! {
        #[test]
        fn pipe_and_loss_are_those_of_the_rfc(
            una in 0..HIGH / 2,
            blocks in prop::collection::vec((1..HIGH, 1..40u64), 1..12),
            resent in 0..HIGH,
        ) {
            let mut board = Scoreboard::new(64, 3);
            let mut sacked = [false; HIGH as usize];
            board.start_recovery(una, HIGH, MSS);
            for (start, len) in blocks {
                let end = (start + len).min(HIGH);
                let mut ack = Ack::cumulative(una);
                if ack.add_sack(start, end) {
                    board.update(&ack, HIGH, MSS);
                    sacked[start as usize..end as usize].fill(true);
                }
            }
            board.retransmitted = resent.max(una);
            board.set_pipe(una, HIGH, MSS);
            let mut pipe = 0;
            for position in una..HIGH {
                let index = position as usize;
                if sacked[index] {
                    continue;
                }
                prop_assert_eq!(board.is_lost(position), is_lost(&sacked, index), "{}", position);
                pipe += u64::from(!is_lost(&sacked, index));
                pipe += u64::from(position < board.retransmitted);
            }
            prop_assert_eq!(board.pipe(), pipe);
        }
    }

    #[test]
    fn the_rescue_is_the_highest_outstanding_piece_once() {
        let mut board = Scoreboard::new(8, 3);
        let mut ack = Ack::cumulative(100);
        ack.add_sack(150, 200);
        board.update(&ack, 235, MSS);
        assert_eq!(board.take_rescue(100, 235, MSS), Some(Range { start: 225, end: 235 }));
        assert_eq!(board.take_rescue(100, 235, MSS), None);
        board.start_recovery(100, 200, MSS);
        assert_eq!(board.take_rescue(100, 200, MSS), Some(Range { start: 140, end: 150 }));
    }
}
