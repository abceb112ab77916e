//! The solver's main loop: rounds of ascent, and now and then what their prices prove and lead to.

use std::ops::ControlFlow;

use super::ascent::Ascent;
use super::judges::{ByBalance, ByWorth};
use super::polish::polish;
use super::prices::{Priced, Prices};
use super::program::Program;
use super::search::search;
use super::sweep::{Plan, in_time, sweep};
use super::{Belatedly, BelatedlyError, Options, Progress, Solution, gap};
use crate::model::Schedule;

/// The first width of smoothing, as a share of Z.
const WIDEST: f64 = 0.25;

/// The least; rounds below it gain nothing.
const NARROWEST: f64 = 1e-6;

/// Rounds from one look at the prices to the next.
const ROUNDS_PER_LOOK: u32 = 40;

/// Rounds from one progress report to the next.
const ROUNDS_PER_REPORT: u32 = 10;

impl Belatedly {
    /// Narrows the bounds until the gap is small enough, the rounds are spent, or `progress`, which
    /// is called every ten rounds, breaks. The solution is valid whenever it ends.
    ///
    /// # Errors
    /// If an option is impossible or the checkpoint is that of another program.
    pub fn solve(
        &self,
        options: Options,
        mut progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Solution, BelatedlyError> {
        let program = &self.program;
        check(program, &options)?;
        let mut ascent = Ascent::new(program, options.threads, options.start.as_ref());
        let (mut round, width) =
            options.start.as_ref().map_or((0, WIDEST), |start| (start.rounds, start.width));
        let end = round.saturating_add(options.rounds);
        ascent.smooth(width);
        let mut bounds = Bounds::new(program);
        bounds.look(&ascent, round);
        while round < end && bounds.gap() > options.gap && ascent.width() >= NARROWEST {
            ascent.round();
            round += 1;
            if round.is_multiple_of(ROUNDS_PER_LOOK) {
                bounds.look(&ascent, round);
                if ascent.settled(bounds.dual) {
                    ascent.smooth(0.5 * ascent.width());
                }
            }
            if round.is_multiple_of(ROUNDS_PER_REPORT)
                && bounds.report(&ascent, round, &mut progress).is_break()
            {
                break;
            }
        }
        bounds.look(&ascent, round);
        Ok(bounds.finish(&ascent, round, &options))
    }
}

fn check(program: &Program, options: &Options) -> Result<(), BelatedlyError> {
    if options.threads == 0 {
        return Err(BelatedlyError::NoThreads);
    }
    if !(0.0..=1.0).contains(&options.gap) {
        return Err(BelatedlyError::Gap);
    }
    let rows = program.rows as usize;
    match &options.start {
        Some(start) if start.sums.len() != rows + 1 => {
            Err(BelatedlyError::OtherProgram { found: start.sums.len() - 1, rows })
        }
        _ => Ok(()),
    }
}

/// The best that is known.
struct Bounds<'a> {
    program: &'a Program,
    order: Vec<u32>,
    lower: i64,
    /// The exact dual value of the prices looked at last, in units of Z.
    dual: f64,
    plan: Plan,
    /// The prices that prove `lower`.
    prices: Prices,
    /// The round that was looked at last.
    round: Option<u32>,
}

impl<'a> Bounds<'a> {
    fn new(program: &'a Program) -> Self {
        Bounds {
            program,
            order: in_time(program),
            lower: i64::MIN,
            dual: 0.0,
            plan: Plan { cost: i64::MAX, ..Plan::default() },
            prices: Prices { sums: Vec::new(), rounds: 0, width: WIDEST },
            round: None,
        }
    }

    /// Looks at what the prices of `ascent` prove and lead to.
    fn look(&mut self, ascent: &Ascent<'_>, round: u32) {
        if self.round == Some(round) {
            return;
        }
        self.round = Some(round);
        let prices = ascent.prices(round);
        let priced = Priced::new(self.program, &prices);
        let judge = &mut ByWorth { program: self.program, priced: &priced };
        self.take(sweep(self.program, &self.order, judge));
        self.dual = priced.dual(self.program);
        if priced.lower > self.lower {
            (self.lower, self.prices) = (priced.lower, prices);
        }
    }

    fn take(&mut self, plan: Plan) {
        if plan.cost < self.plan.cost {
            self.plan = plan;
        }
    }

    fn gap(&self) -> f64 {
        gap(self.program.span(self.lower), self.program.span(self.plan.cost))
    }

    fn report(
        &self,
        ascent: &Ascent<'_>,
        round: u32,
        progress: &mut impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let prices = ascent.prices(round);
        let (lower, upper) = (self.program.span(self.lower), self.program.span(self.plan.cost));
        progress(&Progress { round, lower, upper, prices: &prices })
    }

    /// Rounds the paper's way too, and searches if that can close the gap.
    fn finish(mut self, ascent: &Ascent<'_>, round: u32, options: &Options) -> Solution {
        let mut judge = ByBalance::new(self.program, &ascent.prices(round), options.seed);
        let rounded = sweep(self.program, &self.order, &mut judge);
        let rounded_cost = rounded.cost;
        self.take(rounded);
        if self.gap() > options.gap {
            let priced = Priced::new(self.program, &self.prices);
            if options.polish {
                self.take(polish(self.program, &priced, &self.plan, options.seed));
            }
            let found = search(self.program, &self.order, &priced, self.plan.cost, options.search);
            self.lower = self.lower.max(found.lower);
            if let Some(plan) = found.better {
                self.plan = plan;
            }
        }
        let span = |cost| self.program.span(cost);
        Solution {
            lower: span(self.lower),
            upper: span(self.plan.cost),
            rounded: span(rounded_cost),
            schedule: Schedule { decisions: self.plan.decisions },
            prices: self.prices,
            rounds: round,
        }
    }
}
