//! Generalized processor sharing: the fluid server that fair queueing imitates, exactly.
//!
//! In a fluid server of rate r, every backlogged session i is served at r · w_i / W at any instant,
//! W the sum of the weights of the backlogged ones. Source: gearbox §2.1 and its footnote on
//! virtual time, with the definitions of Demers, Keshav, Shenker and of Parekh and Gallager.
//!
//! - [`GpsClock`]: the virtual time, as a WFQ scheduler needs it: O(log n) amortized per packet.
//! - [`FluidServer`]: the whole server, packet by packet, O(n) per event: the reference in tests.
//! - [`max_min`]: what constant demands get in the long run.
//!
//! Arithmetic. Work is counted in pico-bits (10^-12 bit), because r bits per second for t
//! picoseconds is exactly r · t of them. Virtual time is in pico-bits per unit of weight, whole
//! numbers; a fraction of one is not rounded away but kept as work that is still to be done, so all
//! work is accounted for. Against real numbers, virtual time is late by less than one unit for each
//! time that a session arrives or goes idle: 10^12 such events make one bit. A packet's size over
//! its weight is rounded up. All is in 128 bits: work cannot overflow (2^64 ps at 2^64 b/s), and
//! virtual time and tags saturate, which no server reaches within the 213 days of
//! [`Time`](forebay_units::Time).

mod allocation;
mod clock;
mod fluid;
#[cfg(test)]
mod tests;

pub use allocation::max_min;
pub use clock::{GpsClock, GpsStamp};
pub use fluid::{Finished, FluidServer};

/// Pico-bits per byte.
pub const PICOBITS_PER_BYTE: u128 = 8_000_000_000_000;

/// Virtual time that `size` bytes of a session of `weight` take, in pico-bits per unit of weight.
#[inline]
fn virtual_span(size: u32, weight: u32) -> u128 {
    (u128::from(size) * PICOBITS_PER_BYTE).div_ceil(u128::from(weight.max(1)))
}
