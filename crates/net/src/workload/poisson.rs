//! Flows that begin by a Poisson process at each host, with sizes from an empirical distribution
//! and a random other host as destination (Themis §6.3.2, Occamy §6.4, Gearbox §4.1.1).
//!
//! The papers leave open what the load is a fraction of; here it is a parameter ([`Load`]). Sizes,
//! gaps and destinations come from three substreams per host, and a flow begins at (sum of unit
//! exponentials) · (mean gap): another load gives the same flows, stretched in time. O(flows · log
//! flows); 24 bytes per flow.

use alloc::vec::Vec;

use forebay_units::{Duration, Rate, Time};
use forebay_workload::SizeDistribution;
use forebay_workload::random::{ChaCha8Rng, exponential, stream, uniform};

use super::{Load, WorkloadError, check_hosts, room};
use crate::flow::Flow;

/// The parameters of [`poisson_flows`].
#[derive(Clone, Debug)]
pub struct PoissonConfig {
    /// The number of hosts that send and receive; at least 2.
    pub hosts: u32,
    /// What they offer.
    pub load: Load,
    /// How large flows are.
    pub sizes: SizeDistribution,
    /// No flow begins at this time or later.
    pub span: Duration,
    /// What all draws come from: the same seed gives the same flows.
    pub seed: u64,
}

/// The flows, ordered by their starts.
///
/// ```
/// use forebay_net::workload::{Load, PoissonConfig, poisson_flows};
/// use forebay_units::{Duration, Rate};
/// use forebay_workload::SizeDistribution;
///
/// let flows = poisson_flows(&PoissonConfig {
///     hosts: 144,
///     load: Load::of_hosts(0.8, Rate::from_gbps(50)),
///     sizes: SizeDistribution::builtin("websearch")?,
///     span: Duration::from_ms(4),
///     seed: 1,
/// })?;
/// assert!((1400..2000).contains(&flows.len()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WorkloadError`] if the parameters are impossible, or if flows are so large that one alone
/// would load a host for the whole span: sizes in bits are often detected this way.
pub fn poisson_flows(config: &PoissonConfig) -> Result<Vec<Flow>, WorkloadError> {
    check_hosts(config.hosts)?;
    if config.span == Duration::ZERO {
        return Err(WorkloadError::NoSpan);
    }
    let bytes_per_second = config.load.bytes_per_second()?;
    let mean = config.sizes.mean();
    let gap_ps = mean * 1e12 / bytes_per_second;
    let expected = config.span.as_ps() as f64 / gap_ps * f64::from(config.hosts);
    room::check_expected(expected, room::IN_ORDER)?;
    if gap_ps * config.load.fraction > config.span.as_ps() as f64 {
        let rate = Rate::from_bps((8.0 * bytes_per_second / config.load.fraction) as u64);
        return Err(WorkloadError::LargeFlows { mean, rate, span: config.span });
    }
    let mut flows = Vec::with_capacity(room::at_most(expected));
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
    use crate::workload::LinkSet;
    use alloc::string::ToString;

    fn config(load: f64) -> PoissonConfig {
        PoissonConfig {
            hosts: 20,
            load: Load::of_hosts(load, Rate::from_gbps(50)),
            sizes: SizeDistribution::builtin("hadoop").unwrap(),
            span: Duration::from_ms(100),
            seed: 7,
        }
    }

    #[test]
    fn the_load_is_offered() {
        let per_host = Rate::from_gbps(25);
        let uplinks = Load { fraction: 0.9, of: LinkSet::Uplinks { per_host, crossing: 0.75 } };
        for (config, bps) in
            [(config(0.6), 0.6 * 50e9), (PoissonConfig { load: uplinks, ..config(1.0) }, 30e9)]
        {
            let flows = poisson_flows(&config).unwrap();
            assert!(flows.iter().all(|flow| flow.check(20).is_ok()));
            let sum =
                |power: i32| flows.iter().map(|f| (f.bytes.get() as f64).powi(power)).sum::<f64>();
            let expected = 20.0 * bps / 8.0 * 0.1;
            // A compound Poisson sum has the variance (flows) · E[size²].
            assert!((sum(1) - expected).abs() < 4.0 * sum(2).sqrt(), "{} {expected}", sum(1));
            assert!(4.0 * sum(2).sqrt() < 0.2 * expected);
            let mut received = [0u32; 20];
            flows.iter().for_each(|flow| received[flow.dst as usize] += 1);
            let mean = flows.len() as f64 / 20.0;
            assert!(received.iter().all(|&n| (f64::from(n) - mean).abs() < 5.0 * mean.sqrt()));
        }
    }

    #[test]
    fn impossible_numbers_are_named() {
        for none in [-1.0, 0.0, 80.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(poisson_flows(&config(none)), Err(WorkloadError::Load(_))));
        }
        let one = PoissonConfig { hosts: 1, ..config(0.5) };
        assert!(poisson_flows(&one).unwrap_err().to_string().starts_with("1 hosts"));
        let many = PoissonConfig { hosts: u32::MAX, ..config(0.5) };
        assert_eq!(poisson_flows(&many), Err(WorkloadError::TooManyHosts(u32::MAX)));
        let none = PoissonConfig { span: Duration::ZERO, ..config(0.5) };
        assert_eq!(poisson_flows(&none), Err(WorkloadError::NoSpan));
        let long = PoissonConfig { span: Duration::MAX, ..config(0.5) };
        assert_eq!(poisson_flows(&long), Err(WorkloadError::TooMany));
        // 150 MB take 24 ms; in bits, 190 ms.
        let of =
            |bytes| SizeDistribution::from_csv(&alloc::format!("0,0\n{bytes},1"), "t").unwrap();
        let bytes = PoissonConfig { sizes: of(300_000_000u64), ..config(0.5) };
        assert!(poisson_flows(&bytes).is_ok());
        let bits = PoissonConfig { sizes: of(8 * 300_000_000), ..config(0.5) };
        let text = poisson_flows(&bits).unwrap_err().to_string();
        assert!(text.contains("take longer at 50 Gb/s than the span of 100 ms"), "{text}");
        assert!(text.contains("not bits"), "{text}");
    }
}
