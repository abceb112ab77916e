//! The minimum distances between commands, and what of them can be set.

use forebay_parameters::{Configure, Kind, Parameter, ParameterError, Source, Walk, Word};
use forebay_units::Duration;

use crate::config::Refresh;

/// From where the write-to-read gap is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteToRead {
    /// From the write command to the read command, as Themis Appendix A reads ("write to read requires
    /// about 7.5 ns").
    CommandToCommand,
    /// From the end of the write's data, as JEDEC defines tWTR: `CWL + burst + tWTR` between commands.
    FromDataEnd,
}

impl Word for WriteToRead {
    const WORDS: &'static [(&'static str, Self)] =
        &[("command", WriteToRead::CommandToCommand), ("jedec", WriteToRead::FromDataEnd)];
}

/// The minimum distances between commands of one pseudo channel, in clocks unless a unit is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The clock period (625 ps: Themis Appendix A).
    pub t_ck: Duration,
    /// tRC: activate to activate, same bank (75; 46.875 ns).
    pub t_rc: u32,
    /// tRAS: activate to precharge, same bank (53).
    pub t_ras: u32,
    /// tRP: precharge to activate, same bank (22).
    pub t_rp: u32,
    /// tRCDRD: activate to read, same bank (22).
    pub t_rcd_rd: u32,
    /// tRCDWR: activate to write, same bank (18).
    pub t_rcd_wr: u32,
    /// tRTP: read to precharge, same bank (8).
    pub t_rtp: u32,
    /// tWR: end of write data to precharge, same bank (26).
    pub t_wr: u32,
    /// tCCD_S: column to column of one direction, different bank groups (2; the burst, so that the bus
    /// is full. Not stated in the paper, implied by 3.2 Tb/s).
    pub t_ccd_s: u32,
    /// tCCD_L: column to column of one direction, same bank group (4: Themis Appendix A).
    pub t_ccd_l: u32,
    /// tRRD_S: activate to activate, different bank groups (7).
    pub t_rrd_s: u32,
    /// tRRD_L: activate to activate, same bank group (7).
    pub t_rrd_l: u32,
    /// tFAW: at most four activates in any window of this length (26).
    pub t_faw: u32,
    /// Read command to write command (30: Themis Appendix A).
    pub t_rtw: u32,
    /// tWTR: write to read (12, which is 7.5 ns: Themis Appendix A), counted as [`Timing::write_to_read`]
    /// says.
    pub t_wtr: u32,
    /// How `t_wtr` is counted.
    pub write_to_read: WriteToRead,
    /// CL: read command to first data (22).
    pub cl: u32,
    /// CWL: write command to first data (8).
    pub cwl: u32,
    /// Clocks that one access holds the data bus (2: burst of 4 at double data rate).
    pub burst: u32,
    /// tREFI: mean distance of all-bank refreshes; a per-bank refresh comes every `tREFI / banks` (6240).
    pub t_refi: u32,
    /// tRFC: an all-bank refresh (560).
    pub t_rfc: u32,
    /// tRFCsb: a refresh of a single bank (256).
    pub t_rfc_sb: u32,
}

/// More clocks than any distance; sums of a few of them stay far from the end of the type.
const MAX: u32 = 1 << 24;

const APPENDIX: Source = Source::paper("themis App. A");
const PUBLIC: Source =
    Source::assumed("nanoseconds of public HBM2 models, in clocks of 0.625 ns (docs/hbm.md)");
const ACTIVATION: Source = Source::shown(
    "nanoseconds of public HBM2 models, in clocks of 0.625 ns (docs/hbm.md)",
    "themis/sensitivity-pattern-activation",
);

/// A distance in whole clocks.
const fn clocks(name: &'static str, source: Source, about: &'static str) -> Parameter {
    Parameter::new(name, Kind::Int { min: 1, max: MAX as i64 }, source, about)
}

