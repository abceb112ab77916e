//! Occamy's hardware, cycle by cycle: the golden model of `rtl/occamy` (occamy §4.2, §4.3; its page
//! is `docs/rtl-occamy.md`).
//!
//! [`SharedBuffer`](super::SharedBuffer) under the policy `occamy` knows at every instant which
//! queues are over their threshold. Hardware does not: all bits change when the threshold moves,
//! and one comparator per queue is what it would cost to see that at once. [`OccamyPipeline`] keeps
//! the bitmap as the core does: an admitted packet's queue is compared a cycle after the decision;
//! a sweep compares one queue per cycle, so that a bit is at most a round late. A late bit costs
//! time and nothing else: the pipeline compares the queue that it has picked once more before it
//! drops.
//!
//! Admission, thresholds and the cycles that a removal takes are the buffer's own:
//! [`Alpha::admits`], [`Alpha::threshold`] and [`MemoryConfig::release_cycles`].
//!
//! O(1) per cycle but for the search of the next bit, O(queues). Memory: 5 bytes a queue, 4 a
//! packet.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Configure, ParameterError, check};

use super::memory::MemoryConfig;
use crate::threshold::{Alpha, Comparison};

/// Parameters of [`OccamyPipeline`], those of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct OccamyPipelineConfig {
    /// Queues that share the buffer.
    #[parameter(paper = "occamy §5.1: 64", range = 2..=512, default = 64)]
    pub queues: u32,
    /// Cells of the buffer.
    #[parameter(assumed = "410 KB of 200 B, as in §6.2", range = 2..=65535, default = 2050)]
    pub cells: u32,
    /// α as a power of two.
    #[parameter(paper = "occamy §4.4: 8", range = 0..=15, default = 3)]
    pub alpha_log2: u32,
    /// Parallel cell-pointer lists of a packet, as a power of two.
    #[parameter(paper = "occamy §3.2", range = 0..=6, default = 2)]
    pub sublists_log2: u32,
    /// Cells of the largest packet.
    #[parameter(assumed = "Ethernet's 1500 B in cells of 200 B", range = 1..=65535, default = 8)]
    pub largest: u32,
    /// Most read cycles that are saved up for head drops; at least what the largest packet takes.
    #[parameter(assumed = "that", range = 2..=4095, default = 2)]
    pub burst: u32,
}

/// A packet on its way out: a head drop, or a departure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Removal {
    queue: u32,
    cells: u32,
    dropped: bool,
    /// A head drop's queue, when its descriptor was read.
    length: u32,
}

/// What shows at the outputs in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OccamyCycle {
    /// The packet that arrived four cycles before: whether it is admitted.
    pub admitted: Option<bool>,
    /// The queue whose head packet is taken out in this cycle, its cells, and whether it is dropped
    /// rather than sent.
    pub removed: Option<(u32, u32, bool)>,
    /// Cell pointers of a dropped packet that are given back in this cycle.
    pub pointers: u32,
}

