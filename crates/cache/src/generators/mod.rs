//! Sources of requests: seeded, portable and endless. The same configuration gives the same
//! requests on every machine; randomness comes from named substreams of the seed
//! ([`forebay_workload::random`]).
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

use core::ops::RangeInclusive;

use forebay_parameters::{ParameterError, grouped};
use forebay_units::Duration;
use forebay_workload::random::{ChaCha8Rng, exponential};

/// An exponential span of mean `mean`.
fn exponential_span(rng: &mut ChaCha8Rng, mean: Duration) -> Duration {
    Duration::from_ps((mean.as_ps() as f64 * exponential(rng)) as u64)
}

fn some_time(name: &'static str, span: Duration) -> Result<Duration, ParameterError> {
    let refused = || ParameterError::value(name, "it is 0; give a span above 0 s");
    if span == Duration::ZERO { Err(refused()) } else { Ok(span) }
}

fn mean_burst(mean: f64) -> Result<(), ParameterError> {
    within("mean_burst", mean, 1.0..=1e6)
}

fn within(name: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), ParameterError> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(ParameterError::value(name, format_args!("it is {value}; give from {least} to {most}")))
}

fn some_objects(name: &str, objects: u64) -> Result<(), ParameterError> {
    if (1..=MAX_OBJECTS).contains(&objects) {
        return Ok(());
    }
    let problem = format!("it is {}; give from 1 to {}", grouped(objects), grouped(MAX_OBJECTS));
    Err(ParameterError::value(name, problem))
}

#[cfg(test)]
mod tests;
