//! Why a source is impossible. Each message names the parameter, its value and what is accepted.

use forebay_units::{Bytes, Rate};
use thiserror::Error;

/// The fastest link a source accepts: one byte a picosecond, the resolution of
/// [`Time`](forebay_units::Time).
pub const MAX_LINK_RATE: Rate = Rate::from_gbps(8_000);

/// A parameter with which no traffic can be generated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SourceError {
    /// The offered load is not in (0, 1].
    #[error("load is {0}: give the offered fraction of the inputs' aggregate rate, in (0, 1]")]
    Load(f64),
    /// There is no input.
    #[error("inputs is 0: a source needs at least one input link")]
    NoInputs,
    /// The link rate is zero or beyond the resolution of time.
    #[error("rate is {0}: give a link rate above 0 b/s and at most 8 Tb/s")]
    LinkRate(Rate),
    /// A packet size is zero or implausibly large.
    #[error("{name} is {size}: give a packet size from 1 B to 1 MB")]
    PacketSize {
        /// The parameter, as configurations name it.
        name: &'static str,
        /// The size that was given.
        size: Bytes,
    },
    /// A mix has no packets of one class.
    #[error("ratio is {high}:{low}: give n:1 or 1:n with n from 1 to 1000000")]
    Ratio {
        /// High-priority packets in a cycle.
        high: u32,
        /// Low-priority packets in a cycle.
        low: u32,
    },
    /// An MTU is below what IP needs.
    #[error("mtu is {mtu} bytes: give an MTU of at least {least} bytes")]
    SmallMtu {
        /// Its value, in bytes.
        mtu: u32,
        /// The smallest MTU, in bytes.
        least: u32,
    },
}

/// Checks what all sources share: `inputs` links of `rate`, loaded to `load`.
pub(crate) fn check_links(inputs: u16, rate: Rate, load: f64) -> Result<(), SourceError> {
    if inputs == 0 {
        return Err(SourceError::NoInputs);
    }
    if rate == Rate::from_bps(0) || rate > MAX_LINK_RATE {
        return Err(SourceError::LinkRate(rate));
    }
    // Written so that NaN fails as well.
    if !(load > 0.0 && load <= 1.0) {
        return Err(SourceError::Load(load));
    }
    Ok(())
}

/// Checks a packet size, the parameter called `name`.
pub(crate) fn check_packet(name: &'static str, size: u32) -> Result<(), SourceError> {
    if size == 0 || size > 1_000_000 {
        return Err(SourceError::PacketSize { name, size: Bytes::new(u64::from(size)) });
    }
    Ok(())
}
