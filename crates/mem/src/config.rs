//! What the memory is: geometry and timing of one HBM stack, and their validation.
//!
//! The defaults are those of Samsung's 16 GB HBM2E at 3.2 Gb/s a pin, the part that Themis (NSDI '26,
//! Appendix A) measures. The paper gives the geometry, the clock (0.625 ns), the same-direction gap
//! (4 clocks), and both turnarounds (30 clocks; 7.5 ns); the other values are those of public HBM2
//! models, in nanoseconds, brought to this clock. `docs/hbm.md` lists every value with its source.
//!
//! All timing parameters are whole clocks (tCK) except the clock itself.

use core::fmt;

use forebay_units::{Bytes, Duration, Rate};

/// How the stack is divided. One pseudo channel has `bank_groups · banks_per_group` banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Independent pseudo channels (16: Themis §2.2, Appendix A).
    pub pseudo_channels: u16,
    /// Bank groups in a pseudo channel (4).
    pub bank_groups: u8,
    /// Banks in a bank group (4).
    pub banks_per_group: u8,
    /// Rows in a bank (65,536, which makes 16 GB).
    pub rows: u32,
    /// Bytes in a row (1 KB: Themis Appendix A).
    pub row_bytes: Bytes,
    /// Bytes moved by one column command, the smallest access (32 B: Themis Appendix A).
    pub access_bytes: Bytes,
}

impl Geometry {
    /// Banks in one pseudo channel.
    #[must_use]
    pub const fn banks(&self) -> usize {
        self.bank_groups as usize * self.banks_per_group as usize
    }

    /// Column accesses in one row.
    #[must_use]
    pub const fn columns(&self) -> u64 {
        self.row_bytes.get()
            / if self.access_bytes.get() == 0 { 1 } else { self.access_bytes.get() }
    }

    /// Bytes moved when every pseudo channel makes one access: the grain of a striped device (512 B).
    #[must_use]
    pub fn stripe_bytes(&self) -> Bytes {
        self.access_bytes * u64::from(self.pseudo_channels)
    }

    /// Bytes of the whole stack.
    #[must_use]
    pub fn capacity(&self) -> Bytes {
        self.row_bytes
            * u64::from(self.rows)
            * self.banks() as u64
            * u64::from(self.pseudo_channels)
    }
}

/// From where the write-to-read gap is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteToRead {
    /// From the write command to the read command, as Themis Appendix A reads ("write to read requires
    /// about 7.5 ns").
    CommandToCommand,
    /// From the end of the write's data, as JEDEC defines tWTR: `CWL + burst + tWTR` between commands.
    FromDataEnd,
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

impl Timing {
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

/// Which refresh runs. Off by default: the paper's 24 µs for 512 rows leaves no time for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// None.
    Off,
    /// Every tREFI all banks are precharged and refreshed together for tRFC.
    AllBank,
    /// Every `tREFI / banks` the next bank in turn is precharged and refreshed for tRFCsb; the others
    /// keep working.
    PerBank,
}

/// One HBM stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HbmConfig {
    /// Its division into pseudo channels, banks, rows and columns.
    pub geometry: Geometry,
    /// The distances between its commands.
    pub timing: Timing,
    /// Which banks are refreshed when, and how long it takes.
    pub refresh: Refresh,
}

impl Default for HbmConfig {
    fn default() -> Self {
        HbmConfig::samsung_hbm2e()
    }
}

impl HbmConfig {
    /// Samsung HBM2E, 16 GB, 3.2 Gb/s a pin: the part of Themis Appendix A.
    #[must_use]
    pub const fn samsung_hbm2e() -> Self {
        HbmConfig {
            geometry: Geometry {
                pseudo_channels: 16,
                bank_groups: 4,
                banks_per_group: 4,
                rows: 65_536,
                row_bytes: Bytes::new(1024),
                access_bytes: Bytes::new(32),
            },
            timing: Timing {
                t_ck: Duration::from_ps(625),
                t_rc: 75,
                t_ras: 53,
                t_rp: 22,
                t_rcd_rd: 22,
                t_rcd_wr: 18,
                t_rtp: 8,
                t_wr: 26,
                t_ccd_s: 2,
                t_ccd_l: 4,
                t_rrd_s: 7,
                t_rrd_l: 7,
                t_faw: 26,
                t_rtw: 30,
                t_wtr: 12,
                write_to_read: WriteToRead::CommandToCommand,
                cl: 22,
                cwl: 8,
                burst: 2,
                t_refi: 6240,
                t_rfc: 560,
                t_rfc_sb: 256,
            },
            refresh: Refresh::Off,
        }
    }

    /// The rate at which all data buses are full (3.2768 Tb/s by default).
    #[must_use]
    pub fn peak(&self) -> Rate {
        Rate::mean(self.geometry.stripe_bytes(), self.timing.t_ck * u64::from(self.timing.t_ccd_s))
    }

    /// Clocks between two refresh commands of one pseudo channel; `None` when refresh is off.
    pub(crate) fn refresh_interval(&self) -> Option<u64> {
        match self.refresh {
            Refresh::Off => None,
            Refresh::AllBank => Some(u64::from(self.timing.t_refi)),
            Refresh::PerBank => {
                Some(u64::from(self.timing.t_refi) / self.geometry.banks().max(1) as u64)
            }
        }
    }

