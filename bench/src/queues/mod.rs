//! Ranked queues against their peers: held at a size, filled and drained, served at both ends; and
//! how long the slowest pop of the hold model takes.
//!
//! Every subject sees the same random ranks. In the hold model the smallest is popped and pushed
//! again at its rank plus a uniform increment, so that the number of elements stays and the ranks
//! advance as a scheduler's do. The narrow case has increments up to 2^14, which a window of 2^15
//! ranks holds even in its two-halves form. The wide one has the largest increments, a power of
//! two, with which ranks stay within 32 bits until the end of the run (2^20 to 2^30, as there are
//! more generations in a small queue).

mod contender;
mod increments;
mod misses;
mod ours;
mod peers;
mod plot;
mod tiers;

use std::path::PathBuf;

use clap::Args;
use forebay_pifo::{CircularWindow, ExactQueue, RollingWindow, SampleQueue};

use crate::race::{self, Report, Subject};
use contender::{Entrant, Load, both_ends, warm_up};
use ours::{Club, WINDOW, Wide, Window};
use peers::min_max::MinMax;

/// What the caller of this race chooses.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    pub race: race::Options,
    /// The largest number of elements; ten million take several gigabytes and many minutes.
    #[arg(long, default_value_t = 10_000_000)]
    largest: u32,
    /// Draw the hold model with 32-bit ranks, time against size, into this SVG file.
    #[arg(long)]
    plot: Option<PathBuf>,
}

const SIZES: [u32; 5] = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

const HOLD_NARROW: &str = "hold, 2^15 window";
const HOLD_WIDE: &str = "hold, 32-bit ranks";

/// The increments of the narrow cases.
const NARROW: u32 = WINDOW as u32 / 2;

/// A case at one size.
type Case = fn(&mut Report, &race::Options, &str, u32);

/// Every case, with the sizes it is run at. (Two tiers name packets by 26 bits.)
const CASES: [(&str, Case, &[u32]); 8] = [
    (HOLD_NARROW, hold_narrow, &SIZES),
    (HOLD_WIDE, hold_wide, &SIZES),
    ("slowest pop, 32-bit ranks", slowest_wide, &[10_000, 100_000, 1_000_000]),
    ("fill and drain, 2^15 ranks", fill_narrow, &SIZES),
    ("fill and drain, 32-bit ranks", fill_wide, &SIZES),
    ("both ends, 2^15 ranks", both_narrow, &SIZES),
    ("both ends, 32-bit ranks", both_wide, &SIZES),
    ("two tiers, busy period", tiers::tiers, &[1_000, 100_000, 1_000_000]),
];

/// Runs every case that is wanted.
pub(crate) fn run(options: &Options) -> Report {
    let mut report = Report::default();
    for (name, case, sizes) in CASES.into_iter().filter(|case| options.race.wants(case.0)) {
        for &size in sizes.iter().filter(|&&size| size <= options.largest) {
            case(&mut report, &options.race, name, size);
        }
    }
    if options.race.wants(misses::CACHE_MISS) {
        misses::cache_misses(&mut report, &options.race);
    }
    if let Some(path) = &options.plot
        && let Err(error) = plot::draw(&report, HOLD_WIDE, path)
    {
        eprintln!("forebay-bench: cannot draw {}: {error}", path.display());
    }
    report
}

/// Ours for ranks of any width.
const WIDE: [Entrant; 4] = [
    Entrant::new::<Wide<SampleQueue<u32, u32>>>("SampleQueue", true),
    Entrant::new::<Wide<ExactQueue<u32, u32>>>("ExactQueue", true),
    Entrant::new::<Club<8>>("ClubHeap, K = 8", true),
    Entrant::new::<Club<16>>("ClubHeap, K = 16", true),
];

/// Ours for narrow ranks.
const WINDOWS: [Entrant; 2] = [
    Entrant::new::<Window<CircularWindow<u32>>>("CircularWindow", true),
    Entrant::new::<Window<RollingWindow<u32>>>("RollingWindow", true),
];

