//! The parameters of the access-pattern experiments, where each comes from, and the memory they make.
//!
//! Source: Themis (NSDI '26), Appendix A, for what it states; docs/hbm.md for the rest. Timing is in
//! clocks of 0.625 ns, as in the paper. Reading and checking take constant time.

use forebay_lab::DefaultSource::{self, Paper};
use forebay_lab::{ConfigError, Kind, ParamSpec, Resolved, assumed, param, shown};
use forebay_mem::{
    ControllerConfig, Direction, HbmConfig, PagePolicy, Refresh, Scheduling, WriteToRead,
};
use forebay_parameters::ParameterError;
use forebay_units::Bytes;

use super::pattern::Pattern;

const APPENDIX: DefaultSource = Paper("themis App. A");
const PUBLIC: DefaultSource =
    assumed("nanoseconds of public HBM2 models, in clocks of 0.625 ns (docs/hbm.md)");
const ACTIVATION: DefaultSource = shown(
    "nanoseconds of public HBM2 models, in clocks of 0.625 ns (docs/hbm.md)",
    "themis/sensitivity-pattern-activation",
);
const CLOCKS: Kind = Kind::Int { min: 1, max: 10_000 };
/// Enough for a middle half without start-up; few enough for a run of seconds.
const COUNT: Kind = Kind::Int { min: 256, max: 1_000_000 };

/// Every parameter. `timing.*` are clocks (tCK) of 0.625 ns, named as the fields of
/// [`forebay_mem::Timing`].
pub const PARAMS: &[ParamSpec] = &[
    param(
        "pattern.cell_bytes",
        Kind::Bytes,
        "1 KiB",
        Paper("themis App. A: x of Figures 15 to 17"),
        "Bytes moved after each activation by one pseudo channel (one-bank, one-bank-group, \
         bank-groups, all-banks).",
    ),
    param(
        "pattern.direction",
        Kind::Choice(&["read", "write"]),
        "read",
        Paper("themis App. A: Figures 15 to 17"),
        "Which way data moves; ping-pong moves both ways and Table 2 always reads.",
    ),
    param(
        "pattern.activations",
        COUNT,
        "4000",
        assumed("the middle half is measured, so the number hardly matters"),
        "Cells moved by each pseudo channel in the patterns of Figures 15 to 17.",
    ),
    param(
        "pattern.accesses",
        COUNT,
        "4000",
        assumed("the middle half is measured, so the number hardly matters"),
        "Accesses of 32 B by each pseudo channel in ping-pong and continuous.",
    ),
    param(
        "hbm.scheduling",
        Kind::Choice(&["in-order", "fr-fcfs"]),
        "fr-fcfs",
        shown(
            "not stated; only interleaved bank groups reach 2.64 us",
            "themis/sensitivity-pattern-scheduler",
        ),
        "How the controller orders commands; ping-pong and continuous are always in order.",
    ),
    param(
        "hbm.queue_depth",
        Kind::Int { min: 1, max: 64 },
        "32",
        shown("not stated; usual for a controller", "themis/sensitivity-pattern-scheduler"),
        "Requests that the controller of a pseudo channel holds.",
    ),
    param(
        "hbm.lookahead",
        Kind::Int { min: 0, max: 63 },
        "63",
        shown("as far as the queue reaches", "themis/sensitivity-pattern-scheduler"),
        "Requests behind the first whose rows an in-order controller opens early, of those it holds.",
    ),
    param(
        "hbm.page",
        Kind::Choice(&["open", "closed"]),
        "open",
        shown("not stated; changes nothing with a queue of 32", "themis/sensitivity-pattern-page"),
        "Whether a row stays open after a request.",
    ),
    param(
        "hbm.refresh",
        Kind::Choice(&["off", "all-bank", "per-bank"]),
        "off",
        shown("the paper's 24 us leaves no room for it", "themis/sensitivity-pattern-refresh"),
        "Refresh.",
    ),
    param(
        "hbm.write_to_read",
        Kind::Choice(&["command", "jedec"]),
        "command",
        shown(
            "\"write to read requires about 7.5 ns\", taken from command to command",
            "themis/sensitivity-pattern-write-to-read",
        ),
        "Whether tWTR counts from the write command or from the end of its data.",
    ),
    param(
        "hbm.rows",
        Kind::Int { min: 1, max: 1 << 20 },
        "65536",
        assumed("makes the 16 GB of themis App. A; patterns wrap around"),
        "Rows per bank.",
    ),
    param(
        "timing.t_rc",
        CLOCKS,
        "75",
        shown(
            "32,768 row cycles make the 1.54 ms of Table 2; public HBM2 models: 47 ns",
            "themis/sensitivity-pattern-row-cycle",
        ),
        "tRC: activate to activate, same bank.",
    ),
    param("timing.t_ras", CLOCKS, "53", PUBLIC, "tRAS: activate to precharge, same bank."),
    param("timing.t_rp", CLOCKS, "22", PUBLIC, "tRP: precharge to activate, same bank."),
    param("timing.t_rcd_rd", CLOCKS, "22", PUBLIC, "tRCDRD: activate to read, same bank."),
    param("timing.t_rcd_wr", CLOCKS, "18", PUBLIC, "tRCDWR: activate to write, same bank."),
    param("timing.t_rtp", CLOCKS, "8", PUBLIC, "tRTP: read to precharge, same bank."),
    param("timing.t_wr", CLOCKS, "26", PUBLIC, "tWR: end of write data to precharge, same bank."),
    param(
        "timing.t_ccd_s",
        CLOCKS,
        "2",
        shown(
            "not stated; 3.2 Tb/s needs an access every 2 clocks",
            "themis/sensitivity-pattern-column-gap",
        ),
        "tCCD_S: access to access of one direction, different bank groups; sets the peak.",
    ),
    param(
        "timing.t_ccd_l",
        CLOCKS,
        "4",
        APPENDIX,
        "tCCD_L: access to access of one direction, same bank group.",
    ),
    param(
        "timing.t_rrd_s",
        CLOCKS,
        "7",
        ACTIVATION,
        "tRRD_S: activate to activate, different bank groups.",
    ),
    param(
        "timing.t_rrd_l",
        CLOCKS,
        "7",
        ACTIVATION,
        "tRRD_L: activate to activate, same bank group.",
    ),
    param(
        "timing.t_faw",
        CLOCKS,
        "26",
        ACTIVATION,
        "tFAW: at most four activates in such a window.",
    ),
    param("timing.t_rtw", CLOCKS, "30", APPENDIX, "Read command to write command."),
    param(
        "timing.t_wtr",
        CLOCKS,
        "12",
        Paper("themis App. A: 7.5 ns"),
        "tWTR: write to read, counted as hbm.write_to_read says.",
    ),
];