/// The bitmap, the round-robin selector, the arbiter, the token bucket and the executor, as
/// `rtl/occamy` has them.
///
/// ```
/// use forebay_buffer::onchip::{OccamyPipeline, OccamyPipelineConfig};
///
/// let config = OccamyPipelineConfig { queues: 2, cells: 16, alpha_log2: 0, ..Default::default() };
/// let mut pipeline = OccamyPipeline::new(&config)?;
/// for _ in 0..8 {
///     pipeline.cycle(Some((0, 1)), None)?;
/// }
/// // Queue 0 holds half of the buffer, which is its threshold. A packet of the other queue takes
/// // the threshold down, and one packet of queue 0 is too many.
/// pipeline.cycle(Some((1, 2)), None)?;
/// let mut dropped = Vec::new();
/// for _ in 0..16 {
///     dropped.extend(pipeline.cycle(None, None)?.removed);
/// }
/// assert_eq!(dropped, [(0, 1, true)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OccamyPipeline {
    config: OccamyPipelineConfig,
    memory: MemoryConfig,
    alpha: Alpha,
    free: u32,
    lengths: Vec<u32>,
    /// Packets of each queue, in cells.
    packets: Vec<VecDeque<u32>>,
    over: Vec<bool>,
    /// Where the round robin goes on: behind the last queue that it has picked.
    next: u32,
    /// What it has picked, and what it has picked before that.
    picked: Option<u32>,
    candidate: Option<u32>,
    /// The queue that the sweep reads, and what it read in the cycle before.
    sweep: u32,
    swept: (u32, u32),
    tokens: i64,
    /// Pointers of the last head drop that have not been given back.
    rows: u32,
    // The stages of an arrival: registered, counters read, length known, decided.
    arrived: Option<(u32, u32)>,
    read_of: Option<(u32, u32)>,
    looked: Option<(u32, u32)>,
    decided: Option<(u32, u32, bool)>,
    /// The length of the queue in `decided`, with the packet.
    length: u32,
    // The stages of a removal: a departure that has come, one whose descriptor is read, a
    // descriptor, a head drop that waits, a packet that is taken out.
    asked: Option<u32>,
    departs: Option<u32>,
    read: Option<(Removal, bool)>,
    held: Option<Removal>,
    /// The queue of one that was not dropped, as its queue is within its threshold.
    within: Option<u32>,
    taken: Option<Removal>,
}

/// An operation that the core takes for granted not to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccamyMisuse {
    /// There is no such queue.
    NoQueue(u32),
    /// A packet of so many cells: none, or more than the largest has.
    NoPacket(u32),
    /// The queue is to send again less than three cycles after it last was, which is what it takes
    /// until its head is the next packet.
    TooSoon(u32),
}

impl core::fmt::Display for OccamyMisuse {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            OccamyMisuse::NoQueue(queue) => write!(f, "there is no queue {queue}"),
            OccamyMisuse::NoPacket(cells) => {
                write!(f, "a packet of {cells} cells: give at least 1, at most the largest")
            }
            OccamyMisuse::TooSoon(queue) => {
                write!(f, "queue {queue} sends less than 3 cycles after it last did; wait")
            }
        }
    }
}

impl core::error::Error for OccamyMisuse {}

impl OccamyPipeline {
    /// Tokens that departures may overdraw; who goes on beyond that does so for nothing.
    const DEBT: i64 = 4096;

    /// An empty buffer.
    ///
    /// # Errors
    /// A parameter is out of its range.
    pub fn new(config: &OccamyPipelineConfig) -> Result<Self, ParameterError> {
        check(&mut config.clone())?;
        let queues = config.queues as usize;
        let memory =
            MemoryConfig { sublists: 1 << config.sublists_log2, ..MemoryConfig::default() };
        if config.burst < memory.release_cycles(config.largest) {
            return Err(OccamyPipelineConfig::BURST.refuse(format_args!(
                "{} cycles would never drop the largest packet; give at least {}",
                config.burst,
                memory.release_cycles(config.largest)
            )));
        }
        Ok(OccamyPipeline {
            config: *config,
            memory,
            alpha: Alpha::power_of_two(config.alpha_log2 as i32),
            free: config.cells,
            lengths: vec![0; queues],
            packets: vec![VecDeque::new(); queues],
            over: vec![false; queues],
            next: 0,
            picked: None,
            candidate: None,
            sweep: 0,
            swept: (0, 0),
            tokens: 0,
            rows: 0,
            arrived: None,
            read_of: None,
            looked: None,
            decided: None,
            length: 0,
            asked: None,
            departs: None,
            read: None,
            held: None,
            within: None,
            taken: None,
        })
    }

    /// Free cells.
    #[must_use]
    pub const fn free(&self) -> u32 {
        self.free
    }