/// What `bench/instructions` counts under callgrind: the hold model on one of ours, without a
/// clock.
#[derive(Args, Clone, Debug)]
pub(crate) struct Instructions {
    /// The queue's name, as the race prints it.
    queue: String,
    /// How many elements it holds.
    #[arg(long, default_value_t = 100_000)]
    size: u32,
    /// How many times one is popped and pushed again.
    #[arg(long, default_value_t = 100_000)]
    operations: u32,
}

/// Holds once.
///
/// # Errors
/// One sentence if there is no such queue.
pub(crate) fn hold_once(options: &Instructions) -> Result<(), String> {
    let mut entrants = WINDOWS.into_iter().chain(WIDE).chain(peers::all());
    let Some(entrant) = entrants.find(|entrant| entrant.name == options.queue) else {
        let name = &options.queue;
        return Err(format!("there is no queue \"{name}\"; `queues` prints the names"));
    };
    let Instructions { size, operations, .. } = *options;
    entrant.hold(Load { size, span: NARROW, operations }).measure();
    Ok(())
}

/// Operations per round: enough for the clock, and for a good part of a generation, since some
/// queues do much at once and little for long.
fn operations(size: u32) -> u32 {
    size.clamp(200_000, 2_000_000)
}

/// The largest increments with which a run's ranks stay within 32 bits.
fn widest(size: u32, rounds: u32) -> u32 {
    let steps = u64::from(warm_up(size)) + u64::from(operations(size)) * u64::from(rounds + 1);
    // A generation advances the smallest rank by a little more than half an increment.
    let generations = steps / u64::from(size) + 3;
    1 << (u64::from(u32::MAX) / generations).max(2).ilog2()
}

fn hold_narrow(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: NARROW, operations: operations(size) };
    let entrants = WINDOWS.into_iter().chain(WIDE).chain(peers::all());
    let subjects = entrants.map(|entrant| entrant.hold(load)).collect();
    report.race((case, u64::from(size), "ns per pop+push"), options, subjects);
}

fn hold_wide(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: widest(size, options.rounds), operations: operations(size) };
    let entrants = WIDE.into_iter().chain(peers::all());
    let subjects = entrants.map(|entrant| entrant.hold(load)).collect();
    report.race((case, u64::from(size), "ns per pop+push"), options, subjects);
}

fn slowest_wide(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: widest(size, options.rounds), operations: operations(size) };
    let subjects = WIDE[..2].iter().map(|entrant| entrant.slowest_pop(load)).collect();
    report.race((case, u64::from(size), "us, the slowest pop"), options, subjects);
}

fn fill_narrow(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: NARROW, operations: 100_000 };
    let entrants = WINDOWS.into_iter().chain(WIDE).chain(peers::all());
    let subjects = entrants.map(|entrant| entrant.fill_and_drain(load)).collect();
    report.race((case, u64::from(size), "ns per element"), options, subjects);
}

fn fill_wide(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: 1 << 31, operations: 100_000 };
    let entrants = WIDE.into_iter().chain(peers::all());
    let subjects = entrants.map(|entrant| entrant.fill_and_drain(load)).collect();
    report.race((case, u64::from(size), "ns per element"), options, subjects);
}

fn both_narrow(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: NARROW, operations: 400_000 };
    let subjects = vec![
        Subject::ours("CircularWindow", both_ends::<Window<CircularWindow<u32>>>(load)),
        Subject::ours("ExactQueue", both_ends::<Wide<ExactQueue<u32, u32>>>(load)),
        Subject::peer("min-max-heap", both_ends::<MinMax>(load)),
    ];
    report.race((case, u64::from(size), "ns per pop+push"), options, subjects);
}

fn both_wide(report: &mut Report, options: &race::Options, case: &str, size: u32) {
    let load = Load { size, span: 1 << 31, operations: 400_000 };
    let subjects = vec![
        Subject::ours("ExactQueue", both_ends::<Wide<ExactQueue<u32, u32>>>(load)),
        Subject::peer("min-max-heap", both_ends::<MinMax>(load)),
    ];
    report.race((case, u64::from(size), "ns per pop+push"), options, subjects);
}
