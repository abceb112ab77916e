//! Marks that set in by and by, as RED's: DCQCN's congestion point (SIGCOMM 2015, §3).
//!
//! Up to K_min bytes of a queue no packet is marked, beyond K_max every one, and between them a
//! share that grows from 0 to P_max. Which packets these are is drawn from a counter, so the same
//! packets give the same marks. O(1).

use crate::draws::mix;

/// The share of packets to mark, by the length of their queue.
#[derive(Clone, Debug)]
pub(super) struct Ramp {
    from: u64,
    to: u64,
    /// P_max, in 2^-32.
    most: u64,
    drawn: u64,
}

impl Ramp {
    /// From `from` to `to` bytes, up to the share `most`; each `switch` draws for itself.
    pub(super) fn new(from: u64, to: u64, most: f64, switch: u32) -> Self {
        let most = (most.clamp(0.0, 1.0) * 4_294_967_296.0) as u64;
        Ramp { from, to, most, drawn: u64::from(switch) << 32 }
    }

    /// Whether a packet is marked that finds `waiting` bytes, more than `from`, in its queue.
    pub(super) fn marks(&mut self, waiting: u64) -> bool {
        if waiting > self.to {
            return true;
        }
        self.drawn += 1;
        let part = u128::from(self.most) * u128::from(waiting.saturating_sub(self.from));
        let share = part / u128::from((self.to - self.from).max(1));
        u128::from(mix(self.drawn) >> 32) < share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_grows_with_the_queue() {
        let mut ramp = Ramp::new(5_000, 200_000, 0.01, 3);
        let mut marked = |waiting| (0..100_000).filter(|_| ramp.marks(waiting)).count();
        assert_eq!((marked(5_000), marked(200_001)), (0, 100_000));
        // Half of the way 0.5 %, at its end 1 %.
        let (half, end) = (marked(102_500), marked(200_000));
        assert!((400..600).contains(&half) && (900..1100).contains(&end), "{half}, {end}");
    }
}