    /// Checks that the geometry can be simulated and that the timing keeps the data bus free of clashes.
    ///
    /// # Errors
    /// [`ConfigError`], naming the first field that is out of range and the bound it breaks.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_geometry()?;
        self.validate_timing()
    }

    fn validate_geometry(&self) -> Result<(), ConfigError> {
        let g = &self.geometry;
        let range = |field, value: u64, min, max| {
            if (min..=max).contains(&value) {
                Ok(())
            } else {
                Err(ConfigError::OutOfRange { field, value, min, max })
            }
        };
        range("geometry.pseudo_channels", u64::from(g.pseudo_channels), 1, 1024)?;
        range("geometry.bank_groups", u64::from(g.bank_groups), 1, 64)?;
        range("geometry.banks_per_group", u64::from(g.banks_per_group), 1, 64)?;
        range("geometry.bank_groups * geometry.banks_per_group", g.banks() as u64, 1, 64)?;
        range("geometry.rows", u64::from(g.rows), 1, 1 << 31)?;
        range("geometry.access_bytes", g.access_bytes.get(), 1, 1 << 20)?;
        range("geometry.row_bytes", g.row_bytes.get(), g.access_bytes.get(), 1 << 20)?;
        range("geometry.row_bytes / geometry.access_bytes", g.columns(), 1, u64::from(u16::MAX))
    }

    fn validate_timing(&self) -> Result<(), ConfigError> {
        let t = &self.timing;
        const MAX: u64 = 1 << 24;
        let at_least = |field, value: u32, min: u32| {
            let (value, min) = (u64::from(value), u64::from(min));
            if value < min || value > MAX {
                Err(ConfigError::OutOfRange { field, value, min, max: MAX })
            } else {
                Ok(())
            }
        };
        let clock = t.t_ck.as_ps();
        if clock == 0 || clock > MAX {
            let field = "timing.t_ck (ps)";
            return Err(ConfigError::OutOfRange { field, value: clock, min: 1, max: MAX });
        }
        at_least("timing.t_ras", t.t_ras, 1)?;
        at_least("timing.t_rp", t.t_rp, 1)?;
        at_least("timing.t_rcd_rd", t.t_rcd_rd, 1)?;
        at_least("timing.t_rcd_wr", t.t_rcd_wr, 1)?;
        at_least("timing.t_rtp", t.t_rtp, 1)?;
        at_least("timing.t_wr", t.t_wr, 1)?;
        at_least("timing.t_rc", t.t_rc, t.t_ras)?;
        at_least("timing.burst", t.burst, 1)?;
        at_least("timing.cl", t.cl, 1)?;
        at_least("timing.cwl", t.cwl, 1)?;
        at_least("timing.t_ccd_s", t.t_ccd_s, t.burst)?;
        at_least("timing.t_ccd_l", t.t_ccd_l, t.t_ccd_s)?;
        at_least("timing.t_rrd_s", t.t_rrd_s, 1)?;
        at_least("timing.t_rrd_l", t.t_rrd_l, t.t_rrd_s)?;
        at_least("timing.t_faw", t.t_faw, 1)?;
        at_least("timing.t_wtr", t.t_wtr, 1)?;
        // Between directions the data of the earlier access must have left the bus, and a bank group
        // must have had its tCCD_L.
        let after_read = (t.cl + t.burst).saturating_sub(t.cwl).max(t.t_ccd_l);
        let after_write = (t.cwl + t.burst).saturating_sub(t.cl).max(t.t_ccd_l);
        at_least("timing.t_rtw (read to write)", t.t_rtw, after_read)?;
        at_least("timing.t_wtr (write to read)", t.write_to_read_clocks(), after_write)?;
        let banks = self.geometry.banks() as u32;
        match self.refresh {
            Refresh::Off => Ok(()),
            Refresh::AllBank => {
                at_least("timing.t_rfc", t.t_rfc, 1)?;
                at_least("timing.t_refi", t.t_refi, t.t_rfc + t.drain() + banks)
            }
            Refresh::PerBank => {
                at_least("timing.t_rfc_sb", t.t_rfc_sb, 1)?;
                at_least("timing.t_refi / banks", t.t_refi / banks, t.drain() + banks)?;
                at_least("timing.t_refi", t.t_refi, t.t_rfc_sb + t.drain() + banks)
            }
        }
    }
}

/// A field of a memory's configuration that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// A value outside its bounds.
    OutOfRange {
        /// The field, or the quantity derived from fields.
        field: &'static str,
        /// What it was.
        value: u64,
        /// The least it may be.
        min: u64,
        /// The most it may be.
        max: u64,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError::OutOfRange { field, value, min, max } = self;
        write!(f, "HBM configuration: {field} is {value}; set it from {min} to {max}")
    }
}

impl core::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn the_default_part_is_the_papers() {
        let hbm = HbmConfig::samsung_hbm2e();
        hbm.validate().unwrap();
        assert_eq!(hbm.geometry.capacity(), Bytes::new(16 << 30));
        assert_eq!(hbm.geometry.columns(), 32);
        assert_eq!(hbm.geometry.stripe_bytes(), Bytes::new(512));
        assert_eq!(hbm.peak(), Rate::from_bps(3_276_800_000_000));
    }

    #[test]
    fn errors_name_the_field_and_the_bound() {
        let mut hbm = HbmConfig::samsung_hbm2e();
        hbm.timing.t_ccd_s = 1;
        let error = hbm.validate().unwrap_err().to_string();
        assert!(error.contains("timing.t_ccd_s is 1; set it from 2"), "{error}");
        hbm = HbmConfig::samsung_hbm2e();
        hbm.geometry.access_bytes = Bytes::ZERO;
        assert!(hbm.validate().is_err());
        hbm = HbmConfig::samsung_hbm2e();
        hbm.refresh = Refresh::PerBank;
        hbm.validate().unwrap();
        hbm.timing.t_refi = 500;
        assert!(hbm.validate().is_err());
    }
}