const T_CK: Parameter = Parameter::new("t_ck", Kind::Duration, APPENDIX, "The clock period (tCK).");
const T_RC: Parameter = clocks(
    "t_rc",
    Source::shown(
        "32,768 row cycles make the 1.54 ms of Table 2; public HBM2 models: 47 ns",
        "themis/sensitivity-pattern-row-cycle",
    ),
    "Activate to activate, same bank (tRC).",
);
const T_RAS: Parameter = clocks("t_ras", PUBLIC, "Activate to precharge, same bank (tRAS).");
const T_RP: Parameter = clocks("t_rp", PUBLIC, "Precharge to activate, same bank (tRP).");
const T_RCD_RD: Parameter = clocks("t_rcd_rd", PUBLIC, "Activate to read, same bank (tRCDRD).");
const T_RCD_WR: Parameter = clocks("t_rcd_wr", PUBLIC, "Activate to write, same bank (tRCDWR).");
const T_RTP: Parameter = clocks("t_rtp", PUBLIC, "Read to precharge, same bank (tRTP).");
const T_WR: Parameter = clocks("t_wr", PUBLIC, "End of write data to precharge, same bank (tWR).");
const T_CCD_S: Parameter = clocks(
    "t_ccd_s",
    Source::shown(
        "not stated; 3.2 Tb/s needs an access every 2 clocks",
        "themis/sensitivity-pattern-column-gap",
    ),
    "Access to access of one direction, different bank groups (tCCD_S); sets the peak.",
);
const T_CCD_L: Parameter =
    clocks("t_ccd_l", APPENDIX, "Access to access of one direction, same bank group (tCCD_L).");
const T_RRD_S: Parameter =
    clocks("t_rrd_s", ACTIVATION, "Activate to activate, different bank groups (tRRD_S).");
const T_RRD_L: Parameter =
    clocks("t_rrd_l", ACTIVATION, "Activate to activate, same bank group (tRRD_L).");
const T_FAW: Parameter =
    clocks("t_faw", ACTIVATION, "At most four activates in such a window (tFAW).");
const T_RTW: Parameter = clocks("t_rtw", APPENDIX, "Read command to write command.");
const T_WTR: Parameter = clocks(
    "t_wtr",
    Source::paper("themis App. A: 7.5 ns"),
    "Write to read (tWTR), counted as write_to_read says.",
);
const CL: Parameter = clocks("cl", PUBLIC, "Read command to first data (CL).");
const CWL: Parameter = clocks("cwl", PUBLIC, "Write command to first data (CWL).");
const BURST: Parameter = clocks(
    "burst",
    Source::assumed("implied by 3.2 Tb/s: burst of 4 at double data rate"),
    "Clocks that one access holds the data bus.",
);
const T_REFI: Parameter = clocks(
    "t_refi",
    PUBLIC,
    "Mean distance of all-bank refreshes; those of single banks come every tREFI / banks.",
);
const T_RFC: Parameter = clocks("t_rfc", PUBLIC, "An all-bank refresh (tRFC).");
const T_RFC_SB: Parameter = clocks("t_rfc_sb", PUBLIC, "A refresh of a single bank (tRFCsb).");
const WRITE_TO_READ: Parameter = Parameter::new(
    "write_to_read",
    Kind::of::<WriteToRead>(),
    Source::shown(
        "\"write to read requires about 7.5 ns\", taken from command to command",
        "themis/sensitivity-pattern-write-to-read",
    ),
    "Whether tWTR counts from the write command or from the end of its data.",
);

impl Configure for Timing {
    /// All but the three that only a refresh reads: see `walk_refresh`.
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&T_CK, &mut self.t_ck);
        walk.field(&T_RC, &mut self.t_rc);
        walk.field(&T_RAS, &mut self.t_ras);
        walk.field(&T_RP, &mut self.t_rp);
        walk.field(&T_RCD_RD, &mut self.t_rcd_rd);
        walk.field(&T_RCD_WR, &mut self.t_rcd_wr);
        walk.field(&T_RTP, &mut self.t_rtp);
        walk.field(&T_WR, &mut self.t_wr);
        walk.field(&T_CCD_S, &mut self.t_ccd_s);
        walk.field(&T_CCD_L, &mut self.t_ccd_l);
        walk.field(&T_RRD_S, &mut self.t_rrd_s);
        walk.field(&T_RRD_L, &mut self.t_rrd_l);
        walk.field(&T_FAW, &mut self.t_faw);
        walk.field(&T_RTW, &mut self.t_rtw);
        walk.field(&T_WTR, &mut self.t_wtr);
        walk.field(&WRITE_TO_READ, &mut self.write_to_read);
        walk.field(&CL, &mut self.cl);
        walk.field(&CWL, &mut self.cwl);
        walk.field(&BURST, &mut self.burst);
    }
}

