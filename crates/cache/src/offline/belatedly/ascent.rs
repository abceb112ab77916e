//! Finds good prices: accelerated ascent of the smoothed dual, in the running sums of the prices.
//!
//! The program's Lagrangian dual is a concave function of the prices, with kinks. Four things make
//! it easy:
//!
//! * *Running sums.* A caching interval of a thousand rows costs the sum of a thousand prices, but
//!   the difference of two running sums. So in these the dual has a term a node, over two
//!   neighbours; a price of 0 or more means that sums never fall, to which isotonic regression
//!   projects.
//! * *Smoothing* of each minimum by a width (Nesterov, 2005), halved whenever rounds gain little.
//! * *Acceleration* with restarts (Nesterov, 1983; O'Donoghue and Candès, 2015), each row's step
//!   scaled by the number of nodes at it.
//! * *Bids*: steps in the prices of single rows, by demand beyond capacity, whenever they gain.
//!
//! Not from the paper. O(n) a round for n nodes. Memory: 88 bytes a row. Results are the same
//! however many threads there are: objects are always dealt into as many parts.

use super::isotonic::Isotonic;
use super::parts::{PARTS, Part, parts};
use super::prices::Prices;
use super::program::{NONE, Program};
use super::walks::Smooth;

/// Below so many nodes a thread takes longer to start than to do its part.
const SINGLE_THREADED: usize = 20_000;

/// The first step, in widths; halved whenever it proves too long.
const STEP: f64 = 8.0;

/// The share of what smoothing takes that is little to gain.
const LITTLE: f64 = 0.3;

/// Differences of the dual below this share of it are noise.
const NOISE: f64 = 1e-13;

/// An ascent on its way.
pub(super) struct Ascent<'a> {
    program: &'a Program,
    parts: Vec<Part>,
    threads: usize,
    isotonic: Isotonic,
    /// How many nodes there are at each running sum.
    weights: Vec<f64>,
    /// The running sums, and those of the round before.
    sums: Vec<f64>,
    last: Vec<f64>,
    /// Where the slope is taken: ahead of `sums`.
    ahead: Vec<f64>,
    momentum: f64,
    /// How far ahead, in steps.
    share: f64,
    step: f64,
    width: f64,
    value: f64,
    /// The value when it was asked last whether it settled, or at first.
    checked: Option<f64>,
    /// How many slots are wanted beyond capacity at the row before each running sum.
    excess: Vec<f64>,
    /// The change of a price for a slot too many, and what the last bids gained.
    pace: f64,
    bid_gain: f64,
}

impl<'a> Ascent<'a> {
    /// Starts from `prices`, or from the best of those that are the same for every row.
    pub(super) fn new(program: &'a Program, threads: usize, prices: Option<&Prices>) -> Self {
        let sums = vec![0.0; program.rows as usize + 1];
        let mut ascent = Ascent {
            program,
            parts: parts(program),
            threads: threads.clamp(1, PARTS as usize),
            isotonic: Isotonic::default(),
            weights: weights(program),
            last: sums.clone(),
            ahead: sums.clone(),
            sums,
            momentum: 1.0,
            share: 0.0,
            step: STEP,
            width: 1.0,
            value: f64::MIN,
            checked: None,
            excess: vec![0.0; program.rows as usize + 1],
            pace: 0.0,
            bid_gain: 0.0,
        };
        match prices {
            Some(prices) => ascent.sums.clone_from(&prices.sums),
            None => {
                let price = ascent.best_price();
                ascent.set_price(price);
            }
        }
        let mean = ascent.sums.last().copied().unwrap_or(0.0) / f64::from(program.rows.max(1));
        ascent.pace = (mean / program.capacity.max(1) as f64).max(1e-9);
        ascent
    }

    /// The prices after `rounds`.
    pub(super) fn prices(&self, rounds: u32) -> Prices {
        Prices { sums: self.sums.clone(), rounds, width: self.width }
    }

    /// By how much of Z minima are smoothed.
    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// Goes on with minima smoothed by `width` of Z.
    pub(super) fn smooth(&mut self, width: f64) {
        self.width = width;
        self.checked = None;
        self.bid();
    }

    /// Steps in the prices of single rows: up where more slots are wanted than there are, down
    /// where fewer. What is out of balance over many rows alike is almost flat in running sums, and
    /// steep here.
    fn bid(&mut self) {
        const BIDS: u32 = 8;
        self.restart();
        let before = self.answer();
        let mut value = before;
        self.measure_excess();
        for _ in 0..BIDS {
            self.last.clone_from(&self.sums);
            self.follow_excess();
            self.restart();
            let bid = self.answer();
            if bid > value {
                value = bid;
                self.pace *= 2.0;
                self.measure_excess();
            } else {
                std::mem::swap(&mut self.last, &mut self.sums);
                self.pace *= 0.25;
            }
        }
        self.bid_gain = value - before;
        self.restart();
    }

    /// How many slots are wanted beyond capacity at each row: what begins by then and has not
    /// stopped.
    fn measure_excess(&mut self) {
        let mut excess = -(self.program.capacity as f64);
        for (row, wanted) in self.excess.iter_mut().enumerate().rev() {
            excess += self.parts.iter().map(|part| part.surplus[row]).sum::<f64>();
            *wanted = excess;
        }
    }

