//! ABM's threshold without a division (Addanki et al., SIGCOMM '22): T = α · free · µ / n_p.
//!
//! | | the policy `abm` | here |
//! |---|---|---|
//! | α · free | exact | exact: α is a power of two |
//! | n_p | a sum of parts: each queue's length over `congested`, at most 1 | a number: the queues of at least `congested` cells |
//! | 1 / n_p | exact | [`ShareShifts`]: the nearest of 2^-a and 2^-a + 2^-b with b ≤ a + 3, within a seventh |
//! | µ | exact, over the time since the first arrival after an interval | [`DrainShift`]: the nearest of 1, 1/2, 1/4 … of `port_cells`, within a third of itself, over intervals of the clock |
//! | when | n_p and µ at this arrival | as they stood two cycles before the decision; `free` one cycle before |
//!
//! Both count a drain rate that is above 1 or below 1 / classes as 1, and bring a queue's part of
//! n_p up to date when a packet arrives at it.

use alloc::vec;
use alloc::vec::Vec;

use forebay_parameters::{Configure, ParameterError, check};

use super::AdmissionPipelineConfig;
use crate::threshold::Alpha;

/// Parameters of ABM's core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct AbmPipelineConfig {
    /// α as a power of two.
    #[parameter(paper = "occamy §6.2: 2", range = 0..=15, default = 1)]
    pub alpha_log2: u32,
    /// Classes as a power of two; a queue's class is its number modulo them.
    #[parameter(assumed = "8 queues a port", range = 0..=3, default = 3)]
    pub classes_log2: u32,
    /// From so many cells on a queue counts as congested.
    #[parameter(
        assumed = "28 kB of 200 B, what its authors' simulator has",
        range = 1..=65535,
        default = 140
    )]
    pub congested: u32,
    /// Cycles of the interval over which drain rates are measured, as a power of two; at least one
    /// cycle a queue.
    #[parameter(assumed = "80 us (occamy §6.4) and more at 150 MHz", range = 1..=24, default = 14)]
    pub interval_log2: u32,
    /// Cells that a port sends in an interval.
    #[parameter(assumed = "10 Gb/s at 150 MHz", range = 1..=65535, default = 682)]
    pub port_cells: u32,
}

/// 1 / n as one power of two or the sum of two, the nearest: 2^-first · (1 + 2^-more), and without
/// the second where `more` is 0.
///
/// ```
/// use forebay_buffer::onchip::{DrainShift, ShareShifts};
///
/// let part = |queues: u32| ShareShifts::nearest(queues).of(4096, DrainShift::FULL);
/// assert_eq!([1, 2, 4, 64].map(part), [4096, 2048, 1024, 64]); // exact
/// assert_eq!([3, 5, 7].map(part), [1280, 768, 576]); // for 1365, 819, 585
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareShifts {
    first: u32,
    more: u32,
}

impl ShareShifts {
    /// Of at most 512 queues.
    const DEEPEST: u32 = 9;
    /// The second power is at most an eighth of the first, or half, or a quarter.
    const MORE: u32 = 3;

    /// For n = `queues`, from 1 to 512; of two that are as near the smaller. O(1).
    #[must_use]
    pub const fn nearest(queues: u32) -> Self {
        let one = 1 << (Self::DEEPEST + Self::MORE);
        let mut best = ShareShifts { first: Self::DEEPEST, more: 0 };
        let mut least = u32::MAX;
        // From small to large values: 0, 3, 2, 1 behind each first power.
        let mut first = Self::DEEPEST + 1;
        while first > 0 {
            first -= 1;
            let mut step = 0;
            while step <= Self::MORE {
                let more = if step == 0 { 0 } else { Self::MORE + 1 - step };
                let second = if more == 0 { 0 } else { (1 << Self::MORE) >> more };
                let value = ((1 << Self::MORE) + second) << (Self::DEEPEST - first);
                let off = (queues * value).abs_diff(one);
                if off < least {
                    (least, best) = (off, ShareShifts { first, more });
                }
                step += 1;
            }
        }
        best
    }

    /// This part of `cells`, at this drain rate; each power of two is rounded down.
    #[must_use]
    pub const fn of(self, cells: u32, drain: DrainShift) -> u32 {
        let first = self.first + drain.0;
        let second = if self.more == 0 { 0 } else { cells >> (first + self.more) };
        (cells >> first) + second
    }
}

/// A drain rate as a power of two, 2^-shift of the port's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainShift(u32);

impl DrainShift {
    /// The whole rate of the port.
    pub const FULL: DrainShift = DrainShift(0);

    /// The nearest to `cells` of `port_cells`; above the whole, or below the part of one of
    /// 2^`classes_log2` classes, it counts as the whole.
    #[must_use]
    pub const fn nearest(cells: u32, port_cells: u32, classes_log2: u32) -> Self {
        let (cells, port) = (cells as u64, port_cells as u64);
        let mut shift = 0;
        if cells << classes_log2 >= port {
            // Three quarters of a power is as near to it as to its half.
            while shift < classes_log2 && cells << (shift + 2) < 3 * port {
                shift += 1;
            }
        }
        DrainShift(shift)
    }
}

