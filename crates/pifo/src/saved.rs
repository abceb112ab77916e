//! Queues as data (feature `serde`): how a queue was built and its elements in order of service,
//! nothing of its links and bitmaps. Reading one back builds a queue and pushes the elements, so
//! hostile data meets the same checks as any other push.

use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use crate::bucket::{BucketQueue, CircularWindow, RollingWindow, WindowPolicy};
use crate::exact::ExactQueue;
use crate::ranked::{RankedQueue, Reason, Rejected};

/// What is written of a bucket queue.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "BucketQueue", deny_unknown_fields)]
struct Buckets<T> {
    ranks: usize,
    capacity: usize,
    elements: Vec<(u64, T)>,
}

/// What is written of a window.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Window", deny_unknown_fields)]
struct Window<T> {
    span: usize,
    capacity: usize,
    policy: WindowPolicy,
    first: u64,
    elements: Vec<(u64, T)>,
}

/// What is written of an exact queue.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "ExactQueue", deny_unknown_fields)]
struct Exact<R, T> {
    capacity: usize,
    elements: Vec<(R, T)>,
}

/// Pushes all elements, or says which one was refused.
fn refill<Q, E>(mut queue: Q, elements: Vec<(Q::Rank, Q::Item)>) -> Result<Q, E>
where
    Q: RankedQueue,
    E: Error,
{
    for (number, (rank, item)) in elements.into_iter().enumerate() {
        queue.push(rank, item).map_err(|refused| refusal(number, &refused))?;
    }
    Ok(queue)
}

fn refusal<R, T, E: Error>(number: usize, refused: &Rejected<R, T>) -> E {
    struct Shown(usize, Reason);
    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "element {} does not fit the queue it is listed in: {}", self.0, self.1)
        }
    }
    E::custom(Shown(number, refused.reason))
}

impl<T: Serialize, const W: usize> Serialize for BucketQueue<T, W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (ranks, capacity) = (self.max_rank() as usize + 1, self.capacity());
        Buckets { ranks, capacity, elements: self.iter().collect() }.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>, const W: usize> Deserialize<'de> for BucketQueue<T, W> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Buckets::deserialize(deserializer)?;
        refill(Self::new(saved.ranks, saved.capacity).map_err(D::Error::custom)?, saved.elements)
    }
}

macro_rules! windows {
    ($($window:ident),*) => {$(
        impl<T: Serialize, const W: usize> Serialize for $window<T, W> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let (span, policy) = self.shape();
                let (capacity, first) = (self.capacity(), self.window().0);
                let mut elements: Vec<_> = self.iter().collect();
                elements.sort_by_key(|&(rank, _)| rank); // stable: arrivals keep their order
                Window { span, capacity, policy, first, elements }.serialize(serializer)
            }
        }

        impl<'de, T: Deserialize<'de>, const W: usize> Deserialize<'de> for $window<T, W> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let saved = Window::deserialize(deserializer)?;
                let queue = Self::new(saved.span, saved.capacity, saved.policy);
                let mut queue = queue.map_err(D::Error::custom)?;
                queue.begin_at(saved.first);
                refill(queue, saved.elements)
            }
        }
    )*};
}

windows!(CircularWindow, RollingWindow);

impl<R: Serialize + Copy + Ord, T: Serialize> Serialize for ExactQueue<R, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let elements = self.in_order();
        Exact { capacity: self.capacity(), elements }.serialize(serializer)
    }
}

impl<'de, R, T> Deserialize<'de> for ExactQueue<R, T>
where
    R: Deserialize<'de> + Copy + Ord,
    T: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Exact::deserialize(deserializer)?;
        refill(Self::new(saved.capacity), saved.elements)
    }
}
