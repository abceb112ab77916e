//! All-reduce on two binary trees (Occamy §6.4, after Sanders, Speck and Träff, 2009): the halves
//! of the vector are summed up towards the root of one tree each, and the sums go back down.
//!
//! Two trees are worth while because a rank with children in one is a leaf in the other, so that no
//! rank sends a half to two children in both. A tree numbers its places 1 to n from left to right:
//! an odd place is a leaf, and place x with lowest bit b > 1 has the middles of (x − b, x) and of
//! (x, x + b) as children, the latter cut off at n. The first tree puts rank r at place r + 1, the
//! second one step further, at place r (rank 0 at place n). With n odd, rank 0 or n − 1 is a leaf
//! in both.
//!
//! A rank sends up when its children's sums have arrived, and down when its parent's has.

use alloc::vec::Vec;

use forebay_units::Bytes;

use super::exchange::Exchange;
use super::round::{Begin, Round};
use crate::workload::GateId;

pub(super) struct TreeAllReduce;

impl Exchange for TreeAllReduce {
    fn name(&self) -> &'static str {
        "tree-all-reduce"
    }

    fn least_bytes(&self, _hosts: u64) -> u64 {
        2
    }

    fn flows(&self, hosts: u64) -> u64 {
        (hosts - 1).saturating_mul(4)
    }

    /// At least both halves of the sum, or one half of it and one of another rank's values.
    fn received(&self, _hosts: u64, bytes: Bytes) -> Bytes {
        bytes
    }

    /// Up to the root, and a step down: the root is a leaf of the other tree.
    fn steps(&self, hosts: u64, _at_once: u64) -> u64 {
        u64::from(hosts.ilog2()) + 1
    }

    fn write(&self, round: &mut Round<'_>, bytes: Bytes) {
        let second = bytes.get() / 2;
        write_tree(round, 0, Bytes::new(bytes.get() - second));
        write_tree(round, 1, Bytes::new(second));
    }
}

/// The gates of one place of a tree; none at leaves.
#[derive(Clone, Copy)]
struct Inner {
    /// Opens when the children's sums are there.
    up: GateId,
    /// Opens when the complete sum is there. At the root that is the same.
    down: GateId,
}

fn write_tree(round: &mut Round<'_>, shift: u32, bytes: Bytes) {
    let places = round.ranks();
    let rank = |place: u32| (place - 1 + shift) % places;
    let root = root(places);
    let inner: Vec<Option<Inner>> = (1..=places)
        .map(|place| {
            children(place, places)[0]?;
            let up = round.gate(rank(place), place == root);
            let down = if place == root { up } else { round.gate(rank(place), true) };
            Some(Inner { up, down })
        })
        .collect();
    for place in 1..=places {
        let Some(parent) = inner[place as usize - 1] else { continue };
        for child in children(place, places).into_iter().flatten() {
            let below = inner[child as usize - 1];
            let begin = below.map_or(Begin::WithRound, |below| Begin::At(below.up));
            round.send([rank(child), rank(place)], bytes, begin, Some(parent.up));
            let down = Begin::At(parent.down);
            round.send([rank(place), rank(child)], bytes, down, below.map(|below| below.down));
        }
    }
}

/// The highest place with the largest power of two.
fn root(places: u32) -> u32 {
    1 << places.ilog2()
}

/// The places below `place`: two, one, or none at a leaf; if there is one, it is the first.
fn children(place: u32, places: u32) -> [Option<u32>; 2] {
    let half = (place & place.wrapping_neg()) / 2;
    if half == 0 {
        return [None; 2];
    }
    let mut step = half;
    while step > places - place {
        step /= 2;
    }
    [Some(place - half), (step > 0).then_some(place + step)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_trees_hold_every_rank_once_and_are_shallow() {
        for places in 2..600u32 {
            let mut depth = alloc::vec![0u32; places as usize + 1];
            let mut stack = alloc::vec![(root(places), 1)];
            while let Some((place, level)) = stack.pop() {
                assert_eq!(depth[place as usize], 0, "place {place} of {places} is there twice");
                depth[place as usize] = level;
                stack.extend(children(place, places).into_iter().flatten().map(|c| (c, level + 1)));
            }
            assert!(depth[1..].iter().all(|&level| level > 0), "{places}");
            assert!(depth.iter().max() <= Some(&(places.ilog2() + 1)), "{places}: {depth:?}");
        }
    }

    #[test]
    fn no_rank_has_children_in_both_trees() {
        for places in 2..600u32 {
            let inner = |rank: u32, shift: u32| {
                let place = (rank + places - shift) % places + 1;
                children(place, places)[0].is_some()
            };
            let both = (0..places).filter(|&rank| inner(rank, 0) && inner(rank, 1)).count();
            assert_eq!(both, 0, "{places}");
        }
    }
}
