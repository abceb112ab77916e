//! A collective's flows one by one: the pairs of hosts and the sizes are those of a round, but each
//! flow begins independently, by a Poisson process at a load (Occamy §6.4).
//!
//! The paper's background has a load of 90 %, and for all-reduce it says "we generate flows based
//! on the prevailing double binary tree algorithm"; it leaves open whether these wait for each
//! other. Here none does; [`collective`](super::collective) has the rounds. O(flows); 24 bytes per
//! flow.

use alloc::vec::Vec;

use forebay_units::{Bytes, Duration, Time};
use forebay_workload::random::{ChaCha8Rng, exponential, stream, uniform};

use super::{
    CollectiveConfig, Load, Pattern, Repeat, WorkloadError, check_hosts, collective, room,
};
use crate::flow::Flow;

/// The parameters of [`pattern_flows`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatternConfig {
    /// Who sends to whom; each flow of a round is equally likely.
    pub pattern: Pattern,
    /// The number of hosts; at least 2.
    pub hosts: u32,
    /// The size, in bytes; the pattern says of what.
    pub bytes: Bytes,
    /// What the hosts offer on average; in an uneven pattern, some offer more.
    pub load: Load,
    /// No flow begins at this time or later.
    pub span: Duration,
    /// What all draws come from: the same seed gives the same flows.
    pub seed: u64,
}

/// The flows, ordered by their starts. Another load gives the same flows, stretched in time.
///
/// ```
/// use forebay_net::workload::{Load, Pattern, PatternConfig, pattern_flows};
/// use forebay_units::{Bytes, Duration, Rate};
///
/// let flows = pattern_flows(&PatternConfig {
///     pattern: Pattern::TreeAllReduce,
///     hosts: 128,
///     bytes: Bytes::new(2_000_000),
///     load: Load::of_hosts(0.9, Rate::from_gbps(100)),
///     span: Duration::from_ms(10),
///     seed: 1,
/// })?;
/// // 128 · 11.25 GB/s · 10 ms in flows of 1 MB.
/// assert!((13_500..15_300).contains(&flows.len()));
/// # Ok::<(), forebay_net::workload::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError`] if the parameters are impossible.
pub fn pattern_flows(config: &PatternConfig) -> Result<Vec<Flow>, WorkloadError> {
    check_hosts(config.hosts)?;
    let round = collective(&CollectiveConfig {
        pattern: config.pattern,
        hosts: (0..config.hosts).collect(),
        bytes: config.bytes,
        start: Time::ZERO,
        at_once: None,
        barrier: false,
        delay: Duration::ZERO,
        repeat: Repeat::Times(1),
    })?;
    let round = round.flows();
    let count = round.len() as f64;
    let mean = round.iter().map(|flow| flow.bytes.get() as f64).sum::<f64>() / count;
    let gap_ps = mean * 1e12 / (config.load.bytes_per_second()? * f64::from(config.hosts));
    let expected = config.span.as_ps() as f64 / gap_ps;
    room::check_expected(expected, room::IN_ORDER)?;
    let of = |name| stream(config.seed, name, 0);
    let (mut gaps, mut pairs): (ChaCha8Rng, ChaCha8Rng) = (of("flow gaps"), of("flow pairs"));
    let mut elapsed = 0.0;
    let next = || {
        elapsed += exponential(&mut gaps);
        let start = Time::from_ps((elapsed * gap_ps) as u64);
        let flow = round[(uniform(&mut pairs) * count) as usize];
        (start.since(Time::ZERO) < config.span)
            .then(|| Flow::new(flow.src, flow.dst, flow.bytes, start))
    };
    let mut flows = Vec::with_capacity(room::at_most(expected));
    flows.extend(core::iter::from_fn(next));
    Ok(flows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::Rate;

    fn config(pattern: Pattern) -> PatternConfig {
        PatternConfig {
            pattern,
            hosts: 16,
            bytes: Bytes::new(100_000),
            load: Load::of_hosts(0.5, Rate::from_gbps(10)),
            span: Duration::from_ms(200),
            seed: 3,
        }
    }

    #[test]
    fn the_load_is_offered_on_the_patterns_pairs_alone() {
        for pattern in Pattern::ALL {
            let config = config(pattern);
            let flows = pattern_flows(&config).unwrap();
            let bytes: u64 = flows.iter().map(|flow| flow.bytes.get()).sum();
            let expected = 16.0 * 0.5 * 10e9 / 8.0 * 0.2;
            let spread = 5.0 / (flows.len() as f64).sqrt();
            assert!(
                (bytes as f64 / expected - 1.0).abs() < spread,
                "{pattern}: {bytes} {expected}"
            );
            assert!(flows.is_sorted_by_key(|flow| flow.start));
            let round = CollectiveConfig {
                pattern,
                hosts: (0..16).collect(),
                bytes: config.bytes,
                start: Time::ZERO,
                at_once: None,
                barrier: false,
                delay: Duration::ZERO,
                repeat: Repeat::Times(1),
            };
            let pair = |flow: &Flow| (flow.src, flow.dst);
            let mut allowed: Vec<_> =
                collective(&round).unwrap().flows().iter().map(pair).collect();
            let mut seen: Vec<_> = flows.iter().map(pair).collect();
            for pairs in [&mut allowed, &mut seen] {
                pairs.sort_unstable();
                pairs.dedup();
            }
            assert_eq!(seen, allowed, "{pattern}");
        }
    }

    #[test]
    fn impossible_numbers_are_named() {
        let tree = config(Pattern::TreeAllReduce);
        let of = |config: PatternConfig| pattern_flows(&config);
        let without = Load { fraction: 0.0, ..tree.load };
        assert_eq!(of(PatternConfig { load: without, ..tree }), Err(WorkloadError::Load(0.0)));
        assert!(matches!(of(PatternConfig { hosts: 1, ..tree }), Err(WorkloadError::Hosts { .. })));
        let many = of(PatternConfig { hosts: u32::MAX, ..tree });
        assert_eq!(many, Err(WorkloadError::TooManyHosts(u32::MAX)));
        let span = Duration::MAX;
        assert_eq!(of(PatternConfig { span, ..tree }), Err(WorkloadError::TooMany));
    }
}
