//! What the hybrid core is built with, and what follows from it.

use forebay_mem::HbmConfig;
use forebay_parameters::{Configure, ParameterError};
use forebay_units::Duration;

use crate::rtl::clock::Clock;

/// The parameters of `rtl/tm_hybrid`, its clock, and the timing model of its HBM. Ports come from
/// the replay, the HBM's timing from `forebay_mem::HbmConfig`.
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct HybridCoreConfig {
    /// Bits of a beat; a power of two.
    #[parameter(assumed = "the core's default", range = 16..=1024, default = 512)]
    pub data_bits: u32,
    /// A cell, which holds a packet, is 2 to the power of this beats: at most 4 KiB.
    #[parameter(assumed = "2 KiB: a batch of 8 is App. A's 16 KB", range = 0..=7, default = 5)]
    pub cell_beats_log2: u32,
    /// Bytes of the largest packet; larger ones are malformed.
    #[parameter(assumed = "an Ethernet frame with room", range = 64..=4096, default = 1536)]
    pub largest_bytes: u32,
    /// Levels of the queue's tree: digits of a rank.
    #[parameter(assumed = "the core's default", range = 2..=15, default = 2)]
    pub levels: u32,
    /// Bits of a bitmap, the base of a digit; a power of two.
    #[parameter(assumed = "the core's default", range = 2..=16, default = 8)]
    pub width: u32,
    /// The queue holds one packet less than this power of two.
    #[parameter(assumed = "the core's default", range = 2..=17, default = 11)]
    pub slot_bits: u32,
    /// Packets that fit near, in SRAM.
    #[parameter(assumed = "half of what the queue holds", range = 3..=131071, default = 1024)]
    pub near: u32,
    /// Packets are swapped out while more than these are near.
    #[parameter(paper = "themis §6.3.1: 0.8", range = 2..=131070, default = 819)]
    pub high: u32,
    /// Packets are swapped in while fewer than these are near.
    #[parameter(paper = "themis §6.3.1: 0.5", range = 1..=131069, default = 512)]
    pub low: u32,
    /// Packets of a batch; a power of two.
    #[parameter(assumed = "App. A's 16 KB in cells of 2 KB", range = 2..=64, default = 8)]
    pub batch: u32,
    /// Batches that are staged; a power of two.
    #[parameter(assumed = "one is filled while one is written", range = 2..=16, default = 2)]
    pub groups: u32,
    /// Batches that fit in the HBM.
    #[parameter(assumed = "as many packets as the queue holds", range = 2..=65535, default = 256)]
    pub regions: u32,
    /// Reads of the HBM at a time; a power of two.
    #[parameter(assumed = "the core's default", range = 4..=64, default = 16)]
    pub reads: u32,
    /// Departures under way; a power of two.
    #[parameter(assumed = "the core's default", range = 4..=64, default = 16)]
    pub departures: u32,
    /// Cycles of the HBM's data bus that a beat takes: 1 for a bus as wide as the core's.
    #[parameter(assumed = "the bus is not what limits", range = 1..=1000, default = 1)]
    pub beat_cycles: u32,
    /// Cycles through the HBM's controller and interface, to the memory and back.
    #[parameter(assumed = "80 ns at 250 MHz", range = 1..=10000, default = 20)]
    pub path_cycles: u32,
    /// The clock, in MHz: what a cycle of the core is in the capture's time.
    #[parameter(assumed = "a usual clock of 512 bits on an FPGA", range = 1..=10000, default = 250)]
    pub clock_mhz: u32,
}

impl HybridCoreConfig {
    /// The model's own parameters, by its names: the core's, and the HBM's in cycles of its clock.
    pub(in crate::rtl) fn parameters(&self, ports: u16) -> Vec<(&'static str, u32)> {
        let hbm = HbmConfig::samsung_hbm2e();
        let timing = hbm.timing;
        let cycles = |clocks: u32| self.cycles(timing.t_ck * u64::from(clocks));
        let row = hbm.geometry.row_bytes.get() * u64::from(hbm.geometry.pseudo_channels);
        vec![
            ("Ports", ports.into()),
            ("DataW", self.data_bits),
            ("CellBeatsLog2", self.cell_beats_log2),
            ("LargestBytes", self.largest_bytes),
            ("Levels", self.levels),
            ("Width", self.width),
            ("SlotBits", self.slot_bits),
            ("Near", self.near),
            ("High", self.high),
            ("Low", self.low),
            ("Batch", self.batch),
            ("Groups", self.groups),
            ("Regions", self.regions),
            ("Reads", self.reads),
            ("Departures", self.departures),
            ("RowBytesLog2", row.ilog2()),
            ("Banks", hbm.geometry.banks() as u32),
            ("Rcd", cycles(timing.t_rcd_rd)),
            ("Rp", cycles(timing.t_rp)),
            ("Cl", cycles(timing.cl)),
            ("Cwl", cycles(timing.cwl)),
            ("Rtw", cycles(timing.t_rtw)),
            ("Wtr", cycles(timing.t_wtr)),
            ("Refi", cycles(timing.t_refi)),
            ("Rfc", cycles(timing.t_rfc)),
            ("BeatCycles", self.beat_cycles),
            ("Path", self.path_cycles),
        ]
    }

