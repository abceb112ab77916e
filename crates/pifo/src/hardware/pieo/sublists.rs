//! The memory of a PIEO: sublists, and the array of pointers that puts them in order.
//!
//! Source: as the parent module. A *sublist* holds up to `√N` elements by rank (its rank sublist)
//! and, as a second list, their send times in order (its eligibility sublist). The *pointer array*
//! lists the sublists that are not empty by their smallest rank; each pointer repeats its sublist's
//! smallest rank, smallest send time, number of elements and, for logical PIEOs, its range of
//! flows. So a search reads pointers only, then one sublist.
//!
//! Two rules hold after every operation. The elements are in order along the pointers. And of two
//! neighbouring sublists at least one is full: with `s = ceil(√N)`, `2m` sublists in use hold at
//! least `m (s + 1)` elements, so `m < s`, and an array of `2s` always has an empty one left. From
//! these rules we deduced the moves:
//!
//! - insert: into the last sublist whose smallest rank is not above the new one (the first sublist,
//!   if there is none). If it was full, its last element is pushed out: to the head of the next
//!   sublist if that has room, else into an empty sublist put between the two. Either way the full
//!   one stays full.
//! - remove: a sublist that was not full has only full neighbours and needs nothing. One that was
//!   full takes an element from a neighbour that is not: the last one of the previous sublist
//!   (asked first), or the first one of the next. So it is full again.
//! - A sublist that has become empty leaves the pointer array. Its neighbours are both full, or it
//!   has just filled one of them.
//!
//! Every flow knows the sublist that holds it, so that it can be found by number.

use alloc::vec::Vec;

use super::{Eligible, PieoElement};

/// The sublist of a flow that does not wait.
const NOWHERE: u32 = u32::MAX;

/// Where an element is: the position of its pointer, and its own in the sublist.
#[derive(Clone, Copy)]
pub(super) struct ElementPosition {
    pointer: usize,
    index: usize,
}

#[derive(Clone)]
struct Sublist<R, T> {
    by_rank: Vec<PieoElement<R, T>>,
    /// The same elements' send times, in order.
    by_time: Vec<u64>,
}

impl<R, T> Sublist<R, T> {
    fn insert(&mut self, index: usize, element: PieoElement<R, T>) {
        let behind = self.by_time.partition_point(|&time| time <= element.send_time);
        self.by_time.insert(behind, element.send_time);
        self.by_rank.insert(index, element);
    }

