//! When the next operation may start, and when an operation is done.
//!
//! Source: cycles per replace (CPR) is clubheap §1; the dependency between operations is §2.3. The
//! papers give the cycles of most structures as numbers. Here each is written as the dependent
//! stages that the next operation has to wait for, which reproduces the published number; where
//! that reading is ours, the model's file says so.

/// How long one operation keeps the next one waiting.
///
/// A structure that works level by level passes an operation through some dependent stages at each
/// level (read, compare, write). If the next operation needs the outcome of the level below as
/// well, it waits for two levels (clubheap §2.3). Stages that run under another's are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Levels whose outcome the next operation needs: 1, or 2 with the dependency of §2.3.
    pub levels: u32,
    /// Dependent stages per level, in cycles.
    pub stages: u32,
    /// Stages of those that run at the same time as others.
    pub overlapped: u32,
}

impl Interval {
    /// One operation per cycle.
    pub const EVERY_CYCLE: Interval = Interval::of(1, 1);

    /// `levels` levels of `stages` stages, none overlapped.
    #[must_use]
    pub const fn of(levels: u32, stages: u32) -> Self {
        Interval { levels, stages, overlapped: 0 }
    }

    /// Cycles from the start of the operation to the start of the next; at least one.
    #[must_use]
    pub const fn cycles(self) -> u32 {
        let all = self.levels.saturating_mul(self.stages).saturating_sub(self.overlapped);
        if all == 0 { 1 } else { all }
    }
}

/// How often operations may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// After a push.
    pub push: Interval,
    /// After a pop.
    pub pop: Interval,
    /// After a replace, if the structure has one of its own.
    pub replace: Option<Interval>,
}

impl Timing {
    /// CPR (clubheap §1): the cycles of the structure's own replace, or of a pop and a push.
    #[must_use]
    pub const fn cycles_per_replace(&self) -> u32 {
        match self.replace {
            Some(own) => own.cycles(),
            None => self.push.cycles().saturating_add(self.pop.cycles()),
        }
    }
}

/// How long an operation takes, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// From the start of a pop until its element is known.
    pub result: u64,
    /// Until the last level has been written.
    pub settled: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replace_of_its_own_decides() {
        let apart = Timing { push: Interval::of(1, 2), pop: Interval::of(1, 2), replace: None };
        assert_eq!(apart.cycles_per_replace(), 4);
        let own =
            Timing { replace: Some(Interval { levels: 2, stages: 2, overlapped: 1 }), ..apart };
        assert_eq!(own.cycles_per_replace(), 3);
        assert_eq!(Interval { levels: 1, stages: 1, overlapped: 9 }.cycles(), 1);
    }
}