impl Timing {
    /// Shows the distances that `refresh` reads.
    pub(crate) fn walk_refresh(&mut self, refresh: Refresh, walk: &mut dyn Walk) {
        let all = walk.wants_all();
        if all || refresh != Refresh::Off {
            walk.field(&T_REFI, &mut self.t_refi);
        }
        if all || refresh == Refresh::AllBank {
            walk.field(&T_RFC, &mut self.t_rfc);
        }
        if all || refresh == Refresh::PerBank {
            walk.field(&T_RFC_SB, &mut self.t_rfc_sb);
        }
    }

    /// What the kinds of the parameters leave to check.
    pub(crate) fn validate(&self, refresh: Refresh, banks: u32) -> Result<(), ParameterError> {
        if self.t_ck == Duration::ZERO || self.t_ck.as_ps() > u64::from(MAX) {
            let most = Duration::from_ps(MAX.into());
            return Err(
                T_CK.refuse(format_args!("it is {}; set it from 1 ps to {most}", self.t_ck))
            );
        }
        at_least(&T_RC, self.t_rc, self.t_ras, "t_ras")?;
        at_least(&T_CCD_S, self.t_ccd_s, self.burst, "burst")?;
        at_least(&T_CCD_L, self.t_ccd_l, self.t_ccd_s, "t_ccd_s")?;
        at_least(&T_RRD_L, self.t_rrd_l, self.t_rrd_s, "t_rrd_s")?;
        // Between directions the data of the earlier access must have left the bus, and a bank group
        // must have had its tCCD_L.
        let after_read = (self.cl + self.burst).saturating_sub(self.cwl).max(self.t_ccd_l);
        let after_write = (self.cwl + self.burst).saturating_sub(self.cl).max(self.t_ccd_l);
        at_least(&T_RTW, self.t_rtw, after_read, "cl + burst - cwl and t_ccd_l")?;
        let added = self.write_to_read_clocks() - self.t_wtr;
        let after_write = after_write.saturating_sub(added);
        at_least(&T_WTR, self.t_wtr, after_write, "write to read: cwl + burst - cl and t_ccd_l")?;
        let busy = self.drain() + banks;
        match refresh {
            Refresh::Off => Ok(()),
            Refresh::AllBank => at_least(&T_REFI, self.t_refi, self.t_rfc + busy, REFRESH),
            Refresh::PerBank => {
                let between = busy.saturating_mul(banks).max(self.t_rfc_sb + busy);
                at_least(&T_REFI, self.t_refi, between, REFRESH)
            }
        }
    }

    /// Clocks from a write command to the next read command.
    #[must_use]
    pub const fn write_to_read_clocks(&self) -> u32 {
        match self.write_to_read {
            WriteToRead::CommandToCommand => self.t_wtr,
            WriteToRead::FromDataEnd => self.cwl + self.burst + self.t_wtr,
        }
    }

    /// Clocks that a bank can keep a refresh waiting: it was just activated, and then written.
    const fn drain(&self) -> u32 {
        self.t_rc + self.cwl + self.burst + self.t_wr + self.t_rtp + self.t_rp
    }
}

/// Why a refresh interval is too short.
const REFRESH: &str = "a refresh, and what t_rc and the other row timings keep it waiting";

/// Refuses a distance below `least`, which `why` makes.
fn at_least(
    parameter: &Parameter,
    value: u32,
    least: u32,
    why: &str,
) -> Result<(), ParameterError> {
    if value >= least {
        return Ok(());
    }
    Err(parameter.refuse(format_args!("it is {value}; set it from {least} ({why}) to {MAX}")))
}
