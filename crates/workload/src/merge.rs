//! Which input is next: a tournament (loser) tree over the next time of each input. Source: Knuth,
//! The Art of Computer Programming, vol. 3, §5.4.1 (replacement selection by a tree of losers).
//! O(n) to build, ⌈log₂ n⌉ branchless comparisons to replace the winner; two words per input.

/// The times of inputs, with the smallest at hand. Equal times are ordered by input.
#[derive(Clone, Debug)]
pub(crate) struct Tournament {
    /// The loser of each inner match, as a [`key`]: of match 1, which decides, and so on.
    losers: Vec<u128>,
    winner: u128,
}

const INPUT_BITS: u32 = 32;

fn key(time: u64, input: usize) -> u128 {
    u128::from(time) << INPUT_BITS | input as u128
}

impl Tournament {
    /// The tournament of `times[input]` (at most 2³² of them); `u64::MAX` never wins against
    /// another.
    pub(crate) fn new(times: &[u64]) -> Self {
        let leaves = times.len().next_power_of_two();
        let mut winners = vec![0; leaves];
        winners.extend(
            (0..leaves).map(|input| key(times.get(input).copied().unwrap_or(u64::MAX), input)),
        );
        let mut losers = vec![0; leaves - 1];
        for node in (1..leaves).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            winners[node] = left.min(right);
            losers[node - 1] = left.max(right);
        }
        Tournament { losers, winner: winners[1] }
    }

    /// The smallest time and its input.
    #[inline]
    pub(crate) fn winner(&self) -> (u64, usize) {
        ((self.winner >> INPUT_BITS) as u64, self.winner as u32 as usize)
    }

    /// Sets the winning input's next time.
    #[inline]
    pub(crate) fn replace_winner(&mut self, time: u64) {
        let input = self.winner as u32 as usize;
        let mut winner = key(time, input);
        let mut node = (self.losers.len() + 1 + input) / 2;
        // Match 0 is behind the last.
        while let Some(loser) = self.losers.get_mut(node.wrapping_sub(1)) {
            let first = winner.min(*loser);
            // The other of the two.
            *loser ^= winner ^ first;
            winner = first;
            node /= 2;
        }
        self.winner = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_scan(
            mut times in vec(0u64..50, 1..40),
            steps in vec(0u64..9, 0..300),
        ) {
            let mut tree = Tournament::new(&times);
            for step in steps {
                let scanned = (0..times.len()).min_by_key(|input| (times[*input], *input)).unwrap();
                prop_assert_eq!(tree.winner(), (times[scanned], scanned));
                times[scanned] = if step == 8 { u64::MAX } else { times[scanned].saturating_add(step) };
                tree.replace_winner(times[scanned]);
            }
        }
    }
}
