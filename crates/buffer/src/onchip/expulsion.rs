//! Expulsion: dropping packets that wait, with the read bandwidth that departures leave (occamy
//! §4.3).
//!
//! Between two calls nothing but expulsions changes the buffer, so they are carried out when the
//! next call comes, one by one at the instants at which their bandwidth was there. Driving the
//! buffer only by enqueue and dequeue gives the same packets at the same times as asking it for
//! every event.

use forebay_units::{Duration, Time};

use super::buffer::SharedBuffer;
use super::occupancy::PoolView;
use super::policy::Removal;
use forebay_sched::DropCause;

impl SharedBuffer {
    /// Lets every expulsion happen that is due by `now`; [`SharedBuffer::losses`] then has them.
    /// Every other call does this first, so it is needed only by callers that want to see them in
    /// between.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        self.losses.clear();
        let before = self.now;
        self.now = before.max(now);
        if self.expels {
            self.expel_due(before);
        }
        self.spare.settle(self.now);
    }

    fn expel_due(&mut self, before: Time) {
        let least = self.memory.release_cycles(0);
        while self.spare.ready_at(least) <= self.now {
            let Some((pool, id)) = self.next_expelled() else { break };
            let cycles = self.memory.release_cycles(self.descriptors[id].cells.cells());
            // What was saved up earlier is used at once after the event that called for it.
            let at = self.spare.ready_at(cycles).max(before);
            if at > self.now {
                break;
            }
            self.lose(id, DropCause::Expelled, Removal::Expelled, at);
            self.turn = pool + 1;
        }
    }

    /// When the next expulsion will happen if nothing arrives or departs before; `None` if no
    /// policy wants one.
    pub fn next_event(&mut self) -> Option<Time> {
        if !self.expels {
            return None;
        }
        let (_, id) = self.next_expelled()?;
        let cycles = self.memory.release_cycles(self.descriptors[id].cells.cells());
        Some(self.spare.ready_at(cycles).max(self.now))
    }

    /// Read time to spare for expulsions now, and by how much departures have overdrawn it. At most
    /// one is not zero.
    #[must_use]
    pub fn spare_bandwidth(&self) -> (Duration, Duration) {
        self.spare.balance(self.now)
    }

    /// The packet to expel next and its pool; pools take turns.
    fn next_expelled(&mut self) -> Option<(usize, u32)> {
        let mut turn = self.turn;
        for _ in 0..self.policies.len() {
            let pool = if turn < self.policies.len() { turn } else { 0 };
            turn = pool + 1;
            let view = PoolView { queues: &self.accounts, level: &self.levels[pool] };
            let policy = &mut self.policies[pool];
            if let Some(victim) = policy.next_expulsion(view)
                && let Some(id) = self.find(victim)
            {
                return Some((pool, id));
            }
        }
        None
    }
}
