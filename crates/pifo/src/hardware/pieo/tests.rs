//! Eligibility against a naive list, and the two rules of the sublists after every operation.

use alloc::vec::Vec;
use proptest::prelude::*;

use super::*;
use crate::hardware::checks::{drive, steps};

const FLOWS: u32 = 60;

#[derive(Clone, Debug)]
enum Op {
    Enqueue { flow: u32, rank: u8, send_time: u64 },
    Dequeue(Eligible),
    DequeueFlow(u32),
    DequeueLast,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let flow = 0..FLOWS + 2;
    let now = || prop_oneof![4 => 0u64..20, 1 => Just(u64::MAX)];
    let flows = prop_oneof![Just(0..u32::MAX), (0..FLOWS, 0u32..30).prop_map(|(a, n)| a..a + n)];
    let rank = prop_oneof![0u8..4, any::<u8>()];
    let op = prop_oneof![
        8 => (flow.clone(), rank, now())
            .prop_map(|(flow, rank, send_time)| Op::Enqueue { flow, rank, send_time }),
        4 => (now(), flows).prop_map(|(now, flows)| Op::Dequeue(Eligible { now, flows })),
        2 => flow.prop_map(Op::DequeueFlow),
        1 => Just(Op::DequeueLast),
    ];
    prop::collection::vec(op, 1..200)
}

/// Elements by rank and within a rank by arrival, and nothing else.
#[derive(Default)]
struct Naive(Vec<PieoElement<u8, usize>>);

impl Naive {
    fn enqueue(
        &mut self,
        element: PieoElement<u8, usize>,
        capacity: usize,
    ) -> Result<(), PieoRefused<u8, usize>> {
        let reason = if element.flow >= FLOWS {
            PieoReason::NoSuchFlow { flows: FLOWS as usize }
        } else if self.0.iter().any(|other| other.flow == element.flow) {
            PieoReason::Waits
        } else if self.0.len() == capacity {
            PieoReason::Full { capacity }
        } else {
            let behind = self.0.partition_point(|other| other.rank <= element.rank);
            self.0.insert(behind, element);
            return Ok(());
        };
        Err(PieoRefused { element, reason })
    }

    fn take(
        &mut self,
        wanted: impl FnMut(&PieoElement<u8, usize>) -> bool,
    ) -> Option<PieoElement<u8, usize>> {
        let at = self.0.iter().position(wanted)?;
        Some(self.0.remove(at))
    }
}

proptest! {
    #[test]
    fn the_smallest_eligible_leaves(capacity in 1usize..50, ops in ops()) {
        let mut list = Pieo::new(capacity, FLOWS as usize).unwrap();
        let mut naive = Naive::default();
        for (item, op) in ops.into_iter().enumerate() {
            match op {
                Op::Enqueue { flow, rank, send_time } => {
                    let element = PieoElement { flow, rank, send_time, item };
                    prop_assert_eq!(list.enqueue(element), naive.enqueue(element, capacity));
                    let waits = naive.0.iter().find(|other| other.flow == flow);
                    prop_assert_eq!(list.peek_flow(flow), waits);
                }
                Op::Dequeue(eligible) => {
                    let Eligible { now, flows } = &eligible;
                    let expected = naive.take(|element| {
                        element.send_time <= *now && flows.contains(&element.flow)
                    });
                    prop_assert_eq!(list.peek(&eligible), expected.as_ref());
                    prop_assert_eq!(list.dequeue(&eligible), expected);
                }
                Op::DequeueFlow(flow) => {
                    let expected = naive.take(|element| element.flow == flow);
                    prop_assert_eq!(list.dequeue_flow(flow), expected);
                }
                Op::DequeueLast => {
                    prop_assert_eq!(list.peek_last(), naive.0.last());
                    prop_assert_eq!(list.dequeue_last(), naive.0.pop());
                }
            }
            list.list.assert_holds();
            prop_assert!(list.iter().eq(&naive.0));
            prop_assert_eq!((list.len(), list.is_empty()), (naive.0.len(), naive.0.is_empty()));
        }
    }

    #[test]
    fn rules_hold_as_a_plain_queue(capacity in 1usize..60, steps in steps()) {
        drive(PieoQueue::new(capacity).unwrap(), &steps, |queue| {
            queue.list().list.assert_holds();
        });
    }
}

#[test]
fn sublists_suffice_when_as_few_as_possible_are_full() {
    // Falling ranks open a sublist at every other insertion once the first is full.
    for capacity in 1..200_u32 {
        let mut list = Pieo::new(capacity as usize, capacity as usize).unwrap();
        for flow in 0..capacity {
            let element = PieoElement { flow, rank: capacity - flow, send_time: 0, item: () };
            list.enqueue(element).unwrap();
            list.list.assert_holds();
        }
    }
}

#[test]
fn a_sublist_that_passes_both_filters_in_vain_is_passed_over() {
    let mut list = Pieo::new(4, 10).unwrap();
    // One sublist of two: flow 1 is early enough, flow 5 is in the range, neither is both.
    for (flow, rank, send_time) in [(1, 1, 0), (5, 2, 90), (6, 3, 0)] {
        list.enqueue(PieoElement { flow, rank, send_time, item: () }).unwrap();
    }
    let eligible = Eligible::at(10).among(5..7);
    assert_eq!(list.dequeue(&eligible).map(|element| element.flow), Some(6));
    assert_eq!(list.dequeue(&eligible), None);
}

#[test]
fn impossible_shapes_are_refused() {
    let new = Pieo::<u8, ()>::new;
    let most = MAX_HARDWARE_ELEMENTS;
    assert_eq!(new(0, 1).err(), Some(HardwareShapeError::Capacity { asked: 0, most }));
    assert_eq!(new(1, 0).err(), Some(HardwareShapeError::Flows { asked: 0, most }));
    assert_eq!(new(1, most + 1).err(), Some(HardwareShapeError::Flows { asked: most + 1, most }));
}
