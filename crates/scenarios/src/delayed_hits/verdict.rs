//! Whether hit rates would choose the policy that latencies choose (thesis Fig. 2.4).

use std::cmp::Ordering;

/// What hit rates say about two policies, held against what latencies say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same.
    Agree,
    /// The other policy is better.
    Misleads,
    /// Nothing: by one of the two, neither policy is better.
    Tie,
}

impl Verdict {
    /// Of the misses of two policies in the classical model, and their latencies with delayed hits.
    ///
    /// ```
    /// use forebay_scenarios::delayed_hits::Verdict;
    ///
    /// assert_eq!(Verdict::of([90, 80], [5.0, 4.0]), Verdict::Agree);
    /// assert_eq!(Verdict::of([90, 80], [4.0, 5.0]), Verdict::Misleads);
    /// assert_eq!(Verdict::of([90, 90], [4.0, 5.0]), Verdict::Tie);
    /// ```
    #[must_use]
    pub fn of(misses: [u64; 2], latencies: [f64; 2]) -> Self {
        match (misses[0].cmp(&misses[1]), latencies[0].total_cmp(&latencies[1])) {
            (one, other) if one == other => Verdict::Agree,
            (Ordering::Equal, _) | (_, Ordering::Equal) => Verdict::Tie,
            (Ordering::Less | Ordering::Greater, _) => Verdict::Misleads,
        }
    }
}
