//! Every order against a scan of all members.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Members and their true keys.
#[derive(Default)]
struct Scan {
    keys: BTreeMap<Slot, Key>,
}

impl Scan {
    fn first(&self, now: u64) -> Option<Slot> {
        let first = self.keys.iter().reduce(|a, b| if b.1.before(a.1, now) { b } else { a });
        first.map(|(slot, _)| *slot)
    }
}

#[derive(Clone, Debug)]
enum Op {
    Put(u32, Shape),
    Remove(u32),
    Pop,
    Pass(u64),
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Rising(u32),
    Falling(u64, u32),
    Constant(i32),
}

fn op() -> impl Strategy<Value = Op> {
    // Few distinct rates and values, so that there are ties and crossings at whole times.
    let shape = prop_oneof![
        3 => (1u32..5).prop_map(Shape::Rising),
        1 => (0u64..300, 1u32..5).prop_map(|(at, rate)| Shape::Falling(at, rate)),
        1 => (-3i32..40).prop_map(Shape::Constant),
    ];
    prop_oneof![
        6 => (0u32..40, shape).prop_map(|(slot, shape)| Op::Put(slot, shape)),
        1 => (0u32..40).prop_map(Op::Remove),
        2 => Just(Op::Pop),
        2 => (0u64..40).prop_map(Op::Pass),
    ]
}

fn key(shape: Shape, now: u64, tie: u64) -> Key {
    match shape {
        Shape::Rising(rate) => Key::rising(now, 1.0 / f64::from(rate), tie),
        Shape::Falling(at, rate) => Key::falling(now + at, 1.0 / f64::from(rate), tie),
        Shape::Constant(value) => Key::constant(f64::from(value), tie),
    }
}

fn agrees<O: Order>(ops: &[Op], config: OrderConfig) -> Result<(), TestCaseError> {
    let (mut order, mut scan) = (O::new(&config), Scan::default());
    let (mut now, mut ties) = (1_000, 0);
    for op in ops {
        match *op {
            Op::Put(slot, shape) => {
                ties += 1;
                let (slot, key) = (Slot(slot), key(shape, now, ties));
                if scan.keys.insert(slot, key).is_some() {
                    order.touch(slot, now, || key);
                } else {
                    order.insert(slot, now, || key);
                }
            }
            Op::Remove(slot) => {
                scan.keys.remove(&Slot(slot));
                order.remove(Slot(slot));
            }
            Op::Pop => {
                if let Some(slot) = scan.first(now) {
                    scan.keys.remove(&slot);
                    order.remove(slot);
                }
            }
            Op::Pass(time) => now += time,
        }
        let first = order.first(now, |slot| scan.keys[&slot]);
        prop_assert_eq!(first, scan.first(now));
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_tournament_is_a_scan(ops in prop::collection::vec(op(), 1..300)) {
        agrees::<KineticTournament>(&ops, OrderConfig::default())?;
    }

    #[test]
    fn a_sample_of_all_is_a_scan(ops in prop::collection::vec(op(), 1..300)) {
        agrees::<Sample>(&ops, OrderConfig { samples: 40, seed: 1 })?;
    }

    #[test]
    fn a_list_is_the_order_of_touches(ops in prop::collection::vec(op(), 1..300)) {
        // Equal rates: what was touched first goes first.
        let recent = |op: Op| match op {
            Op::Put(slot, _) => Op::Put(slot, Shape::Rising(1)),
            other => other,
        };
        let ops: Vec<Op> = ops.into_iter().map(recent).collect();
        agrees::<List>(&ops, OrderConfig::default())?;
    }
}

#[test]
fn a_sample_draws_from_all() {
    let mut sample = Sample::new(&OrderConfig { samples: 4, seed: 7 });
    let key_of = |slot: Slot| Key::constant(f64::from(slot.0), 0);
    for slot in 0..1000 {
        sample.insert(Slot(slot), 0, || key_of(Slot(slot)));
    }
    let firsts = (0..1000).filter_map(|_| sample.first(0, key_of)).map(|slot| u64::from(slot.0));
    let mean = firsts.sum::<u64>() as f64 / 1000.0;
    // The largest of four uniform draws is 800 on average, with a deviation of 163.
    assert!((780.0..820.0).contains(&mean), "{mean}");
}
