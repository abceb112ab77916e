//! Banks in line for the command that each needs next, in the order of a number (the age of what
//! they offer).

use crate::table::Table;
use crate::timers::Tick;

/// Lines for so many commands.
const LINES: usize = 4;

/// Where a line ends.
const END: u8 = u8::MAX;

/// The command that a bank needs, and so the line it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Read,
    Write,
    Activate,
    Precharge,
}

/// The bank of a line that goes first, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    /// [`Tick::MAX`] if there is none.
    pub(crate) tick: Tick,
    pub(crate) bank: u8,
}

impl First {
    pub(crate) const NONE: First = First { tick: Tick::MAX, bank: 0 };
}

/// A line for each [`Need`], sorted; a bank is in one of them at most. Removal is O(1), insertion
/// O(banks behind it).
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    needs: Table<Option<Need>>,
    ages: Table<u64>,
    before: Table<u8>,
    behind: Table<u8>,
    first: [u8; LINES],
    last: [u8; LINES],
    /// The banks in line, one bit each.
    members: [u64; LINES],
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            needs: Table::of(&None),
            ages: Table::of(&0),
            before: Table::of(&END),
            behind: Table::of(&END),
            first: [END; LINES],
            last: [END; LINES],
            members: [0; LINES],
        }
    }
}

impl Lines {
    /// What `bank` is in line for.
    #[inline]
    pub(crate) fn need(&self, bank: usize) -> Option<Need> {
        self.needs[bank]
    }

    /// The banks in line for `need`, oldest first.
    #[inline]
    pub(crate) fn iter(&self, need: Need) -> impl Iterator<Item = usize> + '_ {
        let mut next = self.first[need as usize];
        core::iter::from_fn(move || {
            let bank = usize::from(next);
            (next != END).then(|| {
                next = self.behind[bank];
                bank
            })
        })
    }

    /// The one of two that goes first: the older on a tie.
    #[inline]
    pub(crate) fn sooner(&self, one: First, other: First) -> First {
        let age = |first: First| self.ages[usize::from(first.bank)];
        let tie = one.tick == other.tick && age(other) < age(one);
        if other.tick < one.tick || tie { other } else { one }
    }

    /// Whether a bank outside the set `skip` is in line for `need`.
    #[inline]
    pub(crate) fn has_other_than(&self, need: Need, skip: u64) -> bool {
        self.members[need as usize] & !skip != 0
    }

    /// Puts `bank` in line for `need`, behind those of smaller or equal age, and takes it out of
    /// the line that it was in.
    #[inline]
    pub(crate) fn insert(&mut self, bank: usize, need: Need, age: u64) {
        self.remove(bank);
        let line = need as usize;
        let (mut before, mut behind) = (self.last[line], END);
        while before != END && self.ages[usize::from(before)] > age {
            behind = before;
            before = self.before[usize::from(before)];
        }
        self.needs[bank] = Some(need);
        self.ages[bank] = age;
        self.members[line] |= 1 << bank;
        self.join(line, before, bank as u8);
        self.join(line, bank as u8, behind);
    }

    /// Takes `bank` out of its line, if it is in one.
    #[inline]
    pub(crate) fn remove(&mut self, bank: usize) {
        if let Some(need) = self.needs[bank].take() {
            let line = need as usize;
            self.members[line] &= !(1 << bank);
            self.join(line, self.before[bank], self.behind[bank]);
        }
    }

    /// Makes `behind` follow `before`; either may be the end of the line.
    #[inline]
    fn join(&mut self, line: usize, before: u8, behind: u8) {
        match before {
            END => self.first[line] = behind,
            _ => self.behind[usize::from(before)] = behind,
        }
        match behind {
            END => self.last[line] = before,
            _ => self.before[usize::from(behind)] = before,
        }
    }

    /// Of the banks in line for `need` outside `skip`, the one with the smallest `at`, the first in
    /// line on a tie. No `at` is below `soonest`, so the search ends at the first
    /// bank that reaches it.
    #[inline]
    pub(crate) fn first(
        &self,
        need: Need,
        skip: u64,
        soonest: Tick,
        at: impl Fn(usize) -> Tick,
    ) -> First {
        let mut best = First::NONE;
        for bank in self.iter(need) {
            if (skip >> bank) & 1 == 1 {
                continue;
            }
            let tick = at(bank);
            if tick < best.tick {
                best = First { tick, bank: bank as u8 };
                if tick <= soonest {
                    break;
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::PLACES;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn stays_sorted_and_finds_the_soonest() {
        let mut lines = Lines::default();
        for (bank, age) in [(3, 30), (1, 10), (2, 20), (7, 5)] {
            lines.insert(bank, Need::Read, age);
        }
        assert!(lines.iter(Need::Read).eq([7, 1, 2, 3]));
        lines.remove(1);
        lines.remove(1);
        assert!(lines.iter(Need::Read).eq([7, 2, 3]));
        let at = |bank| if bank == 7 { 9 } else { 4 };
        assert_eq!(lines.first(Need::Read, 0, 0, at), First { tick: 4, bank: 2 });
        assert_eq!(lines.first(Need::Read, 1 << 2, 0, at), First { tick: 4, bank: 3 });
        assert!(!lines.has_other_than(Need::Read, 1 << 7 | 1 << 2 | 1 << 3));
        assert!(!lines.has_other_than(Need::Write, 0));
    }

    #[test]
    fn holds_every_bank() {
        let mut lines = Lines::default();
        (0..PLACES).for_each(|bank| lines.insert(bank, Need::Activate, 1000 - bank as u64));
        assert!(lines.iter(Need::Activate).eq((0..PLACES).rev()));
    }

    proptest! {
        #[test]
        fn is_a_sorted_list_each(
            moves in prop::collection::vec((0usize..64, 0usize..5, 0u64..50), 0..300),
        ) {
            const NEEDS: [Need; 4] = [Need::Read, Need::Write, Need::Activate, Need::Precharge];
            let mut lines = Lines::default();
            let mut naive: Vec<(Need, u64, usize)> = Vec::new();
            for (bank, need, age) in moves {
                naive.retain(|&(_, _, other)| other != bank);
                match NEEDS.get(need) {
                    Some(&need) => {
                        lines.insert(bank, need, age);
                        naive.push((need, age, bank));
                    }
                    None => lines.remove(bank),
                }
                for need in NEEDS {
                    let mut line: Vec<_> = naive.iter().filter(|one| one.0 == need).collect();
                    line.sort_by_key(|one| one.1);
                    prop_assert!(lines.iter(need).eq(line.iter().map(|one| one.2)));
                    let set = line.iter().fold(0, |set, one| set | 1u64 << one.2);
                    prop_assert_eq!(lines.members[need as usize], set);
                }
            }
        }
    }
}