/// Everything a pattern needs, read from the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The memory.
    pub hbm: HbmConfig,
    /// The controller of each pseudo channel.
    pub controller: ControllerConfig,
    /// Which way data moves.
    pub direction: Direction,
    /// Bytes moved after each activation.
    pub cell: Bytes,
    /// Cells moved by a pseudo channel.
    pub activations: u64,
    /// Accesses in the turnaround patterns.
    pub accesses: u64,
}

impl Setup {
    /// Reads the parameters.
    ///
    /// # Errors
    /// A parameter is not declared as it is read; none is in [`PARAMS`].
    pub fn new(params: &Resolved) -> Result<Self, ConfigError> {
        Ok(Setup {
            hbm: hbm(params)?,
            controller: controller(params)?,
            direction: match params.text("direction")? {
                "write" => Direction::Write,
                _ => Direction::Read,
            },
            cell: params.bytes("cell_bytes")?,
            activations: params.count("activations")?,
            accesses: params.count("accesses")?,
        })
    }

    /// Refuses combinations that make no sense together.
    ///
    /// # Errors
    /// Names the parameter at fault and the fix.
    pub fn check(&self, params: &Resolved, pattern: Pattern) -> Result<(), ConfigError> {
        self.hbm.validate().map_err(|error| blame(params, &error))?;
        self.controller.validate().map_err(|error| blame(params, &error))?;
        match pattern {
            Pattern::Cells(_) => {
                self.check_cell(params)?;
                self.check_rows(params)
            }
            Pattern::Table2(_) if self.direction == Direction::Write => {
                let message = "`direction` is write, but the patterns of Table 2 read";
                let fix = "set direction = \"read\", or leave best, worst and packet-worst out";
                Err(params.blame("direction", message).fix(fix))
            }
            Pattern::Table2(_) => self.check_rows(params),
            Pattern::PingPong | Pattern::Continuous => Ok(()),
        }
    }

