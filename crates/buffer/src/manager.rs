//! Themis's buffer manager, cycle by cycle: the golden model of `rtl/themis_manager` (themis §4.1,
//! §4.3; its page is `docs/rtl-themis.md`).
//!
//! [`Themis`](crate::Themis) decides on what is true at an instant. Hardware has a dozen operations
//! under way, whose answers are yet to come: it does not know the smallest rank off chip, nor how
//! many cells are taken. [`ThemisManager`] keeps what the core keeps: a floor under the ranks off
//! chip, made of what was answered and of what was asked since, and bounds on what is on chip.
//! Where they leave a doubt, the queue's root decides, so that equal ranks leave in their order.
//!
//! Elements are single cells. O(log n) per cycle, n the number of different ranks that wait.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_parameters::{Configure, ParameterError, check};
use forebay_pifo::{ThemisCore, Tier};

/// Parameters of [`ThemisManager`], those of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct ThemisManagerConfig {
    /// Levels of the queue's tree: digits of a rank.
    #[parameter(assumed = "BBQ's smallest published", range = 2..=15, default = 2)]
    pub levels: u32,
    /// Bits of a bitmap: the base of a digit.
    #[parameter(assumed = "BBQ's", range = 2..=16, default = 8)]
    pub width: u32,
    /// The queue holds one element less than this power of two.
    #[parameter(assumed = "BBQ's smallest published", range = 2..=17, default = 11)]
    pub slot_bits: u32,
    /// Elements that fit on chip.
    #[parameter(assumed = "half of what the queue holds", range = 3..=131071, default = 1024)]
    pub near: u32,
    /// Elements are swapped out while more than these are on chip.
    #[parameter(paper = "themis §6.3.1: 0.8", range = 2..=131070, default = 819)]
    pub high: u32,
    /// Elements are swapped in while fewer than these are on chip.
    #[parameter(paper = "themis §6.3.1: 0.5", range = 1..=131069, default = 512)]
    pub low: u32,
    /// Elements of a batch.
    #[parameter(assumed = "App. A's 16 KB in cells of 2 KB", range = 2..=64, default = 8)]
    pub batch: u32,
    /// Batches that are staged.
    #[parameter(assumed = "one is filled while one is written", range = 2..=16, default = 2)]
    pub groups: u32,
}

/// What the manager asks the queue to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemisOperation {
    /// Add an element in the tier that the root decides.
    Enqueue,
    /// Add an element on chip.
    EnqueueNear,
    /// Add an element off chip.
    EnqueueFar,
    /// Take the next element.
    Dequeue,
    /// Drop the largest rank on chip.
    DropLargest,
    /// Move the largest rank on chip off it.
    SwapOut,
    /// Move the smallest rank off chip onto it.
    SwapIn,
}

use ThemisOperation as Op;

/// What the queue answers: the element, or nothing where it was full or empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThemisAnswer {
    /// What was asked.
    pub operation: ThemisOperation,
    /// The element's rank, its number, and the tier in which it waits or which it leaves.
    pub element: Option<(u64, u64, Tier)>,
}

/// What shows in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThemisCycle {
    /// The arrival is taken.
    pub arrived: bool,
    /// It is lost: it is bound for a staging buffer that is full.
    pub lost: bool,
    /// The departure is asked of the queue.
    pub departs: bool,
    /// The answer to what was asked a queue's latency before.
    pub answer: Option<ThemisAnswer>,
    /// The oldest staged elements, at most a batch; those that have left since are `None`.
    pub batch: Vec<Option<u64>>,
}

/// A bound from below on ranks off chip: that of what was answered, that of what was asked lately.
#[derive(Clone, Copy, Debug, Default)]
struct Floor {
    answered: Option<u64>,
    asked: Option<u64>,
    before: Option<u64>,
    /// Cycles into the present span of a latency.
    cycle: u32,
}

impl Floor {
    fn reached(&self, rank: u64) -> bool {
        [self.answered, self.asked, self.before].iter().flatten().any(|&floor| rank >= floor)
    }

    /// The end of a cycle, in which this rank was sent off chip.
    fn tick(&mut self, latency: u32, sent: Option<u64>) {
        if self.cycle == latency - 1 {
            (self.before, self.asked, self.cycle) = (self.asked, None, 0);
        } else {
            self.cycle += 1;
        }
        self.asked = lower(self.asked, sent);
    }
}

fn lower(floor: Option<u64>, rank: Option<u64>) -> Option<u64> {
    floor.into_iter().chain(rank).min()
}

