//! Banks that wait for the same command, in the order of a number (the age of what they offer).

use crate::timers::Tick;

/// The most banks that a pseudo channel can have.
pub(crate) const MAX_BANKS: usize = 64;

/// A line of banks, sorted. Insertion and removal are O(banks in line) on bytes.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    banks: [u8; MAX_BANKS],
    len: usize,
    members: u64,
    ages: [u64; MAX_BANKS],
}

impl Default for Line {
    fn default() -> Self {
        Line { banks: [0; MAX_BANKS], len: 0, members: 0, ages: [0; MAX_BANKS] }
    }
}

impl Line {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.banks[..self.len].iter().map(|&bank| usize::from(bank))
    }

    /// Whether a bank outside the set `skip` is in line.
    pub(crate) fn has_other_than(&self, skip: u64) -> bool {
        self.members & !skip != 0
    }

    /// Takes `bank` in, behind those of smaller or equal age.
    pub(crate) fn insert(&mut self, bank: usize, age: u64) {
        self.ages[bank] = age;
        let mut place = self.len.min(MAX_BANKS - 1);
        while place > 0 && self.ages[usize::from(self.banks[place - 1])] > age {
            self.banks[place] = self.banks[place - 1];
            place -= 1;
        }
        self.banks[place] = bank as u8;
        self.len += 1;
        self.members |= 1 << bank;
    }

    /// Takes `bank` out, if it is in line.
    pub(crate) fn remove(&mut self, bank: usize) {
        let place = self.banks[..self.len].iter().position(|&other| usize::from(other) == bank);
        if let Some(place) = place {
            self.banks.copy_within(place + 1..self.len, place);
            self.len -= 1;
            self.members &= !(1 << bank);
        }
    }

    /// The bank outside `skip` with the smallest `at`, the first in line on a tie, with that clock.
    /// No `at` is below `soonest`, so the search ends at the first bank that reaches it.
    #[inline]
    pub(crate) fn first(
        &self,
        skip: u64,
        soonest: Tick,
        at: impl Fn(usize) -> Tick,
    ) -> Option<(Tick, usize)> {
        let mut best: Option<(Tick, usize)> = None;
        for bank in self.iter() {
            if (skip >> bank) & 1 == 1 {
                continue;
            }
            let tick = at(bank);
            if tick <= soonest {
                return Some((tick, bank));
            }
            if best.is_none_or(|(sooner, _)| tick < sooner) {
                best = Some((tick, bank));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_sorted_and_finds_the_soonest() {
        let mut line = Line::default();
        for (bank, age) in [(3, 30), (1, 10), (2, 20), (7, 5)] {
            line.insert(bank, age);
        }
        assert!(line.iter().eq([7, 1, 2, 3]));
        line.remove(1);
        line.remove(1);
        assert!(line.iter().eq([7, 2, 3]));
        let at = |bank| if bank == 7 { 9 } else { 4 };
        assert_eq!(line.first(0, 0, at), Some((4, 2)));
        assert_eq!(line.first(1 << 2, 0, at), Some((4, 3)));
        assert!(!line.has_other_than(1 << 7 | 1 << 2 | 1 << 3));
    }

    #[test]
    fn holds_every_bank() {
        let mut line = Line::default();
        (0..MAX_BANKS).for_each(|bank| line.insert(bank, 1000 - bank as u64));
        assert!(line.iter().eq((0..MAX_BANKS).rev()));
    }
}