    /// Cells of `queue`, if it exists.
    #[must_use]
    pub fn length(&self, queue: u32) -> Option<u32> {
        self.lengths.get(queue as usize).copied()
    }

    /// Whether the bitmap has `queue` as over its threshold.
    #[must_use]
    pub fn is_marked(&self, queue: u32) -> bool {
        self.over.get(queue as usize).copied().unwrap_or(false)
    }

    /// Packets of `queue` whose descriptors can be read.
    #[must_use]
    pub fn packets(&self, queue: u32) -> usize {
        self.packets.get(queue as usize).map_or(0, VecDeque::len)
    }

    /// Read cycles saved up; negative: overdrawn by departures.
    #[must_use]
    pub const fn tokens(&self) -> i64 {
        self.tokens
    }

    /// One cycle, in which a packet of so many cells may arrive for a queue and a queue may be told
    /// to send its head packet. What shows at the outputs meanwhile.
    ///
    /// # Errors
    /// The core takes for granted that this does not come. The cycle has not been made.
    pub fn cycle(
        &mut self,
        arrival: Option<(u32, u32)>,
        departure: Option<u32>,
    ) -> Result<OccamyCycle, OccamyMisuse> {
        self.admissible(arrival, departure)?;
        let threshold = self.alpha.threshold(self.free);
        let shown = OccamyCycle {
            admitted: self.decided.map(|(_, _, admitted)| admitted),
            removed: self.taken.map(|gone| (gone.queue, gone.cells, gone.dropped)),
            pointers: if self.tokens >= 0 { self.rows.min(self.memory.sublists) } else { 0 },
        };

        // Everything is decided by what stood in the registers when the cycle began.
        let verdict = self.looked.map(|(queue, cells)| {
            let length = self.lengths[queue as usize];
            let within = self.alpha.admits(Comparison::With, length, cells, self.free);
            (queue, cells, within && cells <= self.free)
        });
        let go = self.goes(threshold);
        let issued = self.issued(go);
        let next_held = self.next_held(go, threshold);
        let next_taken = match self.read {
            Some((read, there)) if !read.dropped => Some(read).filter(|_| there),
            _ => self.held.filter(|_| go),
        };
        let (swept, sweep) = (self.swept, self.sweep);
        self.swept = (sweep, self.lengths[sweep as usize]);
        self.sweep = self.behind(sweep);
        let read = match (self.departs, issued) {
            (Some(queue), _) => Some(self.descriptor(queue, false)),
            (None, Some(queue)) => Some(self.descriptor(queue, true)),
            (None, None) => None,
        };

        // The selector: a pick moves on once there is no candidate, and makes room for the next.
        let pick = self.pick();
        let moves = self.candidate.is_none();
        let loads = self.picked.is_none() || moves;
        if moves {
            self.candidate = self.picked;
        } else if issued.is_some() {
            self.candidate = None;
        }
        if loads {
            self.picked = pick;
            self.next = pick.map_or(self.next, |queue| self.behind(queue));
        }

        // The bitmap: the sweep, then the queue that has changed, else what was picked and is not
        // over.
        self.over[swept.0 as usize] = swept.1 > threshold;
        if let Some((queue, cells, true)) = self.decided {
            self.over[queue as usize] = self.length > threshold;
            self.packets[queue as usize].push_back(cells);
        } else if let Some(queue) = self.within {
            self.over[queue as usize] = false;
        }
        let within = self.held.filter(|held| held.length <= threshold);
        self.within = within.map(|held| held.queue);
        if let Some((queue, cells, _)) = verdict {
            self.length = self.lengths[queue as usize] + cells;
        }

        // The executor: a new drop, or a row of the last one.
        self.rows -= shown.pointers;
        let deep = self.tokens < -Self::DEBT;
        self.tokens = (self.tokens + 1).min(i64::from(self.config.burst));
        if let Some(gone) = self.taken {
            let cost = i64::from(self.memory.release_cycles(gone.cells));
            self.tokens -= if deep { 0 } else { cost };
            self.free += gone.cells;
            self.lengths[gone.queue as usize] -= gone.cells;
            self.packets[gone.queue as usize].pop_front();
            if gone.dropped {
                self.rows = gone.cells;
            }
        }
        if let Some((queue, cells, true)) = verdict {
            self.free -= cells;
            self.lengths[queue as usize] += cells;
        }
        (self.decided, self.looked) = (verdict, self.read_of);
        (self.read_of, self.arrived) = (self.arrived, arrival);
        (self.taken, self.held, self.read) = (next_taken, next_held, read);
        (self.departs, self.asked) = (self.asked, departure);
        Ok(shown)
    }