/// The manager and its queue, as `rtl/themis_manager` has them.
///
/// ```
/// use forebay_buffer::{ThemisManager, ThemisManagerConfig};
///
/// let mut manager = ThemisManager::new(&ThemisManagerConfig::default())?;
/// manager.cycle(None, false, false); // the queue is ready a cycle after a reset
/// assert!(manager.cycle(Some((9, 1)), false, false).arrived);
/// assert!(manager.cycle(None, true, false).departs);
/// let answers: Vec<_> = (0..12).filter_map(|_| manager.cycle(None, false, false).answer).collect();
/// assert_eq!(answers.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ThemisManager {
    config: ThemisManagerConfig,
    queue: ThemisCore<u64>,
    latency: u32,
    /// What was asked, the longest ago first.
    under_way: VecDeque<Option<ThemisAnswer>>,
    /// Free slots, and the cycles in which others come back.
    free: u32,
    returning: VecDeque<u64>,
    now: u64,
    floor: Floor,
    near: u32,
    far: u32,
    staged: VecDeque<Option<u64>>,
    /// Departures go first, if an arrival went first when both were there.
    turn: bool,
}

impl ThemisManager {
    /// An empty one.
    ///
    /// # Errors
    /// A parameter is out of its range.
    pub fn new(config: &ThemisManagerConfig) -> Result<Self, ParameterError> {
        check(&mut config.clone())?;
        let ThemisManagerConfig { levels, width, slot_bits, near, high, low, .. } = *config;
        let queue = ThemisCore::new(levels, u64::from(width)).map_err(|error| {
            ThemisManagerConfig::LEVELS.refuse(format_args!("{levels}, of {width}: {error}"))
        })?;
        let slots = (1 << slot_bits) - 1;
        if near > slots {
            let text = format_args!("it is {near}, and the queue holds {slots}");
            return Err(ThemisManagerConfig::NEAR.refuse(text));
        }
        if high >= near {
            let text = format_args!("it is {high}, and {near} fit; it must be below that");
            return Err(ThemisManagerConfig::HIGH.refuse(text));
        }
        if low >= high {
            let text = format_args!("it is {low}, and high is {high}; it must be below that");
            return Err(ThemisManagerConfig::LOW.refuse(text));
        }
        let latency = 6 + 4 * (levels - 1);
        Ok(ThemisManager {
            config: *config,
            queue,
            latency,
            under_way: (0..latency).map(|_| None).collect(),
            free: slots,
            returning: VecDeque::new(),
            now: 0,
            floor: Floor::default(),
            near: 0,
            far: 0,
            staged: VecDeque::new(),
            turn: false,
        })
    }

    /// How many operations under way are of these kinds.
    fn asked(&self, kinds: &[Op]) -> u32 {
        let of_these = |answer: &&ThemisAnswer| kinds.contains(&answer.operation);
        self.under_way.iter().flatten().filter(of_these).count() as u32 // at most the latency
    }

    /// The operation of this cycle, with what becomes of arrival and departure.
    fn decide(
        &self,
        rank: Option<u64>,
        (departs, swaps_in): (bool, bool),
        shown: &mut ThemisCycle,
    ) -> Option<Op> {
        let held = i64::from(self.near)
            + i64::from(self.asked(&[Op::Enqueue, Op::EnqueueNear, Op::SwapIn]))
            - i64::from(self.asked(&[Op::DropLargest, Op::SwapOut]));
        let staging = self.config.batch * self.config.groups;
        let bound = self.asked(&[Op::Enqueue, Op::EnqueueFar, Op::SwapOut]);
        let place = self.staged.len() as u32 + bound < staging;
        if departs && (rank.is_none() || self.turn) {
            shown.departs = true;
            return Some(Op::Dequeue);
        }
        let Some(rank) = rank else {
            let coming = self.asked(&[Op::SwapIn]);
            return if held > i64::from(self.config.high) && place {
                Some(Op::SwapOut)
            } else if held < i64::from(self.config.low) && self.far > coming {
                swaps_in.then_some(Op::SwapIn)
            } else {
                None
            };
        };
        if self.floor.reached(rank) {
            (shown.arrived, shown.lost) = (true, !place);
            return place.then_some(Op::EnqueueFar);
        }
        if held >= i64::from(self.config.near) {
            return Some(Op::DropLargest);
        }
        let doubt = self.asked(&[Op::Enqueue, Op::SwapOut]) > 0;
        shown.arrived = place || !doubt;
        shown.arrived.then_some(if doubt { Op::Enqueue } else { Op::EnqueueNear })
    }

