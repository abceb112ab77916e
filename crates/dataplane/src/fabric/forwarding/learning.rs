//! A bridge's table: which address was last seen behind which port (IEEE 802.1D, §7.8 and §7.9).
//!
//! Tagged frames are learnt by tag and address (independent learning, IEEE 802.1Q, §8.8.7). Left
//! open by the standard and chosen here: how many addresses there is room for, and that a full
//! table learns nothing new until an entry ages. A flood of made-up addresses then costs no memory
//! and forgets nobody; who is not in the table is reached through every port, as before it was
//! seen.

use std::collections::HashMap;

use forebay_units::{Duration, Time};

use super::{MacAddress, Way};
use crate::link::{Frame, LinkLoss};

/// The most addresses by default: those of a usual switch of a rack.
const MOST: usize = 8_192;
/// How long an address is believed without being seen (IEEE 802.1D, Table 7-5).
const AGE: Duration = Duration::from_ms(300_000);

/// Where addresses were seen. O(1) a frame; when it is full, O(entries) once a second.
#[derive(Clone, Debug)]
pub struct MacTable {
    seen: HashMap<(u16, MacAddress), (u16, Time)>,
    most: usize,
    age: Duration,
    /// When a full table was last looked through for what is old.
    swept: Option<Time>,
    not_learnt: u64,
}

impl Default for MacTable {
    fn default() -> Self {
        MacTable::new(MOST, AGE)
    }
}

/// How often a full table is looked through.
const SWEEP: Duration = Duration::from_ms(1_000);

impl MacTable {
    /// Room for `most` addresses, each believed for `age`.
    #[must_use]
    pub fn new(most: usize, age: Duration) -> Self {
        MacTable { seen: HashMap::new(), most, age, swept: None, not_learnt: 0 }
    }

    /// How many addresses are in it, old ones among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// How many frames came from an address for which there was no room.
    #[must_use]
    pub fn not_learnt(&self) -> u64 {
        self.not_learnt
    }

    pub(super) fn way(&mut self, now: Time, port: u16, frame: &Frame) -> Way {
        let Some((destination, source)) = frame.addresses() else {
            return Way::Lost(LinkLoss::Damaged);
        };
        let tag = frame.tag().unwrap_or(0);
        if is_group(source) {
            return Way::Lost(LinkLoss::Damaged);
        }
        self.learn(now, port, (tag, source));
        if is_reserved(destination) {
            return Way::Lost(LinkLoss::NotForwarded);
        }
        if is_group(destination) {
            return Way::Everywhere;
        }
        match self.seen.get(&(tag, destination)) {
            Some((_, at)) if now.since(*at) > self.age => Way::Everywhere,
            Some((there, _)) if *there == port => Way::Lost(LinkLoss::Filtered),
            Some((there, _)) => Way::To(*there),
            None => Way::Everywhere,
        }
    }

    fn learn(&mut self, now: Time, port: u16, key: (u16, MacAddress)) {
        if self.seen.len() >= self.most && !self.seen.contains_key(&key) {
            if self.swept.is_none_or(|last| now.since(last) >= SWEEP) {
                self.swept = Some(now);
                let age = self.age;
                self.seen.retain(|_, (_, at)| now.since(*at) <= age);
            }
            if self.seen.len() >= self.most {
                self.not_learnt += 1;
                return;
            }
        }
        self.seen.insert(key, (port, now));
    }
}

/// Whether it is the address of a group: the first bit on the wire.
fn is_group(address: MacAddress) -> bool {
    address[0] & 1 != 0
}

/// Whether it is one that no bridge forwards (IEEE 802.1D, Table 7-10).
fn is_reserved(address: MacAddress) -> bool {
    matches!(address, [0x01, 0x80, 0xc2, 0, 0, last] if last < 0x10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(to: MacAddress, from: MacAddress) -> Frame {
        let mut bytes = [to, from].concat();
        bytes.extend([0x88, 0xb5, 1, 2, 3]);
        Frame::new(bytes)
    }

    const A: MacAddress = [2, 0, 0, 0, 0, 1];
    const B: MacAddress = [2, 0, 0, 0, 0, 2];
    const ALL: MacAddress = [0xff; 6];

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_ms(1_000 * seconds)
    }

    #[test]
    fn who_has_spoken_is_known_until_the_entry_is_old() {
        let mut table = MacTable::default();
        assert_eq!(table.way(at(0), 3, &frame(B, A)), Way::Everywhere);
        assert_eq!(table.way(at(1), 5, &frame(A, B)), Way::To(3));
        assert_eq!(table.way(at(1), 3, &frame(B, A)), Way::To(5));
        assert_eq!(table.way(at(2), 3, &frame(A, A)), Way::Lost(LinkLoss::Filtered));
        assert_eq!(table.way(at(3), 7, &frame(B, A)), Way::To(5), "A has moved");
        assert_eq!(table.way(at(4), 5, &frame(A, B)), Way::To(7));
        assert_eq!(table.way(at(304), 7, &frame(B, A)), Way::To(5), "exactly as old as it may be");
        assert_eq!(table.way(at(305), 7, &frame(B, A)), Way::Everywhere);
    }

    #[test]
    fn groups_go_everywhere_and_bridges_talk_to_each_other_alone() {
        let mut table = MacTable::default();
        assert_eq!(table.way(at(0), 0, &frame(ALL, A)), Way::Everywhere);
        assert_eq!(table.way(at(0), 0, &frame([1, 0, 0x5e, 0, 0, 5], A)), Way::Everywhere);
        let pause = [0x01, 0x80, 0xc2, 0, 0, 1];
        assert_eq!(table.way(at(0), 0, &frame(pause, A)), Way::Lost(LinkLoss::NotForwarded));
        assert_eq!(table.way(at(0), 0, &frame(A, ALL)), Way::Lost(LinkLoss::Damaged));
        assert_eq!(table.way(at(0), 0, &Frame::new(vec![2; 13])), Way::Lost(LinkLoss::Damaged));
        assert_eq!(table.len(), 1);
    }

    #[test]
    fn networks_with_tags_are_apart() {
        let tagged = |number: u16, to: MacAddress, from: MacAddress| {
            let mut frame = frame(to, from);
            let tag = [0x81, 0x00, (number >> 8) as u8, number as u8];
            frame.head_mut().splice(12..12, tag);
            frame
        };
        let mut table = MacTable::default();
        table.way(at(0), 1, &tagged(7, B, A));
        table.way(at(0), 2, &tagged(8, B, A));
        assert_eq!(table.way(at(1), 3, &tagged(7, A, B)), Way::To(1));
        assert_eq!(table.way(at(1), 3, &tagged(8, A, B)), Way::To(2));
        assert_eq!(table.way(at(1), 3, &frame(A, B)), Way::Everywhere);
    }

    #[test]
    fn a_flood_of_addresses_is_bounded_and_forgets_nobody() {
        let mut table = MacTable::new(100, Duration::from_ms(10_000));
        table.way(at(0), 9, &frame(ALL, A));
        for number in 0..100_000u32 {
            let [b, c, d, e] = number.to_be_bytes();
            table.way(at(0), 1, &frame(ALL, [6, 1, b, c, d, e]));
        }
        assert_eq!((table.len(), table.not_learnt()), (100, 99_901));
        assert_eq!(table.way(at(1), 1, &frame(A, B)), Way::To(9));
        table.way(at(11), 1, &frame(ALL, B));
        assert_eq!(table.len(), 1, "the old ones made room");
    }
}