    fn admissible(
        &self,
        arrival: Option<(u32, u32)>,
        departure: Option<u32>,
    ) -> Result<(), OccamyMisuse> {
        let queues = [arrival.map(|(queue, _)| queue), departure];
        if let Some(queue) = queues.into_iter().flatten().find(|q| *q >= self.config.queues) {
            return Err(OccamyMisuse::NoQueue(queue));
        }
        if let Some((_, cells)) = arrival
            && !(1..=self.config.largest).contains(&cells)
        {
            return Err(OccamyMisuse::NoPacket(cells));
        }
        let sends = |queue| self.asked == Some(queue) || self.departs == Some(queue);
        departure.filter(|queue| sends(*queue)).map_or(Ok(()), |q| Err(OccamyMisuse::TooSoon(q)))
    }

    /// Whether the head drop that waits is carried out in this cycle.
    fn goes(&self, threshold: u32) -> bool {
        let departs = self.read.is_some_and(|(read, _)| !read.dropped);
        self.held.is_some_and(|held| {
            held.length > threshold
                && self.tokens >= i64::from(self.memory.release_cycles(held.cells))
                && self.rows <= 2 * self.memory.sublists
                && self.taken.is_none()
                && !departs
                && self.departs != Some(held.queue)
                && self.asked != Some(held.queue)
        })
    }

    /// The queue after `queue`, in turn.
    const fn behind(&self, queue: u32) -> u32 {
        if queue + 1 == self.config.queues { 0 } else { queue + 1 }
    }

    /// The next marked queue in turn.
    fn pick(&self) -> Option<u32> {
        let mut turn = (self.next..self.config.queues).chain(0..self.next);
        turn.find(|queue| self.over[*queue as usize])
    }

    /// The queue whose head descriptor is read for a head drop in this cycle: the candidate, unless
    /// a departure reads one, a drop is on its way already, or its head is about to change.
    fn issued(&self, go: bool) -> Option<u32> {
        let queue = self.candidate?;
        let dropping = self.read.is_some_and(|(read, _)| read.dropped);
        let changing = self.read.is_some_and(|(read, _)| read.queue == queue)
            || self.held.is_some_and(|held| held.queue == queue)
            || self.taken.is_some_and(|gone| gone.queue == queue);
        let free = self.held.is_none() || go;
        (self.departs.is_none() && !dropping && free && !changing).then_some(queue)
    }

    /// The head drop that waits in the next cycle.
    fn next_held(&self, go: bool, threshold: u32) -> Option<Removal> {
        let departs = |queue: u32| self.departs == Some(queue);
        if let Some((read, there)) = self.read
            && read.dropped
        {
            let length = self.lengths[read.queue as usize];
            return (there && !departs(read.queue)).then_some(Removal { length, ..read });
        }
        self.held.filter(|held| !go && held.length > threshold && !departs(held.queue))
    }

    /// The head packet of `queue`, and whether there is one.
    fn descriptor(&self, queue: u32, dropped: bool) -> (Removal, bool) {
        let head = self.packets[queue as usize].front();
        let cells = head.copied().unwrap_or(0);
        (Removal { queue, cells, dropped, length: 0 }, head.is_some())
    }
}