    /// What the queue does, which it will answer.
    fn ask(&mut self, operation: Op, arrival: Option<(u64, u64)>) -> ThemisAnswer {
        let swapped =
            |moved: Option<(u64, &u64)>, from| moved.map(|(rank, &item)| (rank, item, from));
        let element = match operation {
            Op::Enqueue => self.add(arrival, None),
            Op::EnqueueNear => self.add(arrival, Some(Tier::Sram)),
            Op::EnqueueFar => self.add(arrival, Some(Tier::Hbm)),
            Op::Dequeue => self.queue.dequeue().map(|left| (left.rank, left.item, left.tier)),
            Op::DropLargest => {
                self.queue.drop_largest().map(|left| (left.rank, left.item, left.tier))
            }
            Op::SwapOut => swapped(self.queue.swap_out(), Tier::Sram),
            Op::SwapIn => swapped(self.queue.swap_in(), Tier::Hbm),
        };
        if element.is_some() && matches!(operation, Op::Dequeue | Op::DropLargest) {
            self.returning.push_back(self.now + u64::from(self.latency) + 2);
        }
        ThemisAnswer { operation, element }
    }

    /// Adds what has arrived, if there is a slot.
    fn add(&mut self, arrival: Option<(u64, u64)>, tier: Option<Tier>) -> Option<(u64, u64, Tier)> {
        let (rank, item) = arrival?;
        if self.free == 0 {
            return None;
        }
        let place = self.queue.enqueue(rank, item, tier).ok()?;
        debug_assert!(!place.ahead, "an element waits ahead of an older one of its rank");
        self.free -= 1;
        Some((rank, item, place.tier))
    }

    /// What is known from an answer.
    fn learn(&mut self, answer: ThemisAnswer) {
        let Some((rank, item, tier)) = answer.element else { return };
        let (came, left) = match answer.operation {
            Op::Enqueue | Op::EnqueueNear | Op::EnqueueFar => (Some(tier), None),
            Op::Dequeue | Op::DropLargest => (None, Some(tier)),
            Op::SwapOut | Op::SwapIn => (Some(tier.other()), Some(tier)),
        };
        for (change, tier) in [(1, came), (-1, left)] {
            match tier {
                Some(Tier::Sram) => self.near = self.near.saturating_add_signed(change),
                Some(Tier::Hbm) => self.far = self.far.saturating_add_signed(change),
                None => {}
            }
        }
        if came == Some(Tier::Hbm) {
            self.floor.answered = lower(self.floor.answered, Some(rank));
            self.staged.push_back(Some(item));
        }
        if left == Some(Tier::Hbm) {
            self.floor.answered = (self.far > 0).then_some(rank);
            for staged in &mut self.staged {
                if *staged == Some(item) {
                    *staged = None;
                }
            }
        }
    }

    /// One cycle: an element that arrives, by its rank and its number; whether the next is asked
    /// for; whether the oldest staged batch is taken.
    ///
    /// An arrival or departure that is not taken is offered again. Ranks beyond the queue's are
    /// refused as a full queue refuses.
    pub fn cycle(&mut self, arrival: Option<(u64, u64)>, departs: bool, take: bool) -> ThemisCycle {
        self.cycle_with(arrival, departs, take, true)
    }

    /// One cycle of a user who has no room for what is swapped in unless `swaps_in`; otherwise as
    /// [`cycle`](Self::cycle).
    pub fn cycle_with(
        &mut self,
        arrival: Option<(u64, u64)>,
        departs: bool,
        take: bool,
        swaps_in: bool,
    ) -> ThemisCycle {
        let batch = self.staged.len().min(self.config.batch as usize);
        let mut shown = ThemisCycle {
            answer: self.under_way.front().copied().flatten(),
            batch: self.staged.iter().take(batch).copied().collect(),
            ..ThemisCycle::default()
        };
        while self.returning.front().is_some_and(|&due| due <= self.now) {
            self.returning.pop_front();
            self.free += 1;
        }
        let ready = self.now > 0;
        let rank = arrival.map(|(rank, _)| rank);
        let requests = (departs, swaps_in);
        let operation = if ready { self.decide(rank, requests, &mut shown) } else { None };
        self.turn = ready && rank.is_some() && departs && !shown.departs;
        if take {
            self.staged.drain(..batch);
        }
        if let Some(answer) = shown.answer {
            self.learn(answer);
        }
        // What is answered in this cycle was still under way for who decides.
        self.under_way.pop_front();
        let asked = operation.map(|operation| self.ask(operation, arrival));
        self.under_way.push_back(asked);
        let sent = rank.filter(|_| operation == Some(Op::EnqueueFar));
        self.floor.tick(self.latency, sent);
        self.now += 1;
        shown
    }

    /// The number of elements on chip and off it, of which the answers have come.
    #[must_use]
    pub fn answered(&self) -> (u32, u32) {
        (self.near, self.far)
    }
}
