//! Sources of requests: seeded, portable and endless. The same configuration gives the same requests on
//! every machine; randomness comes from named substreams of the seed ([`forebay_workload::random`]).
//!
//! | generator | what it imitates | rate |
//! |---|---|---|
//! | [`ZipfBursts`] | popular objects asked for in bursts | one request a time step |
//! | [`OnOff`] | sources that talk and fall silent | that of the sources |
//! | [`PacketFlows`] | flows of packets, each with a state of its own | 3 µs a packet (thesis Table 2.1) |
//! | [`CdnRequests`] | a content delivery network's proxy | 1 µs a request (thesis Table 2.1) |
//!
//! The thesis's own traces are not public; these have their published rates, not their contents.

mod cdn;
mod on_off;
mod packet_flows;
mod zipf;
mod zipf_bursts;

pub use cdn::{CdnConfig, CdnRequests};
pub use on_off::{OnOff, OnOffConfig};
pub use packet_flows::{PacketFlows, PacketFlowsConfig};
pub use zipf::{MAX_OBJECTS, Zipf};
pub use zipf_bursts::{BurstConfig, ZipfBursts};

use forebay_units::Duration;
use forebay_workload::random::{ChaCha8Rng, exponential};
use thiserror::Error;

/// A parameter of a generator that no stream can satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum GeneratorError {
    /// None, or too many objects.
    #[error("objects is {0}: give from 1 to {MAX_OBJECTS}")]
    Objects(u64),
    /// A Zipf exponent out of range.
    #[error("exponent is {0}: give a Zipf exponent from 0 to 8")]
    Exponent(f64),
    /// A burst of less than one request.
    #[error("mean_burst is {0}: give a mean of 1 to 1000000 requests")]
    Burst(f64),
    /// A span of no time at all.
    #[error("{name} is 0: give a span above 0 s")]
    NoTime {
        /// The parameter, as configurations name it.
        name: &'static str,
    },
    /// Not a share.
    #[error("{name} is {value}: give a share from 0 to 1")]
    Share {
        /// The parameter, as configurations name it.
        name: &'static str,
        /// The value that was given.
        value: f64,
    },
    /// A packet without bytes.
    #[error("packet_bytes is 0: give at least one byte")]
    NoPacket,
}

/// An exponential span of mean `mean`.
fn exponential_span(rng: &mut ChaCha8Rng, mean: Duration) -> Duration {
    Duration::from_ps((mean.as_ps() as f64 * exponential(rng)) as u64)
}

fn some_time(name: &'static str, span: Duration) -> Result<Duration, GeneratorError> {
    if span == Duration::ZERO { Err(GeneratorError::NoTime { name }) } else { Ok(span) }
}

fn mean_burst(mean: f64) -> Result<(), GeneratorError> {
    if (1.0..=1e6).contains(&mean) { Ok(()) } else { Err(GeneratorError::Burst(mean)) }
}

fn share(name: &'static str, value: f64) -> Result<f64, GeneratorError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(GeneratorError::Share { name, value })
    }
}

#[cfg(test)]
mod tests;
