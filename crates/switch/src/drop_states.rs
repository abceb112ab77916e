//! What a switch was like whenever it lost a packet: how full its buffer was, and how many of its
//! ports were sending (occamy §3.1, Fig. 6).
//!
//! The paper plots the utilization of the memory's bandwidth without saying over what span it is
//! taken. Here it is that of the instant: the rates of the ports that are sending, over those of
//! all. In steps of a hundredth; 1.6 KB a switch.

/// Counts of lost packets by state, in hundredths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropStates {
    filled: [u64; STEPS],
    busy: [u64; STEPS],
}

/// 0 to 100 %.
const STEPS: usize = 101;

impl Default for DropStates {
    fn default() -> Self {
        DropStates { filled: [0; STEPS], busy: [0; STEPS] }
    }
}

impl DropStates {
    /// Counts a lost packet: which share of the buffer was in use, and which share of the ports'
    /// rates.
    pub fn count(&mut self, filled: f64, busy: f64) {
        // A share that is not a number counts as none.
        let step = |share: f64| {
            let (percent, whole) = (100.0 * share, (100.0 * share) as usize);
            // To the nearest step, without a float library.
            whole.saturating_add(usize::from(percent - whole as f64 >= 0.5)).min(STEPS - 1)
        };
        self.filled[step(filled)] += 1;
        self.busy[step(busy)] += 1;
    }

    /// Adds the counts of another switch.
    pub fn add(&mut self, other: &DropStates) {
        let sum = |ours: &mut [u64; STEPS], theirs: &[u64; STEPS]| {
            ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| *ours += theirs);
        };
        sum(&mut self.filled, &other.filled);
        sum(&mut self.busy, &other.busy);
    }

    /// The share of the buffer that a fraction `part` of the lost packets did not find more of in
    /// use; `None` if nothing was lost.
    #[must_use]
    pub fn filled(&self, part: f64) -> Option<f64> {
        percentile(&self.filled, part)
    }

    /// The same of the ports' rates.
    #[must_use]
    pub fn busy(&self, part: f64) -> Option<f64> {
        percentile(&self.busy, part)
    }
}

fn percentile(counts: &[u64; STEPS], part: f64) -> Option<f64> {
    let all: u64 = counts.iter().sum();
    let whole = (part * all as f64) as u64;
    let rank = whole + u64::from(part * all as f64 > whole as f64);
    let rank = rank.clamp(1, all.max(1));
    let mut seen = 0;
    let found = counts.iter().position(|count| {
        seen += count;
        seen >= rank
    });
    found.map(|step| step as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_rank() {
        let mut states = DropStates::default();
        assert_eq!((states.filled(0.5), states.busy(0.99)), (None, None));
        for step in 1..=100 {
            states.count(f64::from(step) / 100.0, 0.25);
        }
        let twice = states.clone();
        states.add(&twice);
        assert_eq!((states.filled(0.5), states.filled(0.99)), (Some(0.5), Some(0.99)));
        assert_eq!(states.busy(0.5), Some(0.25));
        states.count(f64::NAN, 7.0);
        assert_eq!(states.busy(1.0), Some(1.0));
    }
}
