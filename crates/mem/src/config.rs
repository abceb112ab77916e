//! What the memory is: geometry and timing of one HBM stack, and their validation.
//!
//! The defaults are those of Samsung's 16 GB HBM2E at 3.2 Gb/s a pin, the part that Themis (NSDI
//! '26, Appendix A) measures. The paper gives the geometry, the clock (0.625 ns), the
//! same-direction gap (4 clocks), and both turnarounds (30 clocks; 7.5 ns); the other values are
//! those of public HBM2 models, in nanoseconds, brought to this clock. `docs/hbm.md` lists every
//! value with its source.
//!
//! All timing parameters are whole clocks (tCK) except the clock itself.

use forebay_parameters::{Configure, ParameterError, Parameters, Walk, Word, check};
use forebay_units::{Bytes, Duration, Rate};

use crate::geometry::Geometry;
use crate::timing::{Timing, WriteToRead};

/// How the HBM is refreshed. Off by default: the paper's 24 µs for 512 rows leaves no time for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Refresh {
    /// None.
    Off,
    /// Every tREFI all banks are precharged and refreshed together for tRFC.
    AllBank,
    /// Every `tREFI / banks` the next bank in turn is precharged and refreshed for tRFCsb; the
    /// others keep working.
    PerBank,
}

/// One HBM stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Parameters)]
pub struct HbmConfig {
    /// Its division into pseudo channels, banks, rows and columns.
    #[parameter(part)]
    pub geometry: Geometry,
    /// The distances between its commands.
    #[parameter(part)]
    pub timing: Timing,
    /// How the HBM is refreshed.
    #[parameter(
        assumed = "the paper's 24 us leaves no room for it",
        sensitivity = "themis/sensitivity-refresh"
    )]
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

    /// Checks that the geometry can be simulated and that the timing keeps the data bus free of
    /// clashes.
    ///
    /// # Errors
    /// The first parameter that cannot be, with the bound that it breaks.
    pub fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })?;
        self.geometry.validate()?;
        self.timing.validate(self.refresh, self.geometry.banks() as u32)
    }
}

impl Configure for HbmConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.geometry.walk(walk);
        self.timing.walk(walk);
        walk.field(&HbmConfig::REFRESH, &mut self.refresh);
        self.timing.walk_refresh(self.refresh, walk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use forebay_parameters::{listed, set};

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
        assert!(error.contains("t_ccd_s: it is 1; give at least 2 clocks (burst)"), "{error}");
        hbm = HbmConfig::samsung_hbm2e();
        hbm.geometry.access_bytes = Bytes::ZERO;
        assert!(hbm.validate().is_err());
        hbm = HbmConfig::samsung_hbm2e();
        hbm.refresh = Refresh::PerBank;
        hbm.validate().unwrap();
        hbm.timing.t_refi = 500;
        assert_eq!(hbm.validate().unwrap_err().name(), "t_refi");
    }

    #[test]
    fn what_a_refresh_reads_is_shown_with_it_only() {
        let mut hbm = HbmConfig::samsung_hbm2e();
        let error = set(&mut hbm, &[("t_rfc", "1")]).unwrap_err();
        assert_eq!(error.name(), "t_rfc");
        set(&mut hbm, &[("refresh", "all-bank"), ("t_rfc", "300"), ("rows", "1024")]).unwrap();
        assert_eq!((hbm.timing.t_rfc, hbm.geometry.rows), (300, 1024));
    }

    #[test]
    fn every_value_is_of_its_kind_and_reads_back() {
        for refresh in [Refresh::Off, Refresh::AllBank, Refresh::PerBank] {
            let mut hbm = HbmConfig { refresh, ..HbmConfig::samsung_hbm2e() };
            for one in listed(&mut hbm) {
                let kind = &one.parameter.kind;
                assert_eq!(kind.within(one.value.clone()), Ok(one.value.clone()));
                assert_eq!(kind.read_text(&one.value.to_string()), Ok(one.value));
            }
        }
    }
}
