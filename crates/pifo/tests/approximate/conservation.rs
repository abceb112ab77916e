//! Whatever a queue does, no element is lost or made; and what cannot be built says why.

use std::sync::Arc;

use forebay_pifo::approximate::{
    Advance, Aifo, AifoConfig, ApproximateConfig, CalendarQueue, DropTailQueue,
    ProgrammableCalendar, ShapeError, SpPifo, approximate_queues,
};
use proptest::prelude::*;

fn small() -> ApproximateConfig {
    let aifo = AifoConfig { window: 8, burst: 0.25, sample_every: 2 };
    ApproximateConfig { capacity: 12, queues: 4, granularity: 5, aifo }
}

fn rank() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0u64..40, 2 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)]
}

proptest! {
    #[test]
    fn every_element_is_in_one_place(
        ops in prop::collection::vec(prop::option::weighted(0.6, rank()), 1..200),
    ) {
        for info in approximate_queues::<Arc<(usize, u64)>>() {
            let mut queue = (info.build)(&small()).unwrap();
            let mut outside = Vec::new();
            let mut arrived = 0;
            for op in &ops {
                let left = match *op {
                    Some(rank) => {
                        arrived += 1;
                        match queue.push(rank, Arc::new((arrived, rank))) {
                            Ok(out) => out,
                            Err(refused) => Some((refused.rank, refused.item)),
                        }
                    }
                    None => queue.pop(),
                };
                if let Some((rank, item)) = left {
                    prop_assert_eq!((rank, Arc::strong_count(&item)), (item.1, 1), "{}", info.name);
                    outside.push(item);
                }
                prop_assert_eq!(queue.len() + outside.len(), arrived, "{}", info.name);
                prop_assert!(queue.len() <= queue.capacity());
            }
            while let Some((_, item)) = queue.pop() {
                outside.push(item);
            }
            let mut numbers: Vec<usize> = outside.iter().map(|item| item.0).collect();
            numbers.sort_unstable();
            prop_assert!(numbers.into_iter().eq(1..=arrived), "{}", info.name);
        }
    }

    #[test]
    fn what_waits_is_dropped_once(ranks in prop::collection::vec(rank(), 0..30)) {
        let item = Arc::new(());
        for info in approximate_queues() {
            let mut queue = (info.build)(&small()).unwrap();
            for &rank in &ranks {
                drop(queue.push(rank, Arc::clone(&item)));
            }
            prop_assert_eq!(Arc::strong_count(&item), 1 + queue.len(), "{}", info.name);
            drop(queue);
            prop_assert_eq!(Arc::strong_count(&item), 1, "{}", info.name);
        }
    }
}

#[test]
fn impossible_shapes_are_refused() {
    let config = AifoConfig::default();
    let few = ShapeError::Queues { asked: 0, least: 1 };
    assert_eq!(SpPifo::<u8>::new(0, 10).unwrap_err(), few);
    assert!(matches!(SpPifo::<u8>::new(8, 0), Err(ShapeError::NoPlaces { .. })));
    assert!(matches!(SpPifo::<u8>::new(usize::MAX, 8), Err(ShapeError::Queues { .. })));
    assert!(matches!(DropTailQueue::<u8>::new(0), Err(ShapeError::NoPlaces { .. })));
    assert!(matches!(Aifo::<u8>::new(0, config), Err(ShapeError::NoPlaces { .. })));
    for burst in [1.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = Aifo::<u8>::new(9, AifoConfig { burst, ..config });
        assert!(matches!(refused, Err(ShapeError::Burst(_))));
    }
    for (window, sample_every) in [(0, 1), (1, 0)] {
        let refused = Aifo::<u8>::new(9, AifoConfig { window, sample_every, ..config });
        assert_eq!(refused.unwrap_err(), ShapeError::NoWindow { window, sample_every });
    }
    assert_eq!(CalendarQueue::<u8>::new(4, 0, 9).unwrap_err(), ShapeError::NoGranularity);
    assert_eq!(CalendarQueue::<u8>::new(0, 1, 9).unwrap_err(), few);
    let one = ProgrammableCalendar::<u8>::new(1, 1, 9, Advance::WhenEmpty);
    assert_eq!(one.unwrap_err(), ShapeError::Queues { asked: 1, least: 2 });
}

#[test]
fn the_registry_names_each_structure_once_and_checks_its_parameters() {
    let mut names: Vec<_> = approximate_queues::<u8>().iter().map(|info| info.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
    let nothing = ApproximateConfig { capacity: 0, ..small() };
    assert!(approximate_queues::<u8>().iter().all(|info| (info.build)(&nothing).is_err()));
    let narrow = ApproximateConfig { capacity: 3, queues: 4, ..small() };
    let error =
        (approximate_queues::<u8>().named("sp-pifo").unwrap().build)(&narrow).err().unwrap();
    assert_eq!(error, ShapeError::NoPlaces { capacity: 3, queues: 4 });
}
