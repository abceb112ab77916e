//! Belatedly: the least latency that any schedule can reach, between two proven bounds (thesis
//! §2.4).
//!
//! The paper hands its multi-commodity-flow program to a solver for linear programs. Here the
//! program is solved by what it is made of: capacity gets a price at every row, which leaves one
//! cheapest walk an object (`walks`); the prices are improved in their running sums (`ascent`); any
//! prices prove a lower bound (`prices`) and lead to a schedule (`sweep`), which a local search
//! makes better (`polish`) and whose latency is the upper bound. Small instances are closed by a
//! search (`search`). See `docs/belatedly.md` for the program and for what was measured.
//!
//! Requests take one slot each: sizes are not looked at, and the cache is fully associative. O(n) a
//! round after O(n log n), for n requests. Memory: 300 bytes a request at most, everything
//! included.

mod ascent;
mod isotonic;
mod judges;
mod parts;
mod polish;
mod prices;
mod program;
mod search;
mod solve;
mod stabs;
mod sweep;
mod usage;
mod walks;

#[cfg(test)]
mod tests;

use forebay_units::{Duration, Time};
use thiserror::Error;

use crate::model::{Request, Schedule};
pub use prices::Prices;
use program::{NONE, Program};

/// Why a trace cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BelatedlyError {
    /// Z is 0.
    #[error("the latency is 0: every schedule costs nothing, so give one above 0")]
    NoLatency,
    /// Time goes back.
    #[error("request {index} is earlier than the one before it: sort the trace by time")]
    OutOfOrder {
        /// Its place, from 0.
        index: usize,
    },
    /// Sums would not fit.
    #[error(
        "{requests} requests of {latency} each may wait for more than 320 hours together: split \
         the trace"
    )]
    TooMuch {
        /// How many there are.
        requests: usize,
        /// Z.
        latency: Duration,
    },
    /// Data would arrive after the end of time.
    #[error("a request at {at} is answered after the end of time: shift the trace to begin at 0")]
    TooLate {
        /// When.
        at: Time,
    },
    /// A checkpoint that is none.
    #[error("the checkpoint holds no prices: give what `Prices::to_bytes` wrote")]
    NotPrices,
    /// A checkpoint of another trace.
    #[error(
        "the checkpoint has prices for {found} rows but the program has {rows}: resume the trace, \
         latency and capacity that it was written for"
    )]
    OtherProgram {
        /// How many it has.
        found: usize,
        /// How many it should have.
        rows: usize,
    },
    /// No thread to work.
    #[error("threads is 0: give at least one")]
    NoThreads,
    /// Not a gap.
    #[error("the gap is not a number from 0 to 1: give a share, such as 0.001")]
    Gap,
}

/// When to stop, and what to use.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The gap that is good enough, as a share of the lower bound.
    pub gap: f64,
    /// The most rounds. Fewer are made if minima are hardly smoothed any more: then rounds gain
    /// nothing.
    pub rounds: u32,
    /// How many threads may work. The result does not depend on it.
    pub threads: usize,
    /// For the randomized rounding, and for the local search.
    pub seed: u64,
    /// Whether the schedule is made better by a local search where the gap is still too wide at the
    /// end.
    pub polish: bool,
    /// The most states that the search for the exact optimum visits, where the trace is small
    /// enough for one (64 requests for objects that can be hit).
    pub search: u32,
    /// Where to start: the prices of an earlier solution.
    pub start: Option<Prices>,
}

impl Default for Options {
    /// A gap of 0.01 % or 1000 rounds, on one thread; a search of a million states.
    fn default() -> Self {
        Options {
            gap: 1e-4,
            rounds: 1000,
            threads: 1,
            seed: 1,
            polish: true,
            search: 1_000_000,
            start: None,
        }
    }
}

/// How far a solution is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// How many rounds are done.
    pub round: u32,
    /// No schedule is faster.
    pub lower: Duration,
    /// A schedule is as fast.
    pub upper: Duration,
    /// The prices by now: [`to_bytes`](Prices::to_bytes) is a checkpoint.
    pub prices: &'a Prices,
}

/// The optimum between its bounds.
#[derive(Clone, Debug)]
pub struct Solution {
    /// No schedule has less total latency.
    pub lower: Duration,
    /// The total latency of `schedule`.
    pub upper: Duration,
    /// The total latency of the paper's randomized rounding (§2.4.3); never below `upper`.
    pub rounded: Duration,
    /// The best schedule that was found.
    pub schedule: Schedule,
    /// What proves `lower` (but for a search), and where to go on.
    pub prices: Prices,
    /// How many rounds it took, those before a checkpoint included.
    pub rounds: u32,
}

impl Solution {
    /// (upper − lower) / lower: by how much the schedule may be off the optimum. 0 if it is proven
    /// optimal.
    #[must_use]
    pub fn gap(&self) -> f64 {
        gap(self.lower, self.upper)
    }
}

fn gap(lower: Duration, upper: Duration) -> f64 {
    let off = (upper - lower).as_ps() as f64;
    if off == 0.0 { 0.0 } else { off / lower.as_ps() as f64 }
}

/// How large the program is, after pruning and merging (thesis §2.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramSize {
    /// Objects that may be hit.
    pub commodities: usize,
    /// Arcs.
    pub variables: usize,
    /// Rows at which flow is conserved.
    pub conservation: usize,
    /// Rows at which capacity is shared.
    pub capacity: usize,
}

/// The latency-optimal schedule of a known trace; see the module's head.
///
/// ```
/// use forebay_cache::offline::{Belatedly, Options};
/// use forebay_cache::{ObjectId, Request, at_step, steps};
/// use std::ops::ControlFlow;
///
/// // The example of §2.3.1 with Z = 5, a thousand times over.
/// let trace: Vec<Request> = (0..18_000)
///     .zip(b"BAAAAABXXBXXBXXBXX".iter().cycle())
///     .filter(|(_, object)| **object != b'X')
///     .map(|(step, object)| Request::new(at_step(step), ObjectId(u64::from(*object))))
///     .collect();
/// let belatedly = Belatedly::new(&trace, steps(5), 1)?;
/// let solution = belatedly.solve(Options::default(), |_| ControlFlow::Continue(()))?;
/// assert!(solution.gap() <= 1e-4);
/// assert_eq!(solution.schedule.latency(&trace, steps(5), 1), Ok(solution.upper));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Belatedly {
    program: Program,
}

impl Belatedly {
    /// The program of `requests`, in the order of time, with every fetch taking `latency` and a
    /// cache of `capacity` objects. O(n log n).
    ///
    /// # Errors
    /// A [`BelatedlyError`] if requests are out of order or too many, or latency is 0.
    pub fn new(
        requests: &[Request],
        latency: Duration,
        capacity: u64,
    ) -> Result<Self, BelatedlyError> {
        Ok(Belatedly { program: Program::new(requests, latency, capacity)? })
    }

    /// How large the program is.
    #[must_use]
    pub fn size(&self) -> ProgramSize {
        let nodes = &self.program.nodes;
        let admissible = nodes.iter().filter(|node| node.next != NONE).count();
        ProgramSize {
            commodities: self.program.objects(),
            variables: 2 * admissible + 2 * (nodes.len() - self.program.objects()),
            conservation: 2 * nodes.len(),
            capacity: self.program.rows as usize,
        }
    }
}
