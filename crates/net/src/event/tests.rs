use super::*;
use alloc::collections::BTreeSet;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Schedule(u32, u64),
    Cancel(u32),
    Pop,
    /// Pops if an event is at most so far ahead; events later than that may still be scheduled.
    PopWithin(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Spans from within a bucket to far beyond the far level.
    let ahead = (0u32..36).prop_flat_map(|bits| 0..=1u64 << bits);
    let step = prop_oneof![
        2 => ahead.clone().prop_map(Step::PopWithin),
        4 => (0u32..40, ahead).prop_map(|(id, ahead)| Step::Schedule(id, ahead)),
        1 => (0u32..40).prop_map(Step::Cancel),
        4 => Just(Step::Pop),
    ];
    proptest::collection::vec(step, 1..400)
}

proptest! {
    /// Against a sorted set of pairs.
    #[test]
    fn the_order_is_exact(steps in steps()) {
        let mut queue = EventQueue::new(40);
        let mut model: BTreeSet<(u64, u32)> = BTreeSet::new();
        let mut now = 0;
        for step in steps {
            match step {
                Step::Schedule(id, ahead) => {
                    model.retain(|(_, other)| *other != id);
                    model.insert((now + ahead, id));
                    queue.schedule(id, Time::from_ps(now + ahead));
                    prop_assert_eq!(queue.when(id), Some(Time::from_ps(now + ahead)));
                }
                Step::Cancel(id) => {
                    model.retain(|(_, other)| *other != id);
                    queue.cancel(id);
                    prop_assert_eq!(queue.when(id), None);
                }
                Step::PopWithin(ahead) => {
                    let limit = now + ahead;
                    prop_assert_eq!(queue.next(), model.first().map(|(at, _)| Time::from_ps(*at)));
                    let due = model.first().is_some_and(|(at, _)| *at <= limit);
                    let expected = if due { model.pop_first() } else { None };
                    let expected = expected.map(|(at, id)| (Time::from_ps(at), id));
                    prop_assert_eq!(queue.pop_until(Time::from_ps(limit)), expected);
                    now = expected.map_or(limit, |(at, _)| at.as_ps());
                }
                Step::Pop => {
                    let expected = model.pop_first().map(|(at, id)| (Time::from_ps(at), id));
                    prop_assert_eq!(queue.pop(), expected);
                    now = expected.map_or(now, |(at, _)| at.as_ps());
                }
            }
        }
        while let Some((at, id)) = model.pop_first() {
            prop_assert_eq!(queue.pop(), Some((Time::from_ps(at), id)));
        }
        prop_assert_eq!(queue.pop(), None);
    }
}

#[test]
fn a_crowded_bucket_is_sorted() {
    let mut queue = EventQueue::new(1000);
    for id in 0..1000 {
        queue.schedule(id, Time::from_ps(u64::from(id * 7919 % 300)));
    }
    let order: Vec<_> = core::iter::from_fn(|| queue.pop()).collect();
    assert_eq!(order.len(), 1000);
    assert!(order.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn the_end_of_time_is_never() {
    let mut queue = EventQueue::new(2);
    queue.schedule(0, Time::MAX);
    queue.schedule(1, Time::from_ps(u64::MAX - 1));
    queue.schedule(7, Time::ZERO);
    assert_eq!(queue.pop(), Some((Time::from_ps(u64::MAX - 1), 1)));
    assert_eq!(queue.pop(), None);
}
