//! Queues survive being written and read, in the order they will serve, and hostile data is
//! refused.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

use forebay_pifo::{
    Below, Beyond, BucketQueue, CircularWindow, ExactQueue, RankedQueue, RollingWindow,
    WindowPolicy,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

const POLICY: WindowPolicy = WindowPolicy { below: Below::FirstBucket, beyond: Beyond::LastBucket };

/// Writes and reads a queue after some operations, then compares what both serve, pushes included.
fn assert_survives<Q>(mut queue: Q, ops: &[(bool, u64)]) -> Result<(), TestCaseError>
where
    Q: RankedQueue<Rank = u64, Item = u32> + Serialize + DeserializeOwned,
{
    for (&(pop, rank), item) in ops.iter().zip(0..) {
        if pop {
            queue.pop_min();
        } else {
            let _ = queue.push(rank, item);
        }
    }
    let mut read: Q = serde_json::from_str(&serde_json::to_string(&queue).unwrap()).unwrap();
    prop_assert_eq!(read.capacity(), queue.capacity());
    for &(_, rank) in ops.iter().take(20) {
        prop_assert_eq!(read.push(rank, 999), queue.push(rank, 999));
        prop_assert_eq!(read.pop_min(), queue.pop_min());
    }
    while !queue.is_empty() {
        prop_assert_eq!(read.pop_min(), queue.pop_min());
    }
    prop_assert!(read.is_empty());
    Ok(())
}

proptest! {
    #[test]
    fn queues_survive(ops in prop::collection::vec((any::<bool>(), 0u64..100), 0..120)) {
        assert_survives(ExactQueue::new(30), &ops)?;
        assert_survives(BucketQueue::<u32>::new(90, 30).unwrap(), &ops)?;
        assert_survives(CircularWindow::<u32>::new(16, 30, POLICY).unwrap(), &ops)?;
        assert_survives(RollingWindow::<u32>::new(8, 30, POLICY).unwrap(), &ops)?;
    }
}

#[test]
fn hostile_data_is_refused_with_the_place() {
    let read = |text: &str| serde_json::from_str::<BucketQueue<u32>>(text).unwrap_err().to_string();
    let far = read(r#"{"ranks": 8, "capacity": 2, "elements": [[1, 0], [8, 0]]}"#);
    assert!(far.contains("element 1 ") && far.contains("the largest is 7"), "{far}");
    let many = read(r#"{"ranks": 8, "capacity": 1, "elements": [[1, 0], [7, 0]]}"#);
    assert!(many.contains("element 1 ") && many.contains("holds its 1 elements"), "{many}");
    assert!(read(r#"{"ranks": 4000000000, "capacity": 1, "elements": []}"#).contains("buckets"));
    assert!(
        read(r#"{"ranks": 8, "capacity": 1, "elements": [], "x": 0}"#).contains("unknown field")
    );
}