    /// Sets the price of each row by its excess, from those of `last`.
    fn follow_excess(&mut self) {
        let prices = self.last.windows(2).map(|sums| sums[1] - sums[0]);
        let mut sum = 0.0;
        for ((price, excess), next) in prices.zip(&self.excess[1..]).zip(&mut self.sums[1..]) {
            sum += (price + self.pace * excess).max(0.0);
            *next = sum;
        }
    }

    /// Whether the rounds since this was asked last gained little, next to what smoothing takes
    /// from the exact dual value, `dual` in units of Z.
    pub(super) fn settled(&mut self, dual: f64) -> bool {
        let gain = self.value - self.checked.replace(self.value).unwrap_or(f64::MIN);
        let settled = gain < LITTLE * (dual - self.value);
        if !settled && self.bid_gain > gain {
            self.bid();
        }
        settled
    }

    fn restart(&mut self) {
        (self.momentum, self.share) = (1.0, 0.0);
        self.value = f64::MIN;
        self.ahead.clone_from(&self.sums);
    }

    /// One round.
    pub(super) fn round(&mut self) {
        let mut value = self.answer();
        if value < self.value - NOISE * self.value.abs() {
            // Downhill: momentum overshot, or without any, the step did.
            if self.share == 0.0 {
                self.step *= 0.5;
            }
            self.restart();
            value = self.answer();
        }
        self.value = value;
        self.checked.get_or_insert(value);
        std::mem::swap(&mut self.last, &mut self.sums);
        self.climb();
        self.accelerate();
    }

    /// The new sums: up the slope from where it was taken, and back to sums that never fall.
    fn climb(&mut self) {
        let scale = self.step * self.width;
        self.sums.clone_from(&self.ahead);
        for part in &self.parts {
            for ((sum, surplus), weight) in
                self.sums.iter_mut().zip(&part.surplus).zip(&self.weights)
            {
                *sum += scale * surplus / weight;
            }
        }
        if let Some((sum, weight)) = self.sums.last_mut().zip(self.weights.last()) {
            *sum -= scale * self.program.capacity as f64 / weight;
        }
        self.isotonic.project(&mut self.sums, &self.weights);
    }

    /// Looks ahead in the direction of the round, or stands if it goes against the slope.
    fn accelerate(&mut self) {
        let steps = self.ahead.iter().zip(&self.sums).zip(&self.last).zip(&self.weights);
        let against: f64 =
            steps.map(|(((ahead, sum), last), weight)| weight * (ahead - sum) * (sum - last)).sum();
        if against > 0.0 {
            self.momentum = 1.0;
        }
        let next = 0.5 * (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt());
        let share = (self.momentum - 1.0) / next;
        (self.momentum, self.share) = (next, share);
        for ((ahead, sum), last) in self.ahead.iter_mut().zip(&self.sums).zip(&self.last) {
            *ahead = sum + share * (sum - last);
        }
    }

    /// The smoothed dual where it looks; the slope is left in the parts.
    fn answer(&mut self) -> f64 {
        let per_quantum = 1.0 / self.program.z() as f64;
        let rule = Smooth::new(per_quantum, self.width);
        let (program, ahead) = (self.program, self.ahead.as_slice());
        if self.threads == 1 || program.nodes.len() < SINGLE_THREADED {
            self.parts.iter_mut().for_each(|part| part.answer(program, ahead, rule));
        } else {
            let each = self.parts.len().div_ceil(self.threads);
            std::thread::scope(|scope| {
                for parts in self.parts.chunks_mut(each) {
                    scope.spawn(move || {
                        parts.iter_mut().for_each(|part| part.answer(program, ahead, rule));
                    });
                }
            });
        }
        let rent = ahead.last().copied().unwrap_or(0.0) * program.capacity as f64;
        self.parts.iter().map(|part| part.value).sum::<f64>() - rent
    }

    fn set_price(&mut self, price: f64) {
        for (row, sum) in self.sums.iter_mut().enumerate() {
            *sum = price * row as f64;
        }
        self.ahead.clone_from(&self.sums);
    }

    /// The best price that is the same at every row, by bisection of the slope.
    fn best_price(&mut self) -> f64 {
        const DOUBLINGS: u32 = 40;
        const HALVINGS: u32 = 16;
        const LEAST: f64 = 1e-8;
        self.width = 1e-9;
        let mut high = LEAST;
        for _ in 0..DOUBLINGS {
            if !self.pays_to_raise(high) {
                break;
            }
            high *= 2.0;
        }
        let mut low = if high > LEAST { high * 0.5 } else { 0.0 };
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.pays_to_raise(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether the dual rises with the price from `price` on.
    fn pays_to_raise(&mut self, price: f64) -> bool {
        self.set_price(price);
        self.answer();
        let held = self.parts.iter().map(|part| {
            let rows = part.surplus.iter().enumerate();
            rows.map(|(row, surplus)| row as f64 * surplus).sum::<f64>()
        });
        held.sum::<f64>() > f64::from(self.program.rows) * self.program.capacity as f64
    }
}

/// How many nodes arrive at each running sum or are used there.
fn weights(program: &Program) -> Vec<f64> {
    let mut weights = vec![0.0_f64; program.rows as usize + 1];
    for node in &program.nodes {
        weights[node.used as usize] += 1.0;
        if node.next != NONE {
            weights[node.arrival as usize] += 1.0;
        }
    }
    for weight in &mut weights {
        *weight = weight.max(1.0);
    }
    weights
}
