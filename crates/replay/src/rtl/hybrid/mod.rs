//! A capture through `rtl/tm_hybrid`, the traffic manager over SRAM and HBM, beside Themis's
//! manager of the library.
//!
//! The core runs as a Verilator model before a timing model of HBM, cycle by cycle, and
//! [`ThemisManager`](forebay_buffer::ThemisManager) is asked the same in each cycle. Compared are
//! every decision and every answer of the queue, with rank and tier; every verdict, departure and
//! drop; every byte that comes out; how many packets wait in each memory at each answer; free cells
//! and regions whenever nothing is under way; and at the end every counter.

mod config;
mod events;
mod follow;
#[cfg(test)]
mod tests;
mod totals;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

pub use config::HybridCoreConfig;
pub use totals::HybridTotals;

use super::difference::Difference;
use super::error::RtlError;
use super::model::{self, RtlTools};
use super::{Intake, Offered, as_text, run};
use crate::error::ReplayError;
use crate::plan::ReplayPlan;
use follow::Follower;

/// How a capture goes through the hybrid core.
#[derive(Clone, Debug)]
pub struct HybridRun {
    /// The core.
    pub core: HybridCoreConfig,
    /// A file for the core's signals, as FST, and the cycles of which it gets them.
    pub wave: Option<(PathBuf, Range<u64>)>,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HybridReport {
    /// Packets of the capture that have a port.
    pub offered: u64,
    /// Those without a port, which neither side was offered.
    pub no_route: u64,
    /// Of those offered: longer than the largest, which both refuse.
    pub too_long: u64,
    /// Of those offered: their rank is more than the core's field holds, and both sides get the
    /// most that it does.
    pub clamped: u64,
    /// The core's cycles.
    pub cycles: u64,
    /// What the core did.
    pub core: HybridTotals,
    /// What the library did.
    pub library: HybridTotals,
    /// Packets that were swapped out of SRAM, and into it.
    pub swapped_out: u32,
    /// Packets that were swapped in.
    pub swapped_in: u32,
    /// Bursts that were written to the HBM, and read from it, of a packet each.
    pub written: u32,
    /// Bursts that were read.
    pub read: u32,
    /// Of these bursts: how many found their row open.
    pub row_hits: u32,
    /// How many did not.
    pub row_misses: u32,
    /// Answers of the queue that were compared.
    pub answers_compared: u64,
    /// How often free cells and regions were compared.
    pub rests_compared: u64,
    /// The first difference, as a sentence; `None` if there is none.
    #[serde(serialize_with = "as_text")]
    pub difference: Option<Difference>,
    /// Whether everything was compared.
    pub finished: bool,
    /// The wave that could not be written to its end; what was seen is whole.
    #[serde(skip)]
    pub unwritten: Option<ReplayError>,
}

/// Runs `plan` through the core that `tools` build and through the library's manager, until
/// everything is compared, they differ, or `stop` is raised. Without a rule a packet's rank is its
/// class.
///
/// # Errors
/// What of the run does not fit, or the model that cannot be built or run.
pub fn run_hybrid(
    plan: &ReplayPlan<'_>,
    run: &HybridRun,
    tools: &RtlTools,
    stop: &AtomicBool,
) -> Result<HybridReport, RtlError> {
    let ports = plan.ports().len().min(usize::from(u16::MAX)) as u16;
    run.core.check(ports)?;
    let intake = Intake {
        clock: run.core.clock(),
        largest_bytes: run.core.largest_bytes,
        most: run.core.most_rank(),
        classes: u16::from(u8::MAX),
        field: &|_, class| class.into(),
    };
    let Offered { packets, no_route, clamped } = intake.packets(plan)?;
    let mut follower = Follower::new(&run.core, ports, &packets).map_err(RtlError::Broken)?;
    let parameters = run.core.parameters(ports);
    let program = tools.build("tm_hybrid", &parameters, run.wave.is_some(), stop)?;
    let shares: Vec<_> = plan.ports().iter().map(|rate| run.core.clock().share(*rate)).collect();
    if let Some((wave, _)) = &run.wave {
        let made = File::create(wave);
        made.map_err(|error| RtlError::File(ReplayError::unwritten(wave, &error)))?;
    }
    let child = model::start(&program, &shares, &[], run.wave.as_ref())?;
    let seen = run::follow(child, &packets, &mut follower, stop)?;
    let wave = run.wave.as_ref().filter(|_| seen.no_wave);
    let unwritten = wave
        .map(|(wave, _)| ReplayError::unwritten(wave, &io::Error::other("the signals do not fit")));
    let moves = follower.moves;
    Ok(HybridReport {
        offered: packets.len() as u64,
        no_route,
        too_long: follower.malformed.into(),
        clamped,
        cycles: seen.cycles,
        core: follower.core,
        library: follower.model(),
        swapped_out: moves.swapped_out,
        swapped_in: moves.swapped_in,
        written: moves.written,
        read: moves.read,
        row_hits: moves.row_hits,
        row_misses: moves.row_misses,
        answers_compared: moves.answers,
        rests_compared: moves.rests,
        finished: follower.ended || seen.difference.is_some(),
        difference: seen.difference,
        unwritten,
    })
}