    fn check_cell(&self, params: &Resolved) -> Result<(), ConfigError> {
        let (access, row) = (self.hbm.geometry.access_bytes, self.hbm.geometry.row_bytes);
        let whole = self.cell.get().is_multiple_of(access.get());
        if whole && self.cell >= access && self.cell <= row {
            return Ok(());
        }
        let message =
            format!("`cell_bytes` is {}, which no row can give in accesses of {access}", self.cell);
        let fix = format!("give a multiple of {access} up to {row}");
        Err(params.blame("cell_bytes", message).fix(fix))
    }

    /// Rows in the queue must differ, or one activation would serve two cells.
    fn check_rows(&self, params: &Resolved) -> Result<(), ConfigError> {
        let (rows, held) = (self.hbm.geometry.rows, self.controller.queue_depth);
        if rows as usize > held {
            return Ok(());
        }
        let message = format!(
            "`rows` is {rows}, so the {held} requests a controller holds would name a row twice"
        );
        Err(params.blame("rows", message).fix("give more rows than queue_depth"))
    }
}

/// The memory's complaint, at the parameter it is about: they have the same names here.
fn blame(params: &Resolved, error: &ParameterError) -> ConfigError {
    if error.name() == "t_refi" {
        // The refresh interval is the part's and no parameter: what the row timing leaves of it is.
        let message = "`refresh` finds no time between row cycles this long";
        let fix = "shorten t_rc and the other row timings, or set refresh = \"off\"";
        return params.blame("refresh", message).fix(fix);
    }
    params.blame(error.name(), error.to_string())
}

fn hbm(params: &Resolved) -> Result<HbmConfig, ConfigError> {
    let clocks = |name: &str| params.count(name).map(|clocks| clocks as u32);
    let mut hbm = HbmConfig::samsung_hbm2e();
    hbm.geometry.rows = params.count("rows")? as u32;
    hbm.refresh = match params.text("refresh")? {
        "all-bank" => Refresh::AllBank,
        "per-bank" => Refresh::PerBank,
        _ => Refresh::Off,
    };
    let timing = &mut hbm.timing;
    timing.t_rc = clocks("t_rc")?;
    timing.t_ras = clocks("t_ras")?;
    timing.t_rp = clocks("t_rp")?;
    timing.t_rcd_rd = clocks("t_rcd_rd")?;
    timing.t_rcd_wr = clocks("t_rcd_wr")?;
    timing.t_rtp = clocks("t_rtp")?;
    timing.t_wr = clocks("t_wr")?;
    timing.t_ccd_s = clocks("t_ccd_s")?;
    timing.t_ccd_l = clocks("t_ccd_l")?;
    timing.t_rrd_s = clocks("t_rrd_s")?;
    timing.t_rrd_l = clocks("t_rrd_l")?;
    timing.t_faw = clocks("t_faw")?;
    timing.t_rtw = clocks("t_rtw")?;
    timing.t_wtr = clocks("t_wtr")?;
    timing.write_to_read = match params.text("write_to_read")? {
        "jedec" => WriteToRead::FromDataEnd,
        _ => WriteToRead::CommandToCommand,
    };
    Ok(hbm)
}

fn controller(params: &Resolved) -> Result<ControllerConfig, ConfigError> {
    Ok(ControllerConfig {
        queue_depth: params.count("queue_depth")? as usize,
        scheduling: match params.text("scheduling")? {
            "in-order" => Scheduling::InOrder { lookahead: params.count("lookahead")? as usize },
            _ => ControllerConfig::fr_fcfs().scheduling,
        },
        page: match params.text("page")? {
            "closed" => PagePolicy::Closed,
            _ => PagePolicy::Open,
        },
    })
}
