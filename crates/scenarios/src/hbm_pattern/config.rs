//! What can be set of an access pattern, and of the memory under it.
//!
//! The memory and its controller are those of `forebay_mem`, which declares their parameters; where
//! those of the patterns have reasons of their own, they stand here. Timing is in clocks of
//! 0.625 ns, as in the paper.

use forebay_mem::patterns::{AccessLayout, BankSet};
use forebay_mem::{ControllerConfig, Direction, HbmConfig};
use forebay_parameters::{Configure, Kind, Parameter, ParameterError, Source};
use forebay_units::Bytes;

use super::pattern::Pattern::{self, Cells, Continuous, PingPong, Table2};

/// Everything a pattern needs.
#[derive(Clone, Copy, Debug, Configure)]
#[parameter(group = "pattern.")]
pub struct Config {
    /// What is asked of the memory.
    #[parameter(skip)]
    pub pattern: Pattern,
    /// Bytes moved after each activation by one pseudo channel.
    #[parameter(name = "pattern.cell_bytes", only = matches!(self.pattern, Cells(_)))]
    #[parameter(paper = "themis App. A: x of Figures 15 to 17")]
    pub cell: Bytes,
    /// Which way data moves; ping-pong moves both ways and Table 2 always reads.
    #[parameter(only = matches!(self.pattern, Cells(_) | Continuous))]
    #[parameter(paper = "themis App. A: Figures 15 to 17")]
    pub direction: Direction,
    /// Cells moved by each pseudo channel in the patterns of Figures 15 to 17.
    #[parameter(source = MIDDLE, kind = COUNT, only = matches!(self.pattern, Cells(_)))]
    pub activations: u64,
    /// Accesses of 32 B by each pseudo channel in ping-pong and continuous.
    #[parameter(source = MIDDLE, kind = COUNT)]
    #[parameter(only = matches!(self.pattern, PingPong | Continuous))]
    pub accesses: u64,
    /// The controller of each pseudo channel; that of ping-pong and continuous is always in order.
    #[parameter(part = of_memory, only = matches!(self.pattern, Cells(_) | Table2(_)))]
    pub controller: ControllerConfig,
    /// Geometry and timing of the HBM that the pattern runs on.
    #[parameter(part = of_memory)]
    pub hbm: HbmConfig,
}

impl Config {
    /// A pattern on the memory that the paper measures.
    #[must_use]
    pub fn new(pattern: Pattern) -> Self {
        Config {
            pattern,
            hbm: HbmConfig::samsung_hbm2e(),
            controller: ControllerConfig::fr_fcfs(),
            direction: Direction::Read,
            cell: Bytes::new(1024),
            activations: 4000,
            accesses: 4000,
        }
    }
}

/// Enough for a middle half without start-up; few enough for a run of seconds.
const COUNT: Kind = Kind::Int { min: 256, max: 1_000_000 };
const MIDDLE: Source = Source::assumed("the middle half is measured, so the number hardly matters");

/// A parameter of the memory, with the experiment of the patterns that shows how much it matters.
fn of_memory(parameter: &Parameter) -> Parameter {
    let source = match parameter.word() {
        "lookahead" => {
            Source::shown("as far as the queue reaches", "themis/sensitivity-pattern-scheduler")
        }
        "page" => Source::shown(
            "not stated; changes nothing with a queue of 32",
            "themis/sensitivity-pattern-page",
        ),
        "refresh" => Source::shown(
            "the paper's 24 us leaves no room for it",
            "themis/sensitivity-pattern-refresh",
        ),
        "rows" => Source::assumed("makes the 16 GB of themis App. A; patterns wrap around"),
        _ => parameter.source,
    };
    Parameter { source, ..parameter.called(format!("hbm.{}", parameter.name)) }
}

impl Config {
    /// Refuses combinations that make no sense together.
    ///
    /// # Errors
    /// Names the parameter at fault and the fix.
    pub fn check(&self) -> Result<(), ParameterError> {
        self.hbm.validate()?;
        self.controller.validate()?;
        match self.pattern {
            Pattern::Cells(banks) => {
                self.check_cell()?;
                self.check_banks(banks)
            }
            Pattern::Table2(AccessLayout::Best) => self.check_banks(BankSet::ALL),
            Pattern::Table2(AccessLayout::Worst) => self.check_banks(BankSet::ONE_BANK),
            Pattern::Table2(AccessLayout::PacketWorst) => {
                let channels = self.hbm.geometry.pseudo_channels;
                let part = Bytes::new(2048 / u64::from(channels));
                if part > self.hbm.geometry.row_bytes {
                    let problem = format_args!(
                        "a packet of 2,048 B would need {part} of a row; give more of them"
                    );
                    return Err(ParameterError::value("pseudo_channels", problem));
                }
                self.check_banks(BankSet::ONE_BANK)
            }
            Pattern::PingPong | Pattern::Continuous => Ok(()),
        }
    }

    fn check_cell(&self) -> Result<(), ParameterError> {
        let (access, row) = (self.hbm.geometry.access_bytes, self.hbm.geometry.row_bytes);
        let whole = self.cell.get().is_multiple_of(access.get());
        if whole && self.cell >= access && self.cell <= row {
            return Ok(());
        }
        Err(Config::CELL.refuse(format_args!(
            "no row can give {} in accesses of {access}; give a multiple of {access} up to {row}",
            self.cell
        )))
    }

    /// The banks must be there, and rows in the queue must differ, or one activation would serve
    /// two cells.
    fn check_banks(&self, banks: BankSet) -> Result<(), ParameterError> {
        let geometry = &self.hbm.geometry;
        for (name, visited, there) in [
            ("bank_groups", banks.groups, geometry.bank_groups),
            ("banks_per_group", banks.banks_per_group, geometry.banks_per_group),
        ] {
            if visited > there {
                let problem = format_args!("it is {there}, but the pattern visits {visited}");
                return Err(ParameterError::value(name, problem));
            }
        }
        let held = self.controller.depth();
        if geometry.rows as usize > held {
            return Ok(());
        }
        let problem = format_args!(
            "the {held} requests that a controller holds would name one of {} rows twice; give \
             more rows than queue_depth",
            geometry.rows
        );
        Err(ParameterError::value("rows", problem))
    }
}
