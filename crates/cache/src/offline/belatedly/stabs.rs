//! Which objects compete for a row: arcs that hold a slot there and are loose, in a tree of ranges.
//!
//! An arc is loose if the prices leave its object nearly indifferent between taking it and missing
//! instead. Each is kept at the few nodes of a binary tree that make up its rows, so that those
//! over a row are on the row's way to the root. O(a log r) to build for a arcs over r rows; 4 bytes
//! a place.

use super::prices::Priced;
use super::program::{NONE, Program};

/// The most that a loose arc gains or loses at the prices, as a share of Z.
const LOOSE: f64 = 0.25;

/// Loose arcs by row.
#[derive(Debug)]
pub(super) struct Stabs {
    leaves: usize,
    /// Where the list of each tree node begins.
    starts: Vec<u32>,
    /// The objects of the arcs of all lists.
    objects: Vec<u32>,
}

impl Stabs {
    /// Those of `program` at the prices.
    pub(super) fn of_loose_arcs(program: &Program, priced: &Priced) -> Self {
        let leaves = (program.rows as usize).next_power_of_two().max(1);
        let mut counts = vec![0_u32; 2 * leaves + 1];
        each_arc(program, priced, |_, from, to| cover(leaves, from, to, |node| counts[node] += 1));
        let mut starts = Vec::with_capacity(counts.len());
        let mut sum = 0;
        for count in &counts {
            starts.push(sum);
            sum += count;
        }
        let (mut objects, mut filled) = (vec![0; sum as usize], starts.clone());
        each_arc(program, priced, |object, from, to| {
            cover(leaves, from, to, |node| {
                objects[filled[node] as usize] = object;
                filled[node] += 1;
            });
        });
        Stabs { leaves, starts, objects }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// One of the objects at `row`, which `draw`, from 0 to 1, chooses evenly among the arcs.
    pub(super) fn draw(&self, row: u32, draw: f64) -> Option<u32> {
        let up = || std::iter::successors(Some(row as usize + self.leaves), |node| Some(node / 2));
        let list =
            |node: usize| &self.objects[self.starts[node] as usize..self.starts[node + 1] as usize];
        let lists = || up().take_while(|node| *node > 0).map(list);
        let all: usize = lists().map(<[u32]>::len).sum();
        let mut place = (draw * all as f64) as usize;
        for list in lists() {
            if let Some(object) = list.get(place) {
                return Some(*object);
            }
            place -= list.len();
        }
        None
    }
}

/// Calls `each` with the object and the rows of every loose arc.
fn each_arc(program: &Program, priced: &Priced, mut each: impl FnMut(u32, u32, u32)) {
    let most = (LOOSE * (program.z() << priced.exact.shift) as f64) as i64;
    for (index, node) in program.nodes.iter().enumerate() {
        let mut arc = |next: usize, from: u32| {
            let to = program.nodes[next].used;
            let gain = priced.rank[next] + priced.sums[from as usize];
            if from < to && gain.abs() <= most {
                each(node.object, from, to);
            }
        };
        if node.next != NONE {
            arc(node.next as usize, node.arrival);
        }
        if program.nodes.get(index + 1).is_some_and(|next| next.object == node.object) {
            arc(index + 1, node.used);
        }
    }
}

/// The tree nodes that make up the rows from `first` up to `end`.
fn cover(leaves: usize, first: u32, end: u32, mut each: impl FnMut(usize)) {
    let (mut left, mut right) = (first as usize + leaves, end as usize + leaves);
    while left < right {
        if left & 1 == 1 {
            each(left);
            left += 1;
        }
        if right & 1 == 1 {
            right -= 1;
            each(right);
        }
        (left, right) = (left / 2, right / 2);
    }
}