    /// Whole cycles of the core's clock, of which a duration takes the last one in part.
    fn cycles(&self, duration: Duration) -> u32 {
        let cycles = u128::from(duration.as_ps()) * u128::from(self.clock_mhz);
        cycles.div_ceil(1_000_000).min(u32::MAX.into()) as u32
    }

    /// What the core itself would refuse, before anything is built.
    ///
    /// # Errors
    /// The parameter that does not fit.
    pub fn check(&self, ports: u16) -> Result<(), ParameterError> {
        let refuse = |name, problem: String| Err(ParameterError::value(name, problem));
        forebay_parameters::check(&mut self.clone())?;
        if !(1..=16).contains(&ports) {
            return refuse("ports", format!("the core has 1 to 16 ports, not {ports}"));
        }
        for (name, value) in [
            ("data_bits", self.data_bits),
            ("width", self.width),
            ("batch", self.batch),
            ("groups", self.groups),
            ("reads", self.reads),
            ("departures", self.departures),
        ] {
            if !value.is_power_of_two() {
                return refuse(name, format!("{value} is no power of two"));
            }
        }
        let cell = self.cell_bytes();
        if cell > 4096 {
            let problem = format!("a cell has {cell} B, and at most 4096 are a burst: give fewer");
            return refuse("cell_beats_log2", problem);
        }
        if self.largest_bytes > cell {
            let problem = format!("a cell has {cell} B: give at most as many, or cell_beats_log2");
            return refuse("largest_bytes", problem);
        }
        let bits = self.levels * self.width.ilog2();
        if bits > 15 {
            let problem = format!("digits of {} make {bits} bits of rank, at most 15", self.width);
            return refuse("levels", problem);
        }
        let slots = (1 << self.slot_bits) - 1;
        for (name, value, most, of) in [
            ("near", self.near, slots, "what the queue holds: give fewer, or slot_bits"),
            ("high", self.high, self.near - 1, "one less than near"),
            ("low", self.low, self.high - 1, "one less than high"),
        ] {
            if value > most {
                return refuse(name, format!("it is {value}, but must be at most {most}, {of}"));
            }
        }
        Ok(())
    }

    /// Bytes of a cell.
    #[must_use]
    pub const fn cell_bytes(&self) -> u32 {
        (self.data_bits / 8) << self.cell_beats_log2
    }

    /// The cells of SRAM, `tm_hybrid_pkg::cells`.
    pub(super) const fn cells(&self) -> u32 {
        let latency = 6 + 4 * (self.levels - 1);
        self.near + self.batch * self.groups + latency + self.departures + self.reads + 4
    }

    /// The largest rank.
    pub(super) const fn most_rank(&self) -> u64 {
        (1 << (self.levels * self.width.ilog2())) - 1
    }

    /// Its clock.
    pub(super) const fn clock(&self) -> Clock {
        Clock { mhz: self.clock_mhz, data_bits: self.data_bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timing_is_the_memorys_in_cycles() {
        let parameters = HybridCoreConfig::default().parameters(4);
        let of = |name| parameters.iter().find(|(of, _)| *of == name).map(|(_, value)| *value);
        // 22, 30, 6240 and 560 clocks of 0.625 ns in cycles of 4 ns; 16 rows of 1 KiB.
        assert_eq!([of("Rcd"), of("Rtw"), of("Refi"), of("Rfc")], [4, 5, 975, 88].map(Some));
        assert_eq!((of("RowBytesLog2"), of("Banks")), (Some(14), Some(16)));
    }

    #[test]
    fn what_the_core_refuses_is_refused_by_name() {
        let base = HybridCoreConfig::default();
        let refused = |config: HybridCoreConfig, ports| match config.check(ports) {
            Err(error) => error.name().to_owned(),
            Ok(()) => String::new(),
        };
        assert_eq!(refused(base.clone(), 4), "");
        assert_eq!(refused(base.clone(), 17), "ports");
        assert_eq!(refused(HybridCoreConfig { data_bits: 96, ..base.clone() }, 4), "data_bits");
        let large = HybridCoreConfig { cell_beats_log2: 7, ..base.clone() };
        assert_eq!(refused(large, 4), "cell_beats_log2");
        assert_eq!(
            refused(HybridCoreConfig { largest_bytes: 2049, ..base.clone() }, 4),
            "largest_bytes"
        );
        assert_eq!(refused(HybridCoreConfig { levels: 6, ..base.clone() }, 4), "levels");
        assert_eq!(refused(HybridCoreConfig { slot_bits: 9, ..base.clone() }, 4), "near");
        assert_eq!(refused(HybridCoreConfig { near: 500, ..base.clone() }, 4), "high");
        assert_eq!(refused(HybridCoreConfig { low: 819, ..base }, 4), "low");
    }
}
