//! Ranks and arrivals to compare queues under: shared by the example and the tests.
//!
//! The five rank distributions are those SP-PIFO (NSDI '20) is evaluated with: uniform,
//! exponential, inverse exponential, Poisson, convex, over ranks 0 to 99. Their parameters are
//! ours: a mean of 25 for the exponential, of 50 for Poisson, a parabola around the middle for
//! convex. Eleven elements arrive while ten are served. Draws come from a seeded splitmix64, so
//! every run is the same.
#![allow(unreachable_pub)] // a program has no outside

use forebay_pifo::approximate::Step;

/// Ranks of a distribution lie below this.
pub const RANKS: u64 = 100;

/// A rank distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    Uniform,
    Exponential,
    InverseExponential,
    Poisson,
    Convex,
}

pub const DISTRIBUTIONS: [(&str, Distribution); 5] = [
    ("uniform", Distribution::Uniform),
    ("exponential", Distribution::Exponential),
    ("inverse exponential", Distribution::InverseExponential),
    ("Poisson", Distribution::Poisson),
    ("convex", Distribution::Convex),
];

/// Whether ranks stay where they are or move on, as virtual finish times do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    Still,
    /// A drawn rank is added to a clock that moves by one per arrival.
    Advancing,
}

impl Distribution {
    /// How often a rank occurs, in proportion.
    fn weight(self, rank: u64) -> f64 {
        let rank = rank as f64;
        match self {
            Distribution::Uniform => 1.0,
            Distribution::Exponential => (-rank / 25.0).exp(),
            Distribution::InverseExponential => (-(RANKS as f64 - 1.0 - rank) / 25.0).exp(),
            Distribution::Poisson => {
                // The logarithm of 50^r e^-50 / r!.
                let factorial: f64 = (1..=rank as u64).map(|factor| (factor as f64).ln()).sum();
                (rank * 50.0_f64.ln() - 50.0 - factorial).exp()
            }
            Distribution::Convex => (rank - 49.5).powi(2),
        }
    }
}

/// A seeded source of ranks.
pub struct Ranks {
    /// Up to each rank, the share of draws.
    cumulative: Vec<f64>,
    state: u64,
}

impl Ranks {
    pub fn new(distribution: Distribution, seed: u64) -> Self {
        let mut sum = 0.0;
        let mut cumulative: Vec<f64> = (0..RANKS)
            .map(|rank| {
                sum += distribution.weight(rank);
                sum
            })
            .collect();
        cumulative.iter_mut().for_each(|share| *share /= sum);
        Ranks { cumulative, state: seed }
    }

    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let unit = ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = self.cumulative.partition_point(|&share| share <= unit) as u64;
        rank.min(RANKS - 1)
    }
}

/// `arrivals` elements, eleven while ten are served.
pub fn workload(distribution: Distribution, clock: Clock, arrivals: u64, seed: u64) -> Vec<Step> {
    let mut ranks = Ranks::new(distribution, seed);
    let (mut steps, mut credit) = (Vec::new(), 0);
    for arrival in 0..arrivals {
        let base = if clock == Clock::Advancing { arrival } else { 0 };
        steps.push(Step::Arrive(base + ranks.draw()));
        credit += 10;
        if credit >= 11 {
            credit -= 11;
            steps.push(Step::Serve);
        }
    }
    steps
}
