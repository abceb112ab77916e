//! Whether there is memory for the flows of a workload, before making them would end the program.

use forebay_switch::memory::{is_granted, rough};

use super::WorkloadError;
use crate::flow::{Flow, MAX_FLOWS};

/// That so many flows may be expected of random draws, and that there is memory for them.
///
/// # Errors
/// [`WorkloadError::TooMany`], or as of [`check`].
pub(super) fn check_expected(flows: f64, each: usize) -> Result<(), WorkloadError> {
    // Draws may give more than is expected.
    if flows > MAX_FLOWS as f64 / 2.0 {
        return Err(WorkloadError::TooMany);
    }
    check(flows as u64, each)
}

/// That there is memory for so many flows, each of which takes `each` bytes while they are made.
///
/// # Errors
/// [`WorkloadError::NoMemory`] says what they need.
pub(super) fn check(flows: u64, each: usize) -> Result<(), WorkloadError> {
    let needed = rough(flows.saturating_mul(each as u64));
    if is_granted(needed) { Ok(()) } else { Err(WorkloadError::NoMemory { flows, needed }) }
}

/// What a flow takes in a list that is then sorted, which takes a second list.
pub(super) const IN_ORDER: usize = 2 * size_of::<Flow>();

/// For how many events of a Poisson process room is kept. Where there are more, the list grows.
pub(super) fn at_most(expected: f64) -> usize {
    (expected * 1.0625) as usize + 64
}