    fn remove(&mut self, index: usize) -> PieoElement<R, T> {
        let element = self.by_rank.remove(index);
        let at = self.by_time.partition_point(|&time| time < element.send_time);
        self.by_time.remove(at);
        element
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Pointer<R> {
    sublist: u32,
    smallest_rank: R,
    smallest_send_time: u64,
    /// The smallest and the largest flow.
    flows: (u32, u32),
    num: usize,
}

impl<R> Pointer<R> {
    /// Whether the sublist may hold an eligible element.
    #[inline]
    fn may_hold(&self, eligible: &Eligible) -> bool {
        let (first, last) = self.flows;
        let (asked, now) = (&eligible.flows, eligible.now);
        self.smallest_send_time <= now && first < asked.end && asked.start <= last
    }
}

/// Elements by rank in sublists of a limited length.
#[derive(Clone)]
pub(super) struct Sublists<R, T> {
    pointers: Vec<Pointer<R>>,
    /// The sublists that no pointer names; the right-hand part of the hardware's array.
    empty: Vec<u32>,
    memory: Vec<Sublist<R, T>>,
    /// The sublist of each flow.
    homes: Vec<u32>,
    /// The length of a full sublist.
    full: usize,
    len: usize,
}

impl<R: Copy + Ord, T> Sublists<R, T> {
    pub(super) fn new(capacity: usize, flows: usize) -> Self {
        let root = capacity.isqrt();
        let full = if root * root < capacity { root + 1 } else { root };
        let empty_sublist = || Sublist { by_rank: Vec::new(), by_time: Vec::new() };
        let memory: Vec<_> = core::iter::repeat_with(empty_sublist).take(2 * full).collect();
        Sublists {
            pointers: Vec::with_capacity(memory.len()),
            empty: (0..memory.len() as u32).rev().collect(),
            memory,
            homes: alloc::vec![NOWHERE; flows],
            full,
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn flows(&self) -> usize {
        self.homes.len()
    }

    pub(super) fn get(&self, place: ElementPosition) -> &PieoElement<R, T> {
        &self.sublist(place.pointer).by_rank[place.index]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PieoElement<R, T>> {
        (0..self.pointers.len()).flat_map(|pointer| &self.sublist(pointer).by_rank)
    }

    /// The smallest eligible element. In hardware the pointers are compared in parallel, then the
    /// elements of the sublist found.
    pub(super) fn first_eligible(&self, eligible: &Eligible) -> Option<ElementPosition> {
        let candidates =
            (0..self.pointers.len()).filter(|&at| self.pointers[at].may_hold(eligible));
        candidates.into_iter().find_map(|pointer| {
            let elements = &self.sublist(pointer).by_rank;
            let index = elements.iter().position(|element| eligible.admits(element))?;
            Some(ElementPosition { pointer, index })
        })
    }

    /// The element of `flow`.
    pub(super) fn find(&self, flow: u32) -> Option<ElementPosition> {
        let home = *self.homes.get(flow as usize).filter(|&&home| home != NOWHERE)?;
        let pointer = self.pointers.iter().position(|pointer| pointer.sublist == home)?;
        let elements = &self.sublist(pointer).by_rank;
        let index = elements.iter().position(|element| element.flow == flow)?;
        Some(ElementPosition { pointer, index })
    }

    /// The last element of all.
    pub(super) fn last(&self) -> Option<ElementPosition> {
        let pointer = self.pointers.len().checked_sub(1)?;
        Some(ElementPosition { pointer, index: self.pointers[pointer].num.checked_sub(1)? })
    }

    /// Adds an element behind all of its rank. There must be fewer than N, and its flow must not
    /// wait.
    pub(super) fn insert(&mut self, element: PieoElement<R, T>) {
        let rank = element.rank;
        let above = self.pointers.partition_point(|pointer| pointer.smallest_rank <= rank);
        let pointer = above.saturating_sub(1);
        self.len += 1;
        if self.pointers.is_empty() {
            self.open(0, element);
            return;
        }
        let was_full = self.pointers[pointer].num == self.full;
        let elements = &self.sublist(pointer).by_rank;
        let index = elements.partition_point(|other| other.rank <= rank);
        self.put(ElementPosition { pointer, index }, element);
        if was_full {
            let pushed_out = self.take(ElementPosition { pointer, index: self.full });
            self.put_behind(pointer, pushed_out);
        }
    }

    /// Takes an element, and moves another so that no two neighbouring sublists have room.
    pub(super) fn remove(&mut self, place: ElementPosition) -> PieoElement<R, T> {
        let was_full = self.pointers[place.pointer].num == self.full;
        let removed = self.take(place);
        self.len -= 1;
        if was_full {
            self.refill(place.pointer);
        } else {
            self.close_if_empty(place.pointer);
        }
        removed
    }

    /// Gives what a full sublist pushed out to the next one, or to an empty one between them.
    fn put_behind(&mut self, pointer: usize, element: PieoElement<R, T>) {
        let next = pointer + 1;
        if self.has_room(next) {
            self.put(ElementPosition { pointer: next, index: 0 }, element);
        } else {
            self.open(next, element);
        }
    }

    /// Fills up a sublist that was full, from a neighbour that is not.
    fn refill(&mut self, pointer: usize) {
        let (previous, next) = (pointer.wrapping_sub(1), pointer + 1);
        if self.has_room(previous) {
            let last = self.pointers[previous].num - 1;
            let moved = self.take(ElementPosition { pointer: previous, index: last });
            self.put(ElementPosition { pointer, index: 0 }, moved);
            self.close_if_empty(previous);
        } else if self.has_room(next) {
            let moved = self.take(ElementPosition { pointer: next, index: 0 });
            self.put(ElementPosition { pointer, index: self.full - 1 }, moved);
            self.close_if_empty(next);
        } else {
            self.close_if_empty(pointer);
        }
    }

    /// Whether there is a pointer at this position, and room in its sublist.
    fn has_room(&self, pointer: usize) -> bool {
        self.pointers.get(pointer).is_some_and(|pointer| pointer.num < self.full)
    }

    /// Puts an empty sublist with this one element into the order, before the pointer now at
    /// `pointer`.
    fn open(&mut self, pointer: usize, element: PieoElement<R, T>) {
        // There is one, by the two rules; see the head of this file.
        let sublist = self.empty.swap_remove(self.empty.len() - 1);
        let fresh = Pointer {
            sublist,
            smallest_rank: element.rank,
            smallest_send_time: element.send_time,
            flows: (element.flow, element.flow),
            num: 0,
        };
        self.pointers.insert(pointer, fresh);
        self.put(ElementPosition { pointer, index: 0 }, element);
    }

    fn close_if_empty(&mut self, pointer: usize) {
        if self.pointers[pointer].num == 0 {
            self.empty.push(self.pointers.remove(pointer).sublist);
        }
    }

    fn put(&mut self, place: ElementPosition, element: PieoElement<R, T>) {
        let sublist = self.pointers[place.pointer].sublist;
        self.homes[element.flow as usize] = sublist;
        self.memory[sublist as usize].insert(place.index, element);
        self.describe(place.pointer);
    }

    fn take(&mut self, place: ElementPosition) -> PieoElement<R, T> {
        let sublist = self.pointers[place.pointer].sublist;
        let element = self.memory[sublist as usize].remove(place.index);
        self.homes[element.flow as usize] = NOWHERE;
        self.describe(place.pointer);
        element
    }

    /// Brings a pointer up to date with its sublist.
    fn describe(&mut self, pointer: usize) {
        let pointer = &mut self.pointers[pointer];
        let Sublist { by_rank, by_time } = &self.memory[pointer.sublist as usize];
        pointer.num = by_rank.len();
        if let (Some(first), Some(&time)) = (by_rank.first(), by_time.first()) {
            (pointer.smallest_rank, pointer.smallest_send_time) = (first.rank, time);
            pointer.flows =
                by_rank.iter().fold((first.flow, first.flow), |(least, most), element| {
                    (least.min(element.flow), most.max(element.flow))
                });
        }
    }

    fn sublist(&self, pointer: usize) -> &Sublist<R, T> {
        &self.memory[self.pointers[pointer].sublist as usize]
    }

    /// Asserts both rules, and that every copy of a fact agrees with the elements.
    #[cfg(test)]
    pub(super) fn assert_holds(&self)
    where
        R: core::fmt::Debug,
    {
        assert!(self.iter().map(|element| element.rank).is_sorted());
        assert_eq!(self.iter().count(), self.len);
        assert_eq!(self.homes.iter().filter(|&&home| home != NOWHERE).count(), self.len);
        assert!(self.pointers.windows(2).all(|two| two.iter().any(|one| one.num == self.full)));
        let named = self.pointers.iter().map(|pointer| pointer.sublist);
        let mut sublists: Vec<u32> = named.chain(self.empty.iter().copied()).collect();
        sublists.sort_unstable();
        assert!(sublists.into_iter().eq(0..2 * self.full as u32));
        for (at, pointer) in self.pointers.iter().enumerate() {
            let Sublist { by_rank, by_time } = self.sublist(at);
            let mut times: Vec<u64> = by_rank.iter().map(|element| element.send_time).collect();
            times.sort_unstable();
            assert_eq!(&times, by_time);
            assert!((1..=self.full).contains(&by_rank.len()));
            let flows = || by_rank.iter().map(|element| element.flow);
            assert!(flows().all(|flow| self.homes[flow as usize] == pointer.sublist));
            let exact = Pointer {
                sublist: pointer.sublist,
                smallest_rank: by_rank[0].rank,
                smallest_send_time: times[0],
                flows: (flows().min().unwrap(), flows().max().unwrap()),
                num: by_rank.len(),
            };
            assert_eq!(pointer, &exact);
        }
    }
}
