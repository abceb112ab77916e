//! The access patterns by name, and how each is run and measured.
//!
//! Source: Themis (NSDI '26), Appendix A. The patterns themselves are `forebay_mem::patterns`; here
//! is what each figure or table reads off them. Time is linear in simulated clocks.

use forebay_lab::PolicyInfo;
use forebay_mem::patterns::{self, AccessLayout, BankSet, PatternError, PatternOutcome};
use forebay_parameters::UnknownName;
use forebay_units::{Bytes, Duration, Rate};

use super::config::Config;

/// The patterns, as an experiment file names them.
pub const POLICIES: &[PolicyInfo] = &[
    PolicyInfo::new(
        "one-bank",
        "1 bank",
        "Row after row of one bank in every pseudo channel, cell_bytes of each (Figure 15).",
    ),
    PolicyInfo::new(
        "one-bank-group",
        "1 group × 4 banks",
        "Rows of the four banks of one bank group in turn, cell_bytes of each (Figure 16).",
    ),
    PolicyInfo::new(
        "bank-groups",
        "4 groups × 1 bank",
        "Rows of one bank in each of four bank groups in turn, cell_bytes of each (Figure 17).",
    ),
    PolicyInfo::new(
        "all-banks",
        "4 groups × 4 banks",
        "Rows of all sixteen banks in turn, groups first, cell_bytes of each.",
    ),
    PolicyInfo::new(
        "best",
        "Best",
        "Read 1 MB from whole rows over all pseudo channels and banks (Table 2).",
    ),
    PolicyInfo::new(
        "worst",
        "Worst",
        "Read 1 MB from one bank of one pseudo channel, one access a row (Table 2).",
    ),
    PolicyInfo::new(
        "packet-worst",
        "Packet-granularity worst",
        "Read 1 MB as 2,048 B packets split over all pseudo channels, a row each, all rows in the \
              same bank (Table 2).",
    ),
    PolicyInfo::new(
        "ping-pong",
        "Read/write ping-pong",
        "One read, one write, one read … in an open row, strictly in that order.",
    ),
    PolicyInfo::new(
        "continuous",
        "Continuous",
        "Accesses of one direction in an open row, strictly in order.",
    ),
];

/// What is asked of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `cell_bytes` of each row, over a set of banks (Figures 15 to 17).
    Cells(BankSet),
    /// 1 MB, laid out as in Table 2.
    Table2(AccessLayout),
    /// Reads and writes in turn.
    PingPong,
    /// One direction only.
    Continuous,
}

/// What a pattern did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The rate of the whole device.
    pub device_rate: Rate,
    /// How long Table 2's 1 MB took; none for other patterns.
    pub latency: Option<Duration>,
    /// Bytes moved by one pseudo channel in use.
    pub moved: Bytes,
    /// Rows it opened.
    pub activations: u64,
}

/// What Table 2 moves.
const MEGABYTE: Bytes = Bytes::new(1 << 20);

impl Pattern {
    /// The pattern that one of [`POLICIES`] names.
    ///
    /// # Errors
    /// No pattern has this name.
    pub fn named(policy: &str) -> Result<Pattern, UnknownName> {
        match policy {
            "one-bank" => Ok(Pattern::Cells(BankSet::ONE_BANK)),
            "one-bank-group" => Ok(Pattern::Cells(BankSet::ONE_GROUP)),
            "bank-groups" => Ok(Pattern::Cells(BankSet::FOUR_GROUPS)),
            "all-banks" => Ok(Pattern::Cells(BankSet::ALL)),
            "best" => Ok(Pattern::Table2(AccessLayout::Best)),
            "worst" => Ok(Pattern::Table2(AccessLayout::Worst)),
            "packet-worst" => Ok(Pattern::Table2(AccessLayout::PacketWorst)),
            "ping-pong" => Ok(Pattern::PingPong),
            "continuous" => Ok(Pattern::Continuous),
            other => {
                let known = POLICIES.iter().map(|policy| &*policy.name);
                Err(UnknownName::new("access pattern", other, known))
            }
        }
    }
}

impl Config {
    /// Runs the pattern on one pseudo channel. O(clocks simulated).
    ///
    /// # Errors
    /// The memory or the controller is impossible, which [`Config::check`] finds first.
    pub fn run(&self) -> Result<Transfer, PatternError> {
        let Config { hbm, controller, direction, cell, .. } = self;
        match self.pattern {
            Pattern::Cells(banks) => {
                patterns::row_cells(hbm, controller, banks, *direction, *cell, self.activations)
                    .map(steady)
            }
            Pattern::Table2(layout) => patterns::table2(hbm, controller, layout).map(whole),
            Pattern::PingPong => patterns::ping_pong(hbm, self.accesses).map(steady),
            Pattern::Continuous => patterns::continuous(hbm, *direction, self.accesses).map(steady),
        }
    }
}

/// A pattern that goes on: its rate without start-up, and no latency.
fn steady(outcome: PatternOutcome) -> Transfer {
    Transfer {
        device_rate: outcome.device_rate(),
        latency: None,
        moved: outcome.moved,
        activations: outcome.stats.activations,
    }
}

/// A pattern that moves 1 MB and is over: start-up counts, and pseudo channels left idle count too.
fn whole(outcome: PatternOutcome) -> Transfer {
    Transfer {
        device_rate: Rate::mean(MEGABYTE, outcome.total),
        latency: Some(outcome.total),
        moved: outcome.moved,
        activations: outcome.stats.activations,
    }
}
