//! Deficit round robin that serves queues first which have just become active (RFC 8290 §4.2).
//!
//! A queue that becomes active joins the list of *new* queues with a quantum of credit, which is
//! served before the list of *old* ones; without credit it gets another quantum and goes to the end
//! of the old list; empty, it leaves the old list, or goes from the new list to the old one first,
//! so that it cannot come back to be new at once.
//!
//! Open, and chosen here: rounds in which no queue has credit are granted at once.
//!
//! Complexity: O(1) per packet while a quantum covers a largest packet, O(listed queues) otherwise.
//! Memory: 24 bytes a queue.

use alloc::vec;
use alloc::vec::Vec;

use super::active_list::ActiveList;

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    credit: i64,
    is_listed: bool,
}

/// Whose turn it is among numbered queues.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    quantum: i64,
    turns: Vec<Turn>,
    new: ActiveList,
    old: ActiveList,
}

impl Rounds {
    /// Nobody's turn yet. The quantum is in bytes, 0 counts as 1.
    pub(super) fn new(queues: usize, quantum: u32) -> Self {
        Rounds {
            quantum: i64::from(quantum.max(1)),
            turns: vec![Turn::default(); queues],
            new: ActiveList::default(),
            old: ActiveList::default(),
        }
    }

    /// `queue` holds something.
    pub(super) fn join(&mut self, queue: usize) {
        let turn = &mut self.turns[queue];
        if !turn.is_listed {
            *turn = Turn { credit: self.quantum, is_listed: true };
            self.new.append(queue);
        }
    }

    /// Whether `queue` takes part.
    pub(super) fn is_listed(&self, queue: usize) -> bool {
        self.turns[queue].is_listed
    }

    /// The queue whose turn it is; `None` if none takes part. It may be empty.
    pub(super) fn turn(&mut self) -> Option<usize> {
        loop {
            // Each at most twice: once new, once old.
            for _ in 0..=2 * self.new.len() + self.old.len() {
                let queue = self.new.first().or_else(|| self.old.first())?;
                if self.turns[queue].credit > 0 {
                    return Some(queue);
                }
                self.turns[queue].credit += self.quantum;
                self.move_on();
            }
            self.skip();
        }
    }

    /// The queue whose turn it is has sent so many bytes.
    pub(super) fn sent(&mut self, queue: usize, bytes: u32) {
        self.turns[queue].credit -= i64::from(bytes);
    }

    /// The queue whose turn it is, is empty. Whether it left.
    pub(super) fn emptied(&mut self, queue: usize) -> bool {
        if self.new.first().is_some() {
            self.move_on();
            return false;
        }
        self.old.remove_first();
        self.turns[queue].is_listed = false;
        true
    }

    /// The first queue goes to the end of the old ones.
    fn move_on(&mut self) {
        let Some(queue) = self.new.remove_first().or_else(|| self.old.remove_first()) else {
            return;
        };
        self.old.append(queue);
    }

    /// Grants the rounds in which no queue has credit, all but the last.
    #[cold]
    fn skip(&mut self) {
        let missing = |queue: usize| (-self.turns[queue].credit).max(0) / self.quantum;
        let rounds = self.old.iter().map(missing).min().unwrap_or(0);
        let mut next = self.old.first();
        while let Some(queue) = next {
            self.turns[queue].credit += rounds * self.quantum;
            next = self.old.after(queue);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_new_queue_is_old_before_it_may_be_new_again() {
        let mut rounds = Rounds::new(2, 1000);
        rounds.join(0);
        assert_eq!(rounds.turn(), Some(0));
        assert!(!rounds.emptied(0) && rounds.is_listed(0), "it is old");
        rounds.join(1);
        assert_eq!(rounds.turn(), Some(1), "the new one first");
        rounds.sent(1, 1500);
        assert_eq!(rounds.turn(), Some(0));
        assert!(rounds.emptied(0) && !rounds.is_listed(0));
        assert_eq!(rounds.turn(), Some(1));
    }

    #[test]
    fn many_rounds_without_credit_are_one_step() {
        let mut rounds = Rounds::new(2, 1);
        rounds.join(0);
        rounds.join(1);
        rounds.sent(0, u32::MAX);
        assert_eq!(rounds.turn(), Some(1));
        rounds.sent(1, u32::MAX);
        assert_eq!(rounds.turn(), Some(0));
    }
}
