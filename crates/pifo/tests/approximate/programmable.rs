//! The programmable calendar where its caller turns it, and where its granularity changes.

use forebay_pifo::Reason;
use forebay_pifo::approximate::{
    Advance, ApproximateQueue, ProgrammableCalendar, RotationPending, ShapeError,
};
use proptest::prelude::*;

fn calendar(queues: usize, advance: Advance) -> ProgrammableCalendar<u32> {
    ProgrammableCalendar::new(queues, 10, 100, advance).unwrap()
}

#[test]
fn nothing_leaves_before_its_period() {
    let mut queue = calendar(3, Advance::ByCaller);
    queue.push(15, 0).unwrap();
    queue.push(29, 1).unwrap();
    assert_eq!(queue.push(30, 2).unwrap_err().reason, Reason::BeyondHorizon { last: 29 });
    assert_eq!((queue.pop(), queue.len()), (None, 2));
    queue.rotate().unwrap();
    queue.push(30, 2).unwrap(); // the emptied period is the last one now
    assert_eq!((queue.pop(), queue.pop()), (Some((15, 0)), None));
    queue.rotate().unwrap();
    assert_eq!((queue.pop(), queue.pop()), (Some((29, 1)), None));
}

#[test]
fn a_period_that_ends_is_served_first_and_closed() {
    let mut queue = calendar(3, Advance::ByCaller);
    queue.push(0, 0).unwrap();
    queue.push(1, 1).unwrap();
    queue.rotate().unwrap();
    assert_eq!(queue.periods(), 2);
    assert_eq!(queue.rotate(), Err(RotationPending { waiting: 2 }));
    queue.push(2, 2).unwrap(); // late: the current period, behind what drains
    queue.push_ahead(1, 0, 3).unwrap();
    assert!(queue.push_ahead(2, 0, 4).is_err(), "that queue still drains");
    let served: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, item)| item).collect();
    assert_eq!(served, [0, 1, 2]);
    assert_eq!(queue.periods(), 3);
    queue.rotate().unwrap();
    assert_eq!(queue.pop(), Some((0, 3)));
}

#[test]
fn a_new_granularity_holds_for_new_periods() {
    let mut queue = calendar(2, Advance::ByCaller); // 0 to 9, 10 to 19
    assert_eq!(queue.set_granularity(0), Err(ShapeError::NoGranularity));
    queue.set_granularity(100).unwrap();
    assert_eq!(queue.horizon(), 19);
    queue.rotate().unwrap();
    assert_eq!(queue.horizon(), 119);
    queue.push(119, 0).unwrap();
    queue.push(15, 1).unwrap();
    assert_eq!((queue.pop(), queue.pop()), (Some((15, 1)), None));
}

proptest! {
    /// An element leaves in the period it was put in, in order of arrival, or in the one right
    /// after while that drains.
    #[test]
    fn elements_leave_in_their_period(
        queues in 2usize..6, ops in prop::collection::vec((0usize..7, 0u8..4), 1..150),
    ) {
        let mut queue = ProgrammableCalendar::new(queues, 1, 40, Advance::ByCaller).unwrap();
        let (mut period, mut number, mut last) = (0, 0, (0, 0));
        for (ahead, op) in ops {
            match op {
                0 => period += usize::from(queue.rotate().is_ok()),
                1 => {
                    if let Some((_, item)) = queue.pop() {
                        let (due, _): (usize, u32) = item;
                        prop_assert!(due == period || due + 1 == period);
                        prop_assert!(item > last, "{item:?} after {last:?}");
                        last = item;
                    }
                }
                _ => {
                    number += 1;
                    let within = ahead < queue.periods() && queue.len() < queue.capacity();
                    let taken = queue.push_ahead(ahead, 0, (period + ahead, number)).is_ok();
                    prop_assert_eq!(taken, within);
                }
            }
        }
    }

    /// However the granularity changes, ranks within the horizon leave period by period.
    #[test]
    fn changing_granularity_keeps_periods_in_order(
        widths in prop::collection::vec(1u64..30, 1..20),
        offsets in prop::collection::vec(0u64..40, 20),
    ) {
        let mut queue = calendar(4, Advance::ByCaller);
        let mut begins = 0;
        for width in widths {
            queue.set_granularity(width).unwrap();
            for offset in &offsets {
                let _ = queue.push(begins + offset, 0); // never late
            }
            let due = std::iter::from_fn(|| queue.pop()).map(|(rank, _)| rank).max();
            begins = begins.max(due.map_or(0, |rank| rank + 1));
            let rest = queue.clone();
            queue.rotate().unwrap();
            prop_assert_eq!(rest.len(), queue.len());
            let mut next = queue.clone();
            let earliest = std::iter::from_fn(|| next.pop()).map(|(rank, _)| rank).min();
            prop_assert!(earliest.is_none_or(|rank| rank >= begins));
        }
    }
}
