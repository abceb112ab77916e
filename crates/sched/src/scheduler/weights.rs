//! Weights of flows. 4 bytes a flow that has its own.

use alloc::vec::Vec;
use core::fmt;

use forebay_parameters::Configure;

/// The weight of every flow, at least 1: one for all, and others for the flows that have their own.
///
/// ```
/// use forebay_sched::scheduler::Weights;
///
/// let weights = Weights::new(1, vec![4, 2])?;
/// assert_eq!([0, 1, 2].map(|flow| weights.of(flow)), [4, 2, 1]);
/// # Ok::<(), forebay_sched::scheduler::ZeroWeight>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Configure)]
pub struct Weights {
    /// Weights of the first flows, as 50:50:1:1 or 40:1x40.
    #[parameter(name = "weights", range = 1..=u32::MAX, default = Vec::new())]
    #[parameter(assumed = "equal flows; gearbox Table 3 has four sets")]
    of: Vec<u32>,
    /// The weight of all other flows.
    #[parameter(assumed = "equal flows", name = "default_weight", range = 1..=u32::MAX, default = 1)]
    default: u32,
    /// Low bits of a flow number that do not count.
    #[parameter(skip, default = 0)]
    ignored: u32,
}

impl Weights {
    /// Flow `n` has weight `of[n]`, and `default` if there is none.
    ///
    /// # Errors
    /// If a weight is zero.
    pub fn new(default: u32, of: Vec<u32>) -> Result<Self, ZeroWeight> {
        if default == 0 {
            return Err(ZeroWeight { flow: None });
        }
        if let Some(flow) = of.iter().position(|&weight| weight == 0) {
            return Err(ZeroWeight { flow: Some(flow as u32) });
        }
        Ok(Weights { default, of, ignored: 0 })
    }

    /// The same weights for pairs of flows, such as the two directions of a connection: those of
    /// pair `n`, flows 2n and 2n + 1.
    ///
    /// ```
    /// use forebay_sched::scheduler::Weights;
    ///
    /// let weights = Weights::new(1, vec![4, 2])?.of_pairs();
    /// assert_eq!([0, 1, 2, 3, 4].map(|flow| weights.of(flow)), [4, 4, 2, 2, 1]);
    /// # Ok::<(), forebay_sched::scheduler::ZeroWeight>(())
    /// ```
    #[must_use]
    pub fn of_pairs(self) -> Self {
        Weights { ignored: 1, ..self }
    }

    /// The weight of `flow`.
    #[inline]
    #[must_use]
    pub fn of(&self, flow: u32) -> u32 {
        self.of.get((flow >> self.ignored) as usize).copied().unwrap_or(self.default)
    }

    /// The smallest and the largest weight that a flow may have, the default included: flows
    /// without a weight of their own may come. Where all are listed, make the default one of
    /// theirs. O(flows).
    ///
    /// ```
    /// use forebay_sched::scheduler::Weights;
    ///
    /// assert_eq!(Weights::new(1, vec![50, 70])?.range(), (1, 70));
    /// assert_eq!(Weights::new(50, vec![50, 70])?.range(), (50, 70));
    /// # Ok::<(), forebay_sched::scheduler::ZeroWeight>(())
    /// ```
    #[must_use]
    pub fn range(&self) -> (u32, u32) {
        let all = || self.of.iter().copied().chain([self.default]);
        (all().min().unwrap_or(self.default), all().max().unwrap_or(self.default))
    }
}

/// A weight is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroWeight {
    /// The flow; `None` for the default.
    pub flow: Option<u32>,
}

impl fmt::Display for ZeroWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.flow {
            Some(flow) => write!(f, "the weight of flow {flow} is 0; give it at least 1"),
            None => write!(f, "the default weight is 0; give at least 1"),
        }
    }
}

impl core::error::Error for ZeroWeight {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_refused_and_named() {
        let error = Weights::new(1, alloc::vec![1, 0]).err();
        assert_eq!(error, Some(ZeroWeight { flow: Some(1) }));
        assert_eq!(Weights::new(0, Vec::new()).err(), Some(ZeroWeight { flow: None }));
    }
}
