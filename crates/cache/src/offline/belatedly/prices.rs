//! Prices of a slot at each row: the multipliers λ of the capacity rows, kept as their running
//! sums.
//!
//! Any prices of 0 or more prove a lower bound (weak duality): the latency of the cheapest walks of
//! all objects at these prices, less what C slots cost. It is computed in integers, a fraction of
//! the program's quantum each, from running sums rounded to them; so nothing is lost to floating
//! point. 8 bytes a row.

use super::BelatedlyError;
use super::program::Program;
use super::walks::{Exact, Visit, visit};

/// The first bytes of a checkpoint: name and version.
const MAGIC: &[u8; 8] = b"fbprice1";

/// The prices a solution was found with: proof of its lower bound, and where to resume.
///
/// ```
/// use forebay_cache::offline::{Belatedly, Options, Prices};
/// use forebay_cache::{ObjectId, Request, at_step, steps};
///
/// let trace: Vec<Request> = (0..9).map(|t| Request::new(at_step(t), ObjectId(t % 3))).collect();
/// let belatedly = Belatedly::new(&trace, steps(2), 1)?;
/// let solution = belatedly.solve(Options::default(), |_| std::ops::ControlFlow::Continue(()))?;
/// let start = Prices::from_bytes(&solution.prices.to_bytes())?;
/// assert_eq!(start, solution.prices);
/// # Ok::<(), forebay_cache::offline::BelatedlyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    /// Λ: the price of a slot for all rows before each, in units of Z; from 0, never falling.
    pub(super) sums: Vec<f64>,
    /// How many rounds have been spent on them.
    pub(super) rounds: u32,
    /// By how much of Z minima were smoothed last.
    pub(super) width: f64,
}

impl Prices {
    /// A checkpoint: 28 bytes, and 8 a row.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = MAGIC.iter().copied().chain(self.rounds.to_le_bytes());
        let head = head.chain(self.width.to_le_bytes());
        head.chain(self.sums.iter().flat_map(|sum| sum.to_le_bytes())).collect()
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// [`BelatedlyError::NotPrices`] if it is not one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BelatedlyError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BelatedlyError::NotPrices)?;
        let (rounds, rest) = rest.split_first_chunk::<4>().ok_or(BelatedlyError::NotPrices)?;
        let (width, rest) = rest.split_first_chunk::<8>().ok_or(BelatedlyError::NotPrices)?;
        let width = f64::from_le_bytes(*width);
        let (sums, rest) = rest.as_chunks::<8>();
        let sums: Vec<f64> = sums.iter().map(|sum| f64::from_le_bytes(*sum)).collect();
        let valid = rest.is_empty()
            && width > 0.0
            && width <= 1.0
            && sums.first() == Some(&0.0)
            && sums.is_sorted()
            && sums.iter().all(|sum| sum.is_finite());
        if !valid {
            return Err(BelatedlyError::NotPrices);
        }
        Ok(Prices { sums, rounds: u32::from_le_bytes(*rounds), width })
    }
}

/// What prices say, exactly.
#[derive(Debug)]
pub(super) struct Priced {
    /// How costs are counted here.
    pub exact: Exact,
    /// Λ in integers.
    pub sums: Vec<i64>,
    /// What a slot is worth to an object that waits for each node, less Λ at the time.
    pub rank: Vec<i64>,
    /// The dual value: what walks cost less the price of all slots, of objects that may be hit.
    value: i128,
    /// No schedule is faster, in quanta.
    pub lower: i64,
}

impl Priced {
    pub(super) fn new(program: &Program, prices: &Prices) -> Self {
        let exact = Exact { shift: shift(program) };
        let sums = integers(program, &prices.sums, exact);
        let mut rank = Vec::with_capacity(program.nodes.len());
        let mut total = 0_i128;
        let mut visits = Vec::new();
        for object in 0..program.objects() {
            visit(exact, program.object(object), &sums, &mut visits);
            total += visits.first().map_or(0, |first: &Visit<i64>| i128::from(first.miss));
            rank.extend(visits.iter().map(|visit| visit.miss - visit.hit));
        }
        let rent = i128::from(sums.last().copied().unwrap_or(0)) * i128::from(program.capacity);
        let constant = i128::from(program.constant) << exact.shift;
        let value = total - rent;
        let mut priced = Priced { exact, sums, rank, value, lower: 0 };
        priced.lower = priced.bound(program, constant + value);
        priced
    }

    /// The dual value in units of Z.
    pub(super) fn dual(&self, program: &Program) -> f64 {
        self.value as f64 / (program.z() << self.exact.shift) as f64
    }

    /// The least latency in quanta that a schedule can have and that is not below `dual`.
    pub(super) fn bound(&self, program: &Program, dual: i128) -> i64 {
        let unit = i128::from(program.unit);
        let shifted = unit << self.exact.shift;
        let dual = dual.max(0);
        let units = dual / shifted + i128::from(dual % shifted > 0);
        i64::try_from(units * unit).unwrap_or(i64::MAX)
    }
}

/// By how many bits costs can be shifted, so that sums fit.
fn shift(program: &Program) -> u32 {
    const MOST: u32 = 20;
    total_latency(program).leading_zeros().saturating_sub(6).min(MOST)
}

/// What all requests wait if each is a miss; no walk costs more.
fn total_latency(program: &Program) -> u64 {
    (program.z() * program.requests as u64).max(1)
}

/// Running sums of Z each as running sums in integers. None above the worst latency is of use.
fn integers(program: &Program, sums: &[f64], exact: Exact) -> Vec<i64> {
    let most = (total_latency(program) << exact.shift) as i64;
    let one = (program.z() << exact.shift) as f64;
    sums.iter().map(|sum| ((sum * one) as i64).clamp(0, most)).collect()
}
