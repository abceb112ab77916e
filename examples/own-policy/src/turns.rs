//! A discipline of scheduling trees: a packet of each child in turn, whatever the packets' sizes.
//!
//! Source: round robin (Nagle, RFC 970), as a rank: the round in which the child may send next.
//! O(1) a packet, 8 bytes a child.

use forebay::sched::tree::{Discipline, DisciplineInfo};

/// The discipline of one node.
struct Turns {
    /// The round that is served.
    round: u64,
    /// By child, the first round in which it may send.
    next: Vec<u64>,
}

impl Discipline for Turns {
    fn rank(&mut self, child: u32) -> u64 {
        // A child that had nothing to send has not saved up turns.
        self.next.get(child as usize).map_or(u64::MAX, |next| self.round.max(*next))
    }

    fn sent(&mut self, child: u32, rank: u64, _size: u32) {
        self.round = self.round.max(rank);
        if let Some(next) = self.next.get_mut(child as usize) {
            *next = rank.saturating_add(1);
        }
    }
}

/// The discipline `turns`.
pub(crate) const TURNS: DisciplineInfo = DisciplineInfo {
    name: "turns",
    about: "a packet of each child in turn, whatever their sizes",
    weighted: false,
    prioritized: false,
    build: |shares, _| Box::new(Turns { round: 0, next: vec![0; shares.len()] }),
};

#[cfg(test)]
mod tests {
    use forebay::prelude::*;
    use forebay::sched::scheduler::PacketScheduler;
    use forebay::sched::tree::{SchedulingTree, TreeConfig};

    #[test]
    fn children_send_in_turn_and_save_nothing_up() {
        let known = crate::policies().expect("names of their own").switches;
        let text = include_str!("../turns.tree");
        let config = TreeConfig::from_toml_over(text, &known.tree()).expect("a tree");
        let mut tree: SchedulingTree = SchedulingTree::new(&config).expect("a tree");
        let mut send = |classes: &[(u8, u32)], turns: usize| {
            for (class, size) in classes {
                let packet = Packet { class: *class, size: *size, ..Packet::default() };
                assert_eq!(tree.enqueue(Time::ZERO, packet), Ok(()));
            }
            let mut next = || tree.dequeue(Time::ZERO).map(|packet| packet.class);
            (0..turns).map_while(|_| next()).collect::<Vec<_>>()
        };
        // Class 0 alone, for three rounds.
        assert_eq!(send(&[(0, 64), (0, 64), (0, 64)], 3), [0, 0, 0]);
        let both = [(0, 64), (0, 64), (1, 1500), (1, 1500)];
        assert_eq!(send(&both, 4), [1, 0, 1, 0]);
    }
}
