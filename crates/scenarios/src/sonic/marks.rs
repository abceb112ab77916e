//! Early marks and drops of a queue, as its WRED profile has them.

use forebay_sonic::config::Ramp;
use forebay_workload::random::{ChaCha8Rng, uniform};

/// What becomes of a packet before it is asked whether it has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// Nothing.
    Nothing,
    /// It is marked: its sender knows ECN.
    Marked,
    /// It is dropped.
    Dropped,
}

/// What happens to a packet that finds `waiting` bytes in its queue: nothing up to the lower
/// threshold, something with a probability that grows to the upper one, and always above that. All
/// senders know ECN, so a profile that marks does not drop.
pub fn early(ramp: &Ramp, waiting: u64, random: &mut ChaCha8Rng) -> Early {
    let (min, max) = (ramp.min.get(), ramp.max.get());
    let happens = if waiting > max {
        true
    } else if waiting <= min {
        false
    } else {
        let part = (waiting - min) as f64 / (max - min) as f64;
        uniform(random) < part * f64::from(ramp.percent) / 100.0
    };
    match (happens, ramp.ecn, ramp.drops) {
        (true, true, _) => Early::Marked,
        (true, false, true) => Early::Dropped,
        (true, false, false) | (false, _, _) => Early::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::Bytes;
    use forebay_workload::random::stream;

    #[test]
    fn marks_set_in_between_the_thresholds_and_drops_only_without_ecn() {
        let ramp = Ramp {
            min: Bytes::new(1_000),
            max: Bytes::new(2_000),
            percent: 10,
            ecn: true,
            drops: true,
        };
        let mut random = stream(1, "marks", 0);
        let mut marked = |waiting, ramp: &Ramp| {
            (0..10_000).filter(|_| early(ramp, waiting, &mut random) == Early::Marked).count()
        };
        assert_eq!((marked(1_000, &ramp), marked(2_001, &ramp)), (0, 10_000));
        let half = marked(1_500, &ramp);
        assert!((400..600).contains(&half), "{half}");
        let step = Ramp { min: ramp.max, ..ramp };
        assert_eq!((marked(2_000, &step), marked(2_001, &step)), (0, 10_000));
        let red = Ramp { ecn: false, ..ramp };
        assert_eq!(early(&red, 9_999, &mut random), Early::Dropped);
        let off = Ramp { drops: false, ..red };
        assert_eq!(early(&off, 9_999, &mut random), Early::Nothing);
    }
}
