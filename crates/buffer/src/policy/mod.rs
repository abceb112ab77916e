//! The policies of a hybrid buffer behind one trait, and their registry.
//!
//! Adding a policy: one file with a small type that implements [`Policy`], one line in [`policies`].

mod dt;
mod greedy;
mod occamy;
mod themis;

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use forebay_pifo::TieredQueue;
use forebay_units::Bytes;

pub use dt::DtHybrid;
pub use greedy::GreedyHybrid;
pub use occamy::OccamyHybrid;
pub use themis::Themis;

use crate::buffer::{Arriving, Buffer};
use crate::threshold::Alpha;

/// Where an arriving packet is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Into SRAM.
    Near,
    /// Into HBM, through the staging buffer.
    Far,
}

/// What gives way when the memory that an arriving packet is bound for is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    /// The arriving packet goes to the other memory if that has room, and is dropped if not.
    Divert,
    /// The arriving packet is dropped.
    DropArriving,
    /// On-chip packets of larger rank than the arriving one are dropped, largest first, until at least
    /// this many bytes are free and the arriving packet fits; if none has a larger rank, the arriving
    /// packet is dropped.
    DropLargest {
        /// Bytes to free, at least.
        bytes: u64,
    },
}

/// A background move that a policy asks for. The traffic manager performs it when no arrival or
/// departure needs the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The head packet of this accounting queue goes from SRAM to HBM (occamy §4.3).
    Expel {
        /// The over-allocated queue.
        queue: u32,
    },
    /// A batch of the on-chip packets with the largest ranks goes to HBM (themis §4.1).
    SwapOut,
    /// The batch with the smallest representative rank comes from HBM to SRAM (themis §4.1).
    SwapIn,
}

/// Which background moves can begin now: the traffic manager bounds how many are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveRoom {
    /// From SRAM to HBM.
    pub outward: bool,
    /// From HBM to SRAM.
    pub inward: bool,
}

/// A buffer-management scheme for a hybrid buffer.
///
/// Methods are called in the order of events and may keep state; they read the [`Buffer`] and never
/// change it. The memory a scheme is made of (cells, staging, HBM) is the same for all.
pub trait Policy<Q: TieredQueue>: Send {
    /// Where `arriving` is bound.
    fn place(&mut self, buffer: &Buffer<Q>, arriving: &Arriving) -> Placement;

    /// `arriving` is bound for SRAM and finds too few free cells.
    fn near_full(&mut self, buffer: &Buffer<Q>, arriving: &Arriving) -> Pressure;

    /// `arriving` is bound for HBM and the staging buffer is full.
    fn staging_full(&mut self, buffer: &Buffer<Q>, arriving: &Arriving) -> Pressure;

    /// The background move wanted now, if any, among those that `room` says can begin. Asked after
    /// every event until it answers `None`.
    fn next_move(&mut self, buffer: &Buffer<Q>, room: MoveRoom) -> Option<Move>;

    /// Whether packets share HBM rows in batches; otherwise they are stored one by one.
    fn batches(&self) -> bool {
        false
    }
}

/// Parameters of all policies; each reads its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolicyConfig {
    /// α of DT-Hybrid's dynamic threshold.
    pub dt_alpha: f64,
    /// α of Occamy-Hybrid's dynamic threshold (8 in occamy §4.4).
    pub occamy_alpha: f64,
    /// Themis swaps in below this share of the SRAM (0.5, themis §6.3.1).
    pub swap_in_watermark: f64,
    /// Themis swaps out above this share of the SRAM (0.8, themis §6.3.1).
    pub swap_out_watermark: f64,
    /// Whether Themis, with its staging buffer full, drops on-chip packets of larger rank instead of
    /// the arriving one, so that whatever it drops ranks above all that stays in SRAM (§4.3, "overall").
    pub strict_drop_order: bool,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        PolicyConfig {
            dt_alpha: 1.0,
            occamy_alpha: 8.0,
            swap_in_watermark: 0.5,
            swap_out_watermark: 0.8,
            strict_drop_order: true,
        }
    }
}

