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

proptest! {
    /// Twenty numbers of the queue's own and ten that are lent anew again and again, against a
    /// sorted set.
    #[test]
    fn lent_numbers_come_at_their_places(
        steps in proptest::collection::vec((0u32..30, 0u64..400, 0u32..100, 0u8..4), 1..300)
    ) {
        let mut queue = EventQueue::new(20);
        (20..30).for_each(|id| queue.lend(id, id));
        let mut places: Vec<u32> = (0..30).collect();
        let mut model: BTreeSet<(u64, u32, u32)> = BTreeSet::new();
        let mut now = 0;
        for (id, ahead, place, kind) in steps {
            let taken = |(at, _, id)| (Time::from_ps(at), id);
            match kind {
                0 if id >= 20 => {
                    model.retain(|(_, _, other)| *other != id);
                    // Places are as different as the things that have them.
                    places[id as usize] = 30 + place * 30 + id;
                    queue.lend(id, places[id as usize]);
                }
                1 => {
                    let expected = model.pop_first();
                    now = expected.map_or(now, |(at, _, _)| at);
                    prop_assert_eq!(queue.pop(), expected.map(taken));
                }
                _ => {
                    model.retain(|(_, _, other)| *other != id);
                    model.insert((now + ahead, places[id as usize], id));
                    queue.schedule(id, Time::from_ps(now + ahead));
                }
            }
        }
        while let Some((at, _, id)) = model.pop_first() {
            prop_assert_eq!(queue.pop(), Some((Time::from_ps(at), id)));
        }
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