/// What ABM keeps of each queue and class.
#[derive(Clone, Debug)]
pub(super) struct AbmState {
    config: AbmPipelineConfig,
    alpha: Alpha,
    /// A queue was congested when a packet last arrived at it.
    congested: Vec<bool>,
    /// How many of each class are.
    counts: Vec<u32>,
    drain: Vec<DrainShift>,
    /// Cells that have left, modulo a power of two; now, and when the queue was last swept.
    gone: Vec<u32>,
    swept_gone: Vec<u32>,
    wrap: u32,
    clock: u32,
    /// A queue that has been swept, and what left it since the last time.
    swept: Option<(u32, u32)>,
    /// A queue that an arrival was decided for, and whether it is congested.
    decided: Option<(u32, bool)>,
}

impl AbmState {
    pub(super) fn new(
        pipeline: &AdmissionPipelineConfig,
        config: &AbmPipelineConfig,
    ) -> Result<Self, ParameterError> {
        check(&mut config.clone())?;
        if config.congested > pipeline.cells {
            return Err(AbmPipelineConfig::CONGESTED.refuse(format_args!(
                "no queue holds {} cells; give at most {}",
                config.congested, pipeline.cells
            )));
        }
        if pipeline.queues > 1 << config.interval_log2 {
            return Err(AbmPipelineConfig::INTERVAL_LOG2.refuse(format_args!(
                "{} queues do not pass in 2^{} cycles; give at least {}",
                pipeline.queues,
                config.interval_log2,
                pipeline.queues.next_power_of_two().ilog2()
            )));
        }
        // A bit more than lengths have.
        let wrap = (2 << (pipeline.cells.ilog2() + 1)) - 1;
        if config.port_cells >= wrap {
            return Err(AbmPipelineConfig::PORT_CELLS.refuse(format_args!(
                "{} cells in an interval are more than the counters of {} cells tell apart; give at \
                 most {}",
                config.port_cells,
                pipeline.cells,
                wrap - 1
            )));
        }
        let queues = pipeline.queues as usize;
        Ok(AbmState {
            config: *config,
            alpha: Alpha::power_of_two(config.alpha_log2 as i32),
            congested: vec![false; queues],
            counts: vec![0; 1 << config.classes_log2],
            drain: vec![DrainShift::FULL; queues],
            gone: vec![0; queues],
            swept_gone: vec![0; queues],
            wrap,
            clock: 0,
            swept: None,
            decided: None,
        })
    }

    fn class(&self, queue: u32) -> usize {
        queue as usize % self.counts.len()
    }

    /// 1 / n_p and µ for a packet of `queue`.
    pub(super) fn look_up(&self, queue: u32) -> (ShareShifts, DrainShift) {
        let congested = self.counts[self.class(queue)].max(1);
        (ShareShifts::nearest(congested), self.drain[queue as usize])
    }

    /// T with `free` free cells.
    pub(super) fn threshold(&self, free: u32, share: ShareShifts, drain: DrainShift) -> u32 {
        share.of(self.alpha.threshold(free), drain)
    }

    /// A cycle: the sweep goes on, and n_p takes in what was decided in the last one. `decided`: a
    /// queue that is decided for in this cycle, and its length without the packet.
    pub(super) fn cycle(&mut self, decided: Option<(u32, u32)>) {
        if let Some((queue, congested)) = self.decided {
            let class = self.class(queue);
            let was = core::mem::replace(&mut self.congested[queue as usize], congested);
            self.counts[class] = self.counts[class] + u32::from(congested) - u32::from(was);
        }
        self.decided = decided.map(|(queue, length)| (queue, length >= self.config.congested));

        if let Some((queue, cells)) = self.swept {
            self.drain[queue as usize] =
                DrainShift::nearest(cells, self.config.port_cells, self.config.classes_log2);
        }
        self.swept = ((self.clock as usize) < self.gone.len()).then(|| {
            let (queue, now) = (self.clock as usize, self.gone[self.clock as usize]);
            let before = core::mem::replace(&mut self.swept_gone[queue], now);
            (self.clock, now.wrapping_sub(before) & self.wrap)
        });
        self.clock = (self.clock + 1) & ((1 << self.config.interval_log2) - 1);
    }

    /// Cells leave `queue`; in a cycle after [`AbmState::cycle`].
    pub(super) fn taken(&mut self, queue: u32, cells: u32) {
        let gone = &mut self.gone[queue as usize];
        *gone = (*gone + cells) & self.wrap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_within_a_seventh_and_powers_of_two_are_exact() {
        for queues in 1u32..=512 {
            let share = ShareShifts::nearest(queues);
            let part = f64::from(share.of(1 << 24, DrainShift::FULL)) / f64::from(1 << 24);
            let off = (part * f64::from(queues) - 1.0).abs();
            assert!(off <= 1.0 / 7.0 + 1e-9, "{queues}: {off}");
            if queues.is_power_of_two() {
                assert_eq!(part, 1.0 / f64::from(queues));
            }
        }
    }

    #[test]
    fn a_drain_rate_is_the_nearest_power_of_two_and_what_cannot_be_is_the_whole() {
        for (port, classes_log2) in [(1u32, 0), (7, 3), (64, 3), (682, 3), (682, 1), (1000, 2)] {
            for cells in 0..2 * port {
                let DrainShift(shift) = DrainShift::nearest(cells, port, classes_log2);
                let rate = f64::from(cells) / f64::from(port);
                if rate > 1.0 || rate * f64::from(1 << classes_log2) < 1.0 {
                    assert_eq!(shift, 0, "{cells} of {port}");
                    continue;
                }
                let distance = |shift: u32| (rate - 0.5f64.powi(shift as i32)).abs();
                let best = (0..=classes_log2).map(distance).fold(f64::MAX, f64::min);
                assert!(distance(shift) <= best + 1e-12, "{cells} of {port}: 2^-{shift}");
            }
        }
    }
}
