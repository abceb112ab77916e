//! What the core is built with, and what follows from it.

use forebay_parameters::{Configure, ParameterError, Word};
use forebay_units::Bytes;

use super::clock::Clock;

/// What orders the queues of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreScheduler {
    /// The ranks of the packets, in a BBQ.
    #[default]
    Bbq,
    /// The ranks of the packets, in a ClubHeap.
    ClubHeap,
    /// Job sizes per packet size, in a BBQ.
    Wsjf,
    /// Weighted fair queueing between the queues.
    Gearbox,
}

impl Word for CoreScheduler {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("bbq", CoreScheduler::Bbq),
        ("clubheap", CoreScheduler::ClubHeap),
        ("wsjf", CoreScheduler::Wsjf),
        ("gearbox", CoreScheduler::Gearbox),
    ];
}

impl CoreScheduler {
    /// What the command calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CoreScheduler::Bbq => "bbq",
            CoreScheduler::ClubHeap => "clubheap",
            CoreScheduler::Wsjf => "wsjf",
            CoreScheduler::Gearbox => "gearbox",
        }
    }

    /// The core's number for it, `tm_pkg::scheduler_e`.
    const fn number(self) -> u32 {
        match self {
            CoreScheduler::Bbq => 0,
            CoreScheduler::ClubHeap => 1,
            CoreScheduler::Wsjf => 2,
            CoreScheduler::Gearbox => 3,
        }
    }

    const fn is_by_rank(self) -> bool {
        match self {
            CoreScheduler::Bbq | CoreScheduler::ClubHeap => true,
            CoreScheduler::Wsjf | CoreScheduler::Gearbox => false,
        }
    }
}

/// The parameters of `rtl/tm`, and its clock. Ports and queues come from the replay.
#[derive(Clone, Debug, PartialEq, Configure)]
pub struct CoreConfig {
    /// What orders the queues of a port.
    #[parameter(assumed = "the core's default", default = CoreScheduler::Bbq)]
    pub scheduler: CoreScheduler,
    /// Bits of a beat; a power of two.
    #[parameter(assumed = "the core's default", range = 16..=1024, default = 512)]
    pub data_bits: u32,
    /// A cell is 2 to the power of this beats.
    #[parameter(assumed = "the core's default", range = 0..=5, default = 2)]
    pub cell_beats_log2: u32,
    /// Cells that the queues share.
    #[parameter(assumed = "the core's default", range = 2..=65535, default = 512)]
    pub cells: u32,
    /// Bytes of the largest packet; larger ones are malformed.
    #[parameter(assumed = "an Ethernet frame with room", range = 64..=16383, default = 1536)]
    pub largest_bytes: u32,
    /// A queue may hold 2 to the power of this times the free cells.
    #[parameter(paper = "occamy §4.4: 8", range = 0..=15, default = 3)]
    pub alpha_log2: u32,
    /// Levels of the BBQ, or of Gearbox.
    #[parameter(assumed = "the core's default", range = 2..=15, default = 2)]
    pub levels: u32,
    /// Bits of a bitmap of the BBQ, or FIFOs of a set of Gearbox; a power of two.
    #[parameter(assumed = "the core's default", range = 2..=16, default = 16)]
    pub width: u32,
    /// Bits of a job size (wsjf) or of a weight (gearbox).
    #[parameter(assumed = "the core's default", range = 1..=20, default = 12)]
    pub field_bits: u32,
    /// Binary places of a job size per byte (wsjf), or of a weight (gearbox).
    #[parameter(assumed = "the core's default", range = 0..=16, default = 5)]
    pub fraction: u32,
    /// 2 to the power of this ranks an octave (wsjf).
    #[parameter(assumed = "the core's default", range = 1..=14, default = 2)]
    pub rank_bits: u32,
    /// The clock, in MHz: what a cycle of the core is in the capture's time.
    #[parameter(assumed = "a usual clock of 512 bits on an FPGA", range = 1..=10000, default = 250)]
    pub clock_mhz: u32,
}

impl CoreConfig {
    /// The core's own parameters, by its names.
    pub(super) fn parameters(&self, ports: u16, classes: u16) -> Vec<(&'static str, u32)> {
        let mut all = vec![
            ("Ports", ports.into()),
            ("Classes", classes.into()),
            ("DataW", self.data_bits),
            ("CellBeatsLog2", self.cell_beats_log2),
            ("Cells", self.cells),
            ("LargestBytes", self.largest_bytes),
            ("AlphaLog2", self.alpha_log2),
            ("Levels", self.levels),
            ("Width", self.width),
            ("Scheduler", self.scheduler.number()),
        ];
        if !self.scheduler.is_by_rank() {
            all.extend([("FieldBits", self.field_bits), ("Fraction", self.fraction)]);
        }
        if self.scheduler == CoreScheduler::Wsjf {
            all.push(("RankBits", self.rank_bits));
        }
        all
    }

