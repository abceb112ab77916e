//! Buckets and their index: what the bucket queues share.
//!
//! A bitmap tree says which buckets hold something, lists hold it. The queues differ only in how a
//! rank becomes a bucket number. Complexity: O(levels) per operation.

use super::lists::{BucketLists, MAX_ELEMENTS};
use crate::bitmap::{BitmapTree, GeometryError, Subtree};

/// Buckets numbered from 0, each a list in order of arrival. Bucket numbers given must exist.
#[derive(Clone)]
pub(crate) struct BucketStore<T, const W: usize> {
    tree: BitmapTree<W, 1>,
    lists: BucketLists<T>,
    len: usize,
    capacity: usize,
}

/// The one lane of the tree.
const LANE: usize = 0;

impl<T, const W: usize> BucketStore<T, W> {
    pub(crate) fn new(buckets: usize, capacity: usize) -> Result<Self, GeometryError> {
        Ok(BucketStore {
            tree: BitmapTree::new(buckets)?,
            lists: BucketLists::new(buckets),
            len: 0,
            capacity: capacity.min(MAX_ELEMENTS),
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn buckets(&self) -> usize {
        self.tree.len()
    }

    pub(crate) fn depth(&self) -> usize {
        self.tree.depth()
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    #[inline]
    pub(crate) fn insert(&mut self, bucket: usize, item: T) {
        if self.lists.is_empty(bucket) {
            self.tree.insert(LANE, bucket);
        }
        self.lists.push_back(bucket, item);
        self.len += 1;
    }

    /// Takes the earliest element of `bucket`.
    #[inline]
    pub(crate) fn take_front(&mut self, bucket: usize) -> Option<T> {
        let item = self.lists.pop_front(bucket)?;
        self.taken(bucket);
        Some(item)
    }

    /// Takes the latest element of `bucket`.
    #[inline]
    pub(crate) fn take_back(&mut self, bucket: usize) -> Option<T> {
        let item = self.lists.pop_back(bucket)?;
        self.taken(bucket);
        Some(item)
    }

    #[inline]
    fn taken(&mut self, bucket: usize) {
        self.len -= 1;
        if self.lists.is_empty(bucket) {
            self.tree.remove(LANE, bucket);
        }
    }

    #[inline]
    pub(crate) fn front(&self, bucket: usize) -> Option<&T> {
        self.lists.front(bucket)
    }

    #[inline]
    pub(crate) fn back(&self, bucket: usize) -> Option<&T> {
        self.lists.back(bucket)
    }

    /// The smallest bucket that holds something.
    #[inline]
    pub(crate) fn first(&self) -> Option<usize> {
        self.tree.first(LANE)
    }

    /// The largest bucket that holds something.
    #[inline]
    pub(crate) fn last(&self) -> Option<usize> {
        self.tree.last(LANE)
    }

    /// The smallest bucket from `bucket` on that holds something.
    #[inline]
    pub(crate) fn first_from(&self, bucket: usize) -> Option<usize> {
        self.tree.first_from(LANE, bucket)
    }

    /// The largest bucket below `bucket` that holds something.
    #[inline]
    pub(crate) fn last_below(&self, bucket: usize) -> Option<usize> {
        self.tree.last_below(LANE, bucket)
    }

    #[inline]
    pub(crate) fn first_under(&self, subtree: Subtree) -> Option<usize> {
        self.tree.first_under(LANE, subtree)
    }

    #[inline]
    pub(crate) fn last_under(&self, subtree: Subtree) -> Option<usize> {
        self.tree.last_under(LANE, subtree)
    }

    /// The subtree of partition `number` of `partitions` equal ones.
    pub(crate) fn subtree(
        &self,
        number: usize,
        partitions: usize,
    ) -> Result<Subtree, GeometryError> {
        let buckets = self.buckets();
        let fault = GeometryError::Partitions { asked: partitions, buckets, width: W };
        if partitions == 0 || !buckets.is_multiple_of(partitions) {
            return Err(fault);
        }
        self.tree.subtree(number, buckets / partitions).ok_or(fault)
    }

    /// Every element with its bucket, smallest bucket first and in order of arrival within one.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let mut from = 0;
        let buckets = core::iter::from_fn(move || {
            let bucket = (from < self.buckets()).then(|| self.first_from(from))??;
            from = bucket + 1;
            Some(bucket)
        });
        buckets.flat_map(|bucket| self.lists.iter(bucket).map(move |item| (bucket, item)))
    }
}
