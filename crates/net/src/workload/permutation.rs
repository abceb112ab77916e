//! A permutation: every host sends to one other host, and receives from one.
//!
//! Not from the papers; the usual test of a fabric's paths. The permutation is one random cycle
//! through all hosts (Sattolo's shuffle), uniform among cycles, so that no host sends to itself.
//! O(hosts).

use alloc::vec::Vec;

use forebay_units::{Bytes, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::{WorkloadError, check_hosts, check_size, room};
use crate::flow::Flow;

/// The parameters of [`permutation_flows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermutationConfig {
    /// The number of hosts; at least 2.
    pub hosts: u32,
    /// The bytes that each sends.
    pub bytes: Bytes,
    /// When all flows begin.
    pub start: Time,
    /// What the permutation is drawn from: the same seed gives the same one.
    pub seed: u64,
}

/// One flow from each host, in order of the hosts.
///
/// ```
/// use forebay_net::workload::{PermutationConfig, permutation_flows};
/// use forebay_units::{Bytes, Time};
///
/// let flows = permutation_flows(&PermutationConfig {
///     hosts: 4,
///     bytes: Bytes::new(1_000_000),
///     start: Time::ZERO,
///     seed: 1,
/// })?;
/// let mut received: Vec<_> = flows.iter().map(|flow| flow.dst).collect();
/// received.sort_unstable();
/// assert_eq!(received, [0, 1, 2, 3]);
/// # Ok::<(), forebay_net::workload::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError`] if the parameters are impossible.
pub fn permutation_flows(config: &PermutationConfig) -> Result<Vec<Flow>, WorkloadError> {
    check_hosts(config.hosts)?;
    check_size("bytes", config.bytes, 1)?;
    room::check(config.hosts.into(), room::IN_ORDER)?;
    let mut rng: ChaCha8Rng = stream(config.seed, "permutation", 0);
    let mut peers: Vec<u32> = (0..config.hosts).collect();
    for last in (1..peers.len()).rev() {
        // Never `last` itself: that is what makes it one cycle.
        peers.swap(last, (uniform(&mut rng) * last as f64) as usize);
    }
    let (bytes, start) = (config.bytes, config.start);
    Ok((0..).zip(peers).map(|(src, dst)| Flow::new(src, dst, bytes, start)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn config(hosts: u32, bytes: u64, seed: u64) -> PermutationConfig {
        PermutationConfig { hosts, bytes: Bytes::new(bytes), start: Time::ZERO, seed }
    }

    proptest! {
        #[test]
        fn every_host_sends_and_receives_once(hosts in 2u32..200, seed in any::<u64>()) {
            let flows = permutation_flows(&config(hosts, 7, seed)).unwrap();
            prop_assert!(flows.iter().all(|flow| flow.check(hosts).is_ok()));
            let mut at = 0;
            for _ in 1..hosts {
                at = flows[at as usize].dst;
                prop_assert!(at != 0, "the cycle is shorter than {hosts}");
            }
            prop_assert_eq!(flows[at as usize].dst, 0);
        }
    }

    #[test]
    fn impossible_numbers_are_named() {
        let none = permutation_flows(&config(1, 1, 0));
        assert_eq!(none, Err(WorkloadError::Hosts { found: 1, least: 2 }));
        let many = permutation_flows(&config(4_000_000_000, 1, 0));
        assert_eq!(many, Err(WorkloadError::TooManyHosts(4_000_000_000)));
        assert!(matches!(permutation_flows(&config(2, 0, 0)), Err(WorkloadError::Size { .. })));
    }
}