    /// What the core itself would refuse, before anything is built.
    ///
    /// # Errors
    /// The parameter that does not fit.
    pub fn check(&self, ports: u16, classes: u16) -> Result<(), ParameterError> {
        let refuse = |name, problem: String| Err(ParameterError::value(name, problem));
        forebay_parameters::check(&mut self.clone())?;
        if !(2..=16).contains(&ports) {
            return refuse("ports", format!("the core has 2 to 16 ports, not {ports}"));
        }
        if !classes.is_power_of_two() || classes > 32 {
            let problem = format!("a port has 1, 2, 4, 8, 16 or 32 queues, not {classes}");
            return refuse("classes", problem);
        }
        for (name, value) in [("data_bits", self.data_bits), ("width", self.width)] {
            if !value.is_power_of_two() {
                return refuse(name, format!("{value} is no power of two"));
            }
        }
        if self.cells < self.cells_of(self.largest_bytes) {
            let needed = self.cells_of(self.largest_bytes);
            let problem = format!("the largest packet takes {needed} cells: give as many");
            return refuse("cells", problem);
        }
        let port_bits = bits_of(ports);
        if self.scheduler == CoreScheduler::Gearbox {
            if self.width < 4 || self.levels > 4 {
                let problem = "Gearbox has 2 to 4 levels, of sets of 4, 8 or 16 FIFOs";
                return refuse(if self.width < 4 { "width" } else { "levels" }, problem.to_owned());
            }
            if self.largest_bytes > 2047 {
                let problem = "Gearbox's model knows lengths of 11 bits: give at most 2047";
                return refuse("largest_bytes", problem.to_owned());
            }
            if self.fraction >= self.field_bits {
                let problem = format!(
                    "a weight of {} bits has no whole unit: give fewer than {}, or field_bits",
                    self.field_bits, self.field_bits
                );
                return refuse("fraction", problem);
            }
            return Ok(());
        }
        let all = self.levels * self.width.ilog2();
        if all > 15 || all < port_bits + 1 {
            let problem = format!(
                "levels of bitmaps of {} bits make {all} bits of rank, and the core has {} to 15",
                self.width,
                port_bits + 1
            );
            return refuse("levels", problem);
        }
        if self.scheduler == CoreScheduler::Wsjf {
            self.check_ranks(all - port_bits)?;
        }
        Ok(())
    }

    /// That every job size per packet size has a rank of `rank_width` bits.
    fn check_ranks(&self, rank_width: u32) -> Result<(), ParameterError> {
        if self.rank_bits >= rank_width {
            let problem = format!("a port has ranks of {rank_width} bits: give fewer, or levels");
            return Err(ParameterError::value("rank_bits", problem));
        }
        let octaves = 1_u64 << (rank_width - self.rank_bits);
        let most =
            (octaves + u64::from(self.rank_bits)).saturating_sub(u64::from(self.fraction) + 1);
        if u64::from(self.field_bits) > most {
            let problem = format!(
                "with ranks of {rank_width} bits, {} of them in an octave, and {} binary places, \
                 job sizes have at most {most} bits: give fewer, or more levels",
                self.rank_bits, self.fraction
            );
            return Err(ParameterError::value("field_bits", problem));
        }
        Ok(())
    }

    /// Bytes of a beat.
    #[must_use]
    pub const fn beat_bytes(&self) -> u32 {
        self.data_bits / 8
    }

    /// Bytes of a cell.
    #[must_use]
    pub const fn cell_bytes(&self) -> u32 {
        self.beat_bytes() << self.cell_beats_log2
    }

    /// Bytes of the shared buffer.
    #[must_use]
    pub const fn buffer(&self) -> Bytes {
        Bytes::new(self.cells as u64 * self.cell_bytes() as u64)
    }

    const fn cells_of(&self, bytes: u32) -> u32 {
        bytes.div_ceil(self.cell_bytes())
    }

    /// The largest number that the scheduler's field of a packet can hold.
    pub(super) fn most_field(&self, ports: u16) -> u64 {
        let all = self.levels * self.width.ilog2();
        let bits = match self.scheduler {
            CoreScheduler::Bbq => all - bits_of(ports),
            CoreScheduler::ClubHeap => all,
            CoreScheduler::Wsjf | CoreScheduler::Gearbox => self.field_bits,
        };
        (1 << bits) - 1
    }

    /// Its clock.
    pub(super) const fn clock(&self) -> Clock {
        Clock { mhz: self.clock_mhz, data_bits: self.data_bits }
    }
}

/// Bits of the number of one of `count`; at least 1.
fn bits_of(count: u16) -> u32 {
    if count > 2 { (count - 1).ilog2() + 1 } else { 1 }
}