impl PolicyConfig {
    fn dt_alpha(&self) -> Result<Alpha, PolicyError> {
        let (name, alpha) = ("dt_alpha", self.dt_alpha);
        Alpha::new(alpha).ok_or(PolicyError::Alpha { name, alpha })
    }

    fn occamy_alpha(&self) -> Result<Alpha, PolicyError> {
        let (name, alpha) = ("occamy_alpha", self.occamy_alpha);
        Alpha::new(alpha).ok_or(PolicyError::Alpha { name, alpha })
    }

    fn check(&self) -> Result<(), PolicyError> {
        self.dt_alpha()?;
        self.occamy_alpha()?;
        let (low, high) = (self.swap_in_watermark, self.swap_out_watermark);
        if !(0.0 <= low && low < high && high <= 1.0) {
            return Err(PolicyError::Watermarks { low, high });
        }
        Ok(())
    }
}

/// One line of the registry of policies.
pub struct PolicyInfo<Q> {
    /// The name in experiment files and results.
    pub name: &'static str,
    /// The name in figures.
    pub label: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    build: Build<Q>,
}

type Build<Q> = fn(&PolicyConfig, Bytes) -> Result<Box<dyn Policy<Q>>, PolicyError>;

/// Every policy by name.
#[must_use]
pub fn policies<Q: TieredQueue>() -> Vec<PolicyInfo<Q>> {
    let mut registry: Vec<PolicyInfo<Q>> = Vec::new();
    let mut add = |name, label, about, build: Build<Q>| {
        registry.push(PolicyInfo { name, label, about, build });
    };
    add(
        "greedy-hybrid",
        "Greedy-Hybrid",
        "SRAM while it has room, then HBM; nothing moves",
        |_, _| Ok(Box::new(GreedyHybrid)),
    );
    add("dt-hybrid", "DT-Hybrid", "what Dynamic Threshold would drop goes to HBM", |config, _| {
        Ok(Box::new(DtHybrid::new(config.dt_alpha()?)))
    });
    add(
        "occamy-hybrid",
        "Occamy-Hybrid",
        "what Occamy would drop, at admission or by expulsion, goes to HBM",
        |config, _| Ok(Box::new(OccamyHybrid::new(config.occamy_alpha()?))),
    );
    add(
        "themis",
        "Themis",
        "packets that leave soonest stay in SRAM; batches swap in and out",
        |config, batch| Ok(Box::new(Themis::new(config, batch))),
    );
    registry
}

/// The policy called `name`, for an HBM whose batches (rows over all pseudo channels) hold `batch`.
///
/// # Errors
/// If no policy has that name, or a parameter is out of range.
pub fn policy<Q: TieredQueue>(
    name: &str,
    config: &PolicyConfig,
    batch: Bytes,
) -> Result<Box<dyn Policy<Q>>, PolicyError> {
    config.check()?;
    policies::<Q>()
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| PolicyError::Unknown(name.to_string()))
        .and_then(|info| (info.build)(config, batch))
}

/// Why a policy cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyError {
    /// No policy has this name.
    Unknown(String),
    /// A threshold factor that [`Alpha`] cannot be.
    Alpha {
        /// The parameter.
        name: &'static str,
        /// Its value.
        alpha: f64,
    },
    /// The watermarks are not in order within 0..=1.
    Watermarks {
        /// The swap-in watermark.
        low: f64,
        /// The swap-out watermark.
        high: f64,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::Unknown(name) => write!(
                f,
                "there is no policy \"{name}\"; use one of greedy-hybrid, dt-hybrid, \
                 occamy-hybrid, themis"
            ),
            PolicyError::Alpha { name, alpha } => {
                write!(f, "{name} is {alpha}; it must be between 1/65536 and 65535")
            }
            PolicyError::Watermarks { low, high } => write!(
                f,
                "swap_in_watermark is {low} and swap_out_watermark is {high}; they must satisfy \
                 0 <= swap_in_watermark < swap_out_watermark <= 1"
            ),
        }
    }
}

impl core::error::Error for PolicyError {}
