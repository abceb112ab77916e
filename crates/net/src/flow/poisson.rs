//! Flows that begin by a Poisson process at each host, with sizes from an empirical distribution and any
//! other host as destination (Themis §6.3.2, Occamy §6.4).
//!
//! Left open there, chosen here: the load is that of the hosts' links, counted in payload (headers and
//! acknowledgements come on top). Sizes, gaps and destinations come from three substreams per host, and a
//! flow begins at (sum of unit exponentials) · (mean gap): another load has the same flows, stretched in
//! time. O(flows · log flows); 24 bytes a flow.

use alloc::vec::Vec;
use core::fmt;

use forebay_units::{Duration, Rate, Time};
use forebay_workload::SizeDistribution;
use forebay_workload::random::{ChaCha8Rng, exponential, stream, uniform};

use super::{Flow, MAX_FLOWS};

/// What [`poisson_flows`] makes.
#[derive(Clone, Debug)]
pub struct PoissonConfig {
    /// Hosts that send and receive; at least 2.
    pub hosts: u32,
    /// The rate of each host's link.
    pub rate: Rate,
    /// The fraction of that rate which each host sends on average.
    pub load: f64,
    /// How large flows are.
    pub sizes: SizeDistribution,
    /// No flow begins at or after this.
    pub span: Duration,
    /// The seed.
    pub seed: u64,
}

/// Why there are no such flows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoissonError {
    /// Fewer than two hosts.
    Hosts(u32),
    /// A load or a rate that is not above zero, or not finite.
    Load(f64),
    /// More than [`MAX_FLOWS`].
    TooMany,
}

impl fmt::Display for PoissonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PoissonError::Hosts(hosts) => {
                write!(f, "{hosts} hosts cannot send to each other: give at least 2")
            }
            PoissonError::Load(load) => write!(
                f,
                "a load of {load} cannot be offered: give a fraction of the link rate above 0, and \
                 a rate above 0"
            ),
            PoissonError::TooMany => {
                write!(f, "more than {MAX_FLOWS} flows: give a shorter span or a lower load")
            }
        }
    }
}

impl core::error::Error for PoissonError {}

/// The flows, in order of their starts.
///
/// ```
/// use forebay_net::flow::{PoissonConfig, poisson_flows};
/// use forebay_units::{Duration, Rate};
/// use forebay_workload::SizeDistribution;
///
/// let flows = poisson_flows(&PoissonConfig {
///     hosts: 144,
///     rate: Rate::from_gbps(50),
///     load: 0.8,
///     sizes: SizeDistribution::builtin("websearch")?,
///     span: Duration::from_ms(4),
///     seed: 1,
/// })?;
/// assert!((1400..2000).contains(&flows.len()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PoissonError`] if the numbers are impossible.
pub fn poisson_flows(config: &PoissonConfig) -> Result<Vec<Flow>, PoissonError> {
    if config.hosts < 2 {
        return Err(PoissonError::Hosts(config.hosts));
    }
    let gap_ps = config.sizes.mean() * 8e12 / (config.rate.as_bps() as f64 * config.load);
    let offered = config.load.is_finite() && config.load > 0.0 && gap_ps.is_finite();
    if !offered {
        return Err(PoissonError::Load(config.load));
    }
    let expected = config.span.as_ps() as f64 / gap_ps * f64::from(config.hosts);
    if expected > MAX_FLOWS as f64 / 2.0 {
        return Err(PoissonError::TooMany);
    }
    let mut flows = Vec::new();
    for src in 0..config.hosts {
        flows_of_host(config, src, gap_ps, &mut flows);
    }
    flows.sort_by_key(|flow| flow.start);
    Ok(flows)
}

fn flows_of_host(config: &PoissonConfig, src: u32, gap_ps: f64, flows: &mut Vec<Flow>) {
    let of = |name| stream(config.seed, name, u64::from(src));
    let (mut gaps, mut sizes, mut peers): (ChaCha8Rng, ChaCha8Rng, ChaCha8Rng) =
        (of("flow gaps"), of("flow sizes"), of("flow destinations"));
    let mut elapsed = 0.0;
    loop {
        elapsed += exponential(&mut gaps);
        let start = Time::from_ps((elapsed * gap_ps) as u64);
        if start.since(Time::ZERO) >= config.span {
            return;
        }
        let step = 1 + (uniform(&mut peers) * f64::from(config.hosts - 1)) as u32;
        let dst = ((u64::from(src) + u64::from(step)) % u64::from(config.hosts)) as u32;
        flows.push(Flow::new(src, dst, config.sizes.sample(&mut sizes), start));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn config(load: f64) -> PoissonConfig {
        PoissonConfig {
            hosts: 20,
            rate: Rate::from_gbps(50),
            load,
            sizes: SizeDistribution::builtin("hadoop").unwrap(),
            span: Duration::from_ms(100),
            seed: 7,
        }
    }

    #[test]
    fn the_load_is_offered() {
        let config = config(0.6);
        let flows = poisson_flows(&config).unwrap();
        assert!(flows.iter().all(|flow| flow.check(20).is_ok()));
        let sum =
            |power: i32| flows.iter().map(|f| (f.bytes.get() as f64).powi(power)).sum::<f64>();
        let expected = 20.0 * 0.6 * 50e9 / 8.0 * 0.1;
        // A compound Poisson sum has the variance (flows) · E[size²].
        assert!((sum(1) - expected).abs() < 4.0 * sum(2).sqrt(), "{} {expected}", sum(1));
        assert!(4.0 * sum(2).sqrt() < 0.2 * expected);
        let mut received = [0u32; 20];
        flows.iter().for_each(|flow| received[flow.dst as usize] += 1);
        let mean = flows.len() as f64 / 20.0;
        assert!(received.iter().all(|&n| (f64::from(n) - mean).abs() < 5.0 * mean.sqrt()));
    }

    #[test]
    fn impossible_numbers_are_named() {
        for load in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(poisson_flows(&config(load)), Err(PoissonError::Load(_))));
        }
        let none = PoissonConfig { rate: Rate::from_bps(0), ..config(0.5) };
        assert!(matches!(poisson_flows(&none), Err(PoissonError::Load(_))));
        let one = PoissonConfig { hosts: 1, ..config(0.5) };
        assert!(poisson_flows(&one).unwrap_err().to_string().starts_with("1 hosts"));
        let long = PoissonConfig { span: Duration::MAX, ..config(0.5) };
        assert_eq!(poisson_flows(&long), Err(PoissonError::TooMany));
    }
}
