//! Virtual time: the clock of fair queueing, in units of service instead of seconds.
//!
//! Source: gearbox §2.1, §4.1.1, §4.2. A packet takes its size over its flow's rate; "the virtual
//! system time runs as fast as the real time" while all admitted flows are active. The paper counts
//! whole units of 750 bytes. Open, and chosen here: a unit has 2^16 parts, so that flows whose
//! packets are no whole number of units get their exact share in the long run; a packet takes at
//! least one part.
//!
//! Limits: 2^48 units, at 750 bytes a unit and 100 Gb/s half a year, about as long as [`Time`]
//! lasts; then times stick at the end and calendars refuse.
//!
//! [`Time`]: forebay_units::Time

use forebay_parameters::{Configure, ParameterError};
use forebay_units::Bytes;

/// An instant of virtual time, in 2^16ths of a unit.
///
/// ```
/// use forebay_sched::fair::VirtualTime;
///
/// let time = VirtualTime::from_units(12);
/// assert_eq!(time.units(), 12);
/// assert_eq!(VirtualTime::from_units(15).since(time), 3.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VirtualTime(u64);

impl VirtualTime {
    /// Bits of fraction.
    pub(crate) const FRACTION: u32 = 16;
    /// When nothing has been served yet.
    pub const ZERO: VirtualTime = VirtualTime(0);

    /// The beginning of a unit; later than the end of the clock counts as its end.
    #[must_use]
    pub const fn from_units(units: u64) -> Self {
        VirtualTime(units.saturating_mul(1 << Self::FRACTION))
    }

    /// The instant that is `parts` 2^16ths of a unit after the beginning.
    pub(crate) const fn from_parts(parts: u64) -> Self {
        VirtualTime(parts)
    }

    /// 2^16ths of a unit since the beginning.
    pub(crate) const fn parts(self) -> u64 {
        self.0
    }

    /// The unit it lies in.
    #[inline]
    #[must_use]
    pub const fn units(self) -> u64 {
        self.0 >> Self::FRACTION
    }

    /// Units since `earlier`, with their fraction; 0 if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: VirtualTime) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / f64::from(1u32 << Self::FRACTION)
    }

    /// This much later.
    #[inline]
    pub(crate) const fn after(self, parts: u64) -> Self {
        VirtualTime(self.0.saturating_add(parts))
    }
}

/// How many bytes a unit of virtual time is.
///
/// ```
/// use forebay_sched::fair::VirtualUnit;
///
/// // The paper's: two units for a packet of a flow alone, eight for one of four equal flows.
/// assert_eq!(VirtualUnit::default().units(1500, 1), 2.0);
/// assert_eq!(VirtualUnit { total_weight: 4, ..VirtualUnit::default() }.units(1500, 1), 8.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct VirtualUnit {
    /// Bytes of a unit of virtual time.
    ///
    /// So many of the link while flows of `total_weight` are active.
    #[parameter(paper = "gearbox §4.1.1", name = "unit_bytes", default = Bytes::new(750))]
    pub bytes: Bytes,
    /// Weight among which a unit's bytes are shared.
    ///
    /// That of all admitted flows together. With 1, a flow of weight 1 sends `bytes` in a unit,
    /// which suits many flows of equal weight whose number is not known.
    #[parameter(paper = "gearbox §1, footnote 1", range = 1..=u32::MAX, default = 1)]
    pub total_weight: u32,
}

impl VirtualUnit {
    /// Units that `size` bytes of a flow of this `weight` take.
    #[must_use]
    pub fn units(&self, size: u32, weight: u32) -> f64 {
        VirtualTime(self.parts(u64::from(size), weight)).since(VirtualTime::ZERO)
    }

    /// Whether virtual time can pass.
    ///
    /// # Errors
    /// A unit has no bytes.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        if self.is_valid() {
            Ok(())
        } else {
            Err(VirtualUnit::BYTES.refuse("give it at least 1 byte"))
        }
    }

    /// Whether a unit has bytes and there is weight.
    pub(crate) fn is_valid(&self) -> bool {
        self.bytes.get() > 0 && self.total_weight > 0
    }

    /// The same in 2^16ths of a unit, at least one.
    #[inline]
    pub(crate) fn parts(&self, size: u64, weight: u32) -> u64 {
        let (total, weight) = (u64::from(self.total_weight), u64::from(weight.max(1)));
        let scaled = size.checked_mul(total << VirtualTime::FRACTION);
        let rate = weight.checked_mul(self.bytes.get().max(1));
        if let Some((scaled, rate)) = scaled.zip(rate) {
            return (scaled / rate).max(1);
        }
        let scaled = (u128::from(size) * u128::from(total)) << VirtualTime::FRACTION;
        let parts = scaled / (u128::from(weight) * u128::from(self.bytes.get().max(1)));
        u64::try_from(parts).unwrap_or(u64::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmission_times_are_exact_and_never_zero() {
        let unit = VirtualUnit { total_weight: 202, ..VirtualUnit::default() };
        assert_eq!(unit.units(1500, 1), 404.0);
        assert_eq!(unit.parts(1500, 100), (404 << 16) / 100);
        assert_eq!(VirtualUnit::default().parts(1, u32::MAX), 1);
        let wide = VirtualUnit { bytes: Bytes::new(1), total_weight: u32::MAX };
        assert_eq!(wide.parts(u64::MAX, 1), u64::MAX);
        assert_eq!(wide.parts(1 << 32, u32::MAX), 1 << 48);
    }

    #[test]
    fn the_end_of_the_clock_is_its_end() {
        assert_eq!(VirtualTime::from_units(u64::MAX).after(5).parts(), u64::MAX);
    }
}
