//! What the unit tests of the hardware structures share: random operations, with the inside of the
//! structure checked after each. (That the answers are right is the conformance suite's business;
//! the rank order is compared here as well, so that a failure shows near its cause.)

use alloc::vec::Vec;
use proptest::prelude::*;

use crate::ranked::RankedQueue;

/// What is done to a queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Push(u8),
    PopMin,
    Replace(u8),
}

/// Random steps, pushes a little ahead of pops; ranks tie often.
pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let rank = prop_oneof![3 => 0u8..8, 1 => any::<u8>()];
    let step = prop_oneof![
        4 => rank.clone().prop_map(Step::Push),
        3 => Just(Step::PopMin),
        2 => rank.prop_map(Step::Replace),
    ];
    // Fill, then a mixture.
    (prop::collection::vec(any::<u8>(), 0..40), prop::collection::vec(step, 1..150))
        .prop_map(|(fill, steps)| fill.into_iter().map(Step::Push).chain(steps).collect())
}

/// Plays `steps` on `queue`, comparing ranks with a sorted vector and calling `check` after each.
pub(super) fn drive<Q>(mut queue: Q, steps: &[Step], check: impl Fn(&Q))
where
    Q: RankedQueue<Rank = u8, Item = u32>,
{
    let mut sorted: Vec<u8> = Vec::new();
    for (&step, item) in steps.iter().zip(0..) {
        let (pops, pushes) = match step {
            Step::Push(rank) => (false, Some(rank)),
            Step::PopMin => (true, None),
            Step::Replace(rank) => (true, Some(rank)),
        };
        let expected = (pops && !sorted.is_empty()).then(|| sorted.remove(0));
        let fits = sorted.len() < queue.capacity();
        if let Some(rank) = pushes.filter(|_| fits) {
            let behind = sorted.partition_point(|&other| other <= rank);
            sorted.insert(behind, rank);
        }
        match step {
            Step::Push(rank) => assert_eq!(queue.push(rank, item).is_ok(), fits),
            Step::PopMin => assert_eq!(queue.pop_min().map(|(rank, _)| rank), expected),
            Step::Replace(rank) => {
                let answer = queue.replace(rank, item);
                assert_eq!(answer.popped.map(|(rank, _)| rank), expected);
                assert_eq!(answer.pushed.is_ok(), fits);
            }
        }
        assert_eq!(queue.len(), sorted.len());
        check(&queue);
    }
}
