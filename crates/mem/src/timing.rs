//! The minimum distances between commands, and what of them can be set.

use forebay_parameters::{Configure, Parameter, ParameterError, Source, Walk, Word};
use forebay_units::Duration;

use crate::config::Refresh;

/// From where the write-to-read gap is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum WriteToRead {
    /// From the write command to the read command, as Themis Appendix A reads ("write to read
    /// requires about 7.5 ns").
    #[word = "command"]
    CommandToCommand,
    /// From the end of the write's data, as JEDEC defines tWTR: `CWL + burst + tWTR` between
    /// commands.
    #[word = "jedec"]
    FromDataEnd,
}

/// The minimum distances between commands of one pseudo channel, in clocks unless a unit is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct Timing {
    /// The clock period (tCK).
    #[parameter(source = APPENDIX)]
    pub t_ck: Duration,
    /// Activate to activate, same bank (tRC).
    #[parameter(range = 1..=MAX)]
    #[parameter(
        assumed = "32,768 row cycles make the 1.54 ms of Table 2; public HBM2 models: 47 ns",
        sensitivity = "themis/sensitivity-pattern-row-cycle"
    )]
    pub t_rc: u32,
    /// Activate to precharge, same bank (tRAS).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub t_ras: u32,
    /// Precharge to activate, same bank (tRP).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub t_rp: u32,
    /// Activate to read, same bank (tRCDRD).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub t_rcd_rd: u32,
    /// Activate to write, same bank (tRCDWR).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub t_rcd_wr: u32,
    /// Read to precharge, same bank (tRTP).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub t_rtp: u32,
    /// End of write data to precharge, same bank (tWR).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub t_wr: u32,
    /// Access to access of one direction, different bank groups (tCCD_S); sets the peak.
    #[parameter(range = 1..=MAX)]
    #[parameter(
        assumed = "not stated; 3.2 Tb/s needs an access every 2 clocks",
        sensitivity = "themis/sensitivity-pattern-column-gap"
    )]
    pub t_ccd_s: u32,
    /// Access to access of one direction, same bank group (tCCD_L).
    #[parameter(source = APPENDIX, range = 1..=MAX)]
    pub t_ccd_l: u32,
    /// Activate to activate, different bank groups (tRRD_S).
    #[parameter(source = ACTIVATION, range = 1..=MAX)]
    pub t_rrd_s: u32,
    /// Activate to activate, same bank group (tRRD_L).
    #[parameter(source = ACTIVATION, range = 1..=MAX)]
    pub t_rrd_l: u32,
    /// At most four activates in such a window (tFAW).
    #[parameter(source = ACTIVATION, range = 1..=MAX)]
    pub t_faw: u32,
    /// Read command to write command.
    #[parameter(source = APPENDIX, range = 1..=MAX)]
    pub t_rtw: u32,
    /// Write to read (tWTR), counted as write_to_read says.
    #[parameter(paper = "themis App. A: 7.5 ns", range = 1..=MAX)]
    pub t_wtr: u32,
    /// Whether tWTR counts from the write command or from the end of its data.
    #[parameter(
        assumed = "\"write to read requires about 7.5 ns\", taken from command to command",
        sensitivity = "themis/sensitivity-pattern-write-to-read"
    )]
    pub write_to_read: WriteToRead,
    /// Read command to first data (CL).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub cl: u32,
    /// Write command to first data (CWL).
    #[parameter(source = PUBLIC, range = 1..=MAX)]
    pub cwl: u32,
    /// Clocks for which one access occupies the data bus.
    #[parameter(assumed = "implied by 3.2 Tb/s: burst of 4 at double data rate", range = 1..=MAX)]
    pub burst: u32,
    /// Mean time between all-bank refreshes; single banks are refreshed every tREFI / banks.
    #[parameter(source = PUBLIC, range = 1..=MAX, apart)]
    pub t_refi: u32,
    /// An all-bank refresh (tRFC).
    #[parameter(source = PUBLIC, range = 1..=MAX, apart)]
    pub t_rfc: u32,
    /// A refresh of a single bank (tRFCsb).
    #[parameter(source = PUBLIC, range = 1..=MAX, apart)]
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

impl Timing {
    /// Shows the distances that `refresh` reads.
    pub(crate) fn walk_refresh(&mut self, refresh: Refresh, walk: &mut dyn Walk) {
        let all = walk.wants_all();
        if all || refresh != Refresh::Off {
            walk.field(&Timing::T_REFI, &mut self.t_refi);
        }
        if all || refresh == Refresh::AllBank {
            walk.field(&Timing::T_RFC, &mut self.t_rfc);
        }
        if all || refresh == Refresh::PerBank {
            walk.field(&Timing::T_RFC_SB, &mut self.t_rfc_sb);
        }
    }

    /// What the kinds of the parameters leave to check.
    pub(crate) fn validate(&self, refresh: Refresh, banks: u32) -> Result<(), ParameterError> {
        if self.t_ck == Duration::ZERO || self.t_ck.as_ps() > u64::from(MAX) {
            let most = Duration::from_ps(MAX.into());
            let problem = format_args!("it is {}; give 1 ps to {most}", self.t_ck);
            return Err(Timing::T_CK.refuse(problem));
        }
        at_least(&Timing::T_RC, self.t_rc, self.t_ras, "t_ras")?;
        at_least(&Timing::T_CCD_S, self.t_ccd_s, self.burst, "burst")?;
        at_least(&Timing::T_CCD_L, self.t_ccd_l, self.t_ccd_s, "t_ccd_s")?;
        at_least(&Timing::T_RRD_L, self.t_rrd_l, self.t_rrd_s, "t_rrd_s")?;
        // Between directions the data of the earlier access must have left the bus, and a bank
        // group must have had its tCCD_L.
        let after_read = (self.cl + self.burst).saturating_sub(self.cwl).max(self.t_ccd_l);
        let after_write = (self.cwl + self.burst).saturating_sub(self.cl).max(self.t_ccd_l);
        at_least(&Timing::T_RTW, self.t_rtw, after_read, "cl + burst - cwl and t_ccd_l")?;
        let added = self.write_to_read_clocks() - self.t_wtr;
        let after_write = after_write.saturating_sub(added);
        at_least(
            &Timing::T_WTR,
            self.t_wtr,
            after_write,
            "write to read: cwl + burst - cl and t_ccd_l",
        )?;
        let busy = self.drain() + banks;
        match refresh {
            Refresh::Off => Ok(()),
            Refresh::AllBank => at_least(&Timing::T_REFI, self.t_refi, self.t_rfc + busy, REFRESH),
            Refresh::PerBank => {
                let between = busy.saturating_mul(banks).max(self.t_rfc_sb + busy);
                at_least(&Timing::T_REFI, self.t_refi, between, REFRESH)
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
    Err(parameter.refuse(format_args!("it is {value}; give at least {least} clocks ({why})")))
}
