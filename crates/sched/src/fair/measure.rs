//! How fair an approximation is: departure time discrepancy and the normalized fairness measure.
//!
//! Source: gearbox §2.3 (Eq. 1), §2.4 (Eq. 2), §4.1.2. Pure functions over what a run recorded.
//!
//! Open, and chosen here: the normalized fairness measure of weighted flows divides each flow's
//! bytes by what it should have sent by its weight, so that for equal weights it is the paper's FM
//! / expected bytes.

use alloc::vec;
use alloc::vec::Vec;

use forebay_units::{Duration, Time};

use super::virtual_time::VirtualTime;

/// A packet's departure time discrepancy in units (Eq. 1): how much later than its ideal departure
/// time `f` the system time `d` was when it left; never negative.
///
/// ```
/// use forebay_sched::fair::VirtualTime;
/// use forebay_sched::fair::measure::{discrepancy, normalized_discrepancy};
///
/// // gearbox §2.4: packets due at 11 and 91 leave at 19 and 99.
/// let [a, f, d] = [10, 11, 19].map(VirtualTime::from_units);
/// assert_eq!((discrepancy(f, d), normalized_discrepancy(a, f, d)), (8.0, 8.0));
/// ```
#[must_use]
pub fn discrepancy(f: VirtualTime, d: VirtualTime) -> f64 {
    d.since(f)
}

/// The discrepancy over the delay expected at arrival `a` (Eq. 2). Infinite if a packet that
/// expected no delay was late.
#[must_use]
pub fn normalized_discrepancy(a: VirtualTime, f: VirtualTime, d: VirtualTime) -> f64 {
    let late = discrepancy(f, d);
    if late == 0.0 { 0.0 } else { late / f.since(a) }
}

/// The normalized fairness measure of flows given as (bytes sent, weight): the largest difference
/// of two flows' shares, each relative to the share it should have had. 0 is fair; `None` if
/// nothing was sent, which is neither fair nor unfair.
///
/// ```
/// use forebay_sched::fair::measure::normalized_fairness;
///
/// // gearbox §4.1.2: four equal flows, 128 kB each expected, 32 kB apart.
/// let sent = [144_000, 112_000, 128_000, 128_000].map(|bytes| (bytes, 1));
/// assert_eq!(normalized_fairness(&sent), Some(0.25));
/// ```
#[must_use]
pub fn normalized_fairness(flows: &[(u64, u32)]) -> Option<f64> {
    let sent: u64 = flows.iter().map(|(bytes, _)| bytes).sum();
    let weight: u64 = flows.iter().map(|(_, weight)| u64::from(*weight)).sum();
    if sent == 0 || weight == 0 {
        return None;
    }
    let per_weight = sent as f64 / weight as f64;
    let relative = flows.iter().filter(|(_, weight)| *weight > 0);
    let relative = relative.map(|(bytes, weight)| *bytes as f64 / f64::from(*weight) / per_weight);
    let (least, most) = relative
        .fold((f64::INFINITY, 0.0_f64), |(least, most), share| (least.min(share), most.max(share)));
    Some(most - least)
}

/// A packet that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When.
    pub at: Time,
    /// Whose packet it was.
    pub flow: u32,
    /// The packet's size.
    pub bytes: u32,
}

/// The normalized fairness measure of every whole window of length `scale` from `from` to `until`,
/// in order: flow `n` has weight `weights[n]`, flows without are left out; `None` for a window in
/// which nothing was sent. `sent` must be in order of time. O(packets + windows · flows); no
/// windows if `scale` is zero.
///
/// ```
/// use forebay_sched::fair::measure::{Sent, fairness_over};
/// use forebay_units::{Duration, Time};
///
/// let sent: Vec<Sent> = (0..8)
///     .map(|n| Sent { at: Time::from_ps(n), flow: (n % 2) as u32, bytes: 100 })
///     .collect();
/// let span = (Time::ZERO, Time::from_ps(8));
/// assert_eq!(fairness_over(&sent, &[1, 1], span, Duration::from_ps(4)), [Some(0.0); 2]);
/// assert_eq!(fairness_over(&sent, &[1, 1], span, Duration::from_ps(1))[0], Some(2.0));
/// ```
#[must_use]
pub fn fairness_over(
    sent: &[Sent],
    weights: &[u32],
    (from, until): (Time, Time),
    scale: Duration,
) -> Vec<Option<f64>> {
    let mut windows = Vec::new();
    if scale == Duration::ZERO {
        return windows;
    }
    let mut bytes = vec![0u64; weights.len()];
    let mut packets = sent.iter().skip_while(|packet| packet.at < from).peekable();
    for window in 1..=until.since(from).as_ps() / scale.as_ps() {
        let end = from + scale * window;
        while let Some(packet) = packets.next_if(|packet| packet.at < end) {
            if let Some(bytes) = bytes.get_mut(packet.flow as usize) {
                *bytes += u64::from(packet.bytes);
            }
        }
        let flows: Vec<_> = bytes.iter().copied().zip(weights.iter().copied()).collect();
        windows.push(normalized_fairness(&flows));
        bytes.fill(0);
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_section_2_4() {
        let [arrived, near, far] = [10, 11, 91].map(VirtualTime::from_units);
        let [left_near, left_far] = [19, 99].map(VirtualTime::from_units);
        assert_eq!([discrepancy(near, left_near), discrepancy(far, left_far)], [8.0, 8.0]);
        assert_eq!(normalized_discrepancy(arrived, near, left_near), 8.0);
        assert_eq!(normalized_discrepancy(arrived, far, left_far), 8.0 / 81.0);
        assert_eq!(normalized_discrepancy(arrived, far, near), 0.0);
    }

    #[test]
    fn weights_count_and_silence_is_no_measurement() {
        assert_eq!(normalized_fairness(&[(300, 3), (100, 1)]), Some(0.0));
        let shut_out = normalized_fairness(&[(400, 3), (0, 1)]);
        assert!(shut_out.is_some_and(|nfm| (nfm - 4.0 / 3.0).abs() < 1e-12));
        assert_eq!(normalized_fairness(&[]), None);
        assert_eq!(normalized_fairness(&[(0, 1), (0, 1)]), None);
    }

    #[test]
    fn only_whole_windows_count() {
        let at = |ps| Sent { at: Time::from_ps(ps), flow: 0, bytes: 1 };
        let sent = [at(0), at(5), at(9), at(10)];
        let span = (Time::from_ps(5), Time::from_ps(21));
        let windows = fairness_over(&sent, &[1, 1], span, Duration::from_ps(5));
        assert_eq!(windows, [Some(2.0), Some(2.0), None]);
        assert!(fairness_over(&sent, &[1], span, Duration::ZERO).is_empty());
    }
}
