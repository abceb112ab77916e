//! What a window does with a rank outside it, and the queue that a window is.

/// The fate of a rank below the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Below {
    /// It joins the window's first rank, behind what waits there: a late element is served as soon
    /// as the order allows, and leaves with that first rank as its own.
    #[default]
    FirstBucket,
    /// It is refused.
    Reject,
}

/// The fate of a rank beyond the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Beyond {
    /// It joins the window's last rank, behind what waits there, and leaves with that rank as its
    /// own: elements beyond the window lose their order among themselves.
    LastBucket,
    /// It is refused.
    #[default]
    Reject,
}

/// What a rolling window does with ranks outside it. The default serves late elements first and
/// refuses those too far ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WindowPolicy {
    /// The fate of ranks below the window.
    pub below: Below,
    /// The fate of ranks beyond the window.
    pub beyond: Beyond,
}

/// The queue that a window is: of `window`, `bucket`, `rank`, `first`, `last`, how it reaches out
/// for a rank outside itself (`reach`), and how it moves on when a bucket is served (`served`).
macro_rules! window_queue {
    ($window:ident) => {
        crate::debug_in_one_line!([T, const W: usize] $window<T, W> as RankedQueue);

        impl<T, const W: usize> $window<T, W> {
            /// The bucket for `rank`, or why there is none.
            #[inline]
            fn place(&mut self, rank: u64) -> Result<usize, $crate::Reason> {
                let (first, last) = self.window();
                if (first..=last).contains(&rank) {
                    return Ok(self.bucket(rank - first));
                }
                self.reach(rank);
                let (first, last) = self.window();
                if rank < first {
                    match self.policy.below {
                        $crate::Below::FirstBucket => Ok(self.bucket(0)),
                        $crate::Below::Reject => Err($crate::Reason::BelowWindow { first }),
                    }
                } else if rank > last {
                    match self.policy.beyond {
                        $crate::Beyond::LastBucket => Ok(self.bucket(last - first)),
                        $crate::Beyond::Reject => Err($crate::Reason::BeyondWindow { last }),
                    }
                } else {
                    Ok(self.bucket(rank - first))
                }
            }
        }

        impl<T, const W: usize> $crate::RankedQueue for $window<T, W> {
            type Rank = u64;
            type Item = T;

            #[inline]
            fn push(&mut self, rank: u64, item: T) -> Result<(), $crate::Rejected<u64, T>> {
                if self.store.is_full() {
                    let reason = $crate::Reason::Full { capacity: self.store.capacity() };
                    return Err($crate::Rejected { rank, item, reason });
                }
                match self.place(rank) {
                    Ok(bucket) => {
                        self.store.insert(bucket, item);
                        Ok(())
                    }
                    Err(reason) => Err($crate::Rejected { rank, item, reason }),
                }
            }

            #[inline]
            fn pop_min(&mut self) -> Option<(u64, T)> {
                let bucket = self.first()?;
                let rank = self.rank(bucket);
                self.served(bucket);
                Some((rank, self.store.take_front(bucket)?))
            }

            #[inline]
            fn peek_min(&self) -> Option<(u64, &T)> {
                let bucket = self.first()?;
                Some((self.rank(bucket), self.store.front(bucket)?))
            }

            fn len(&self) -> usize {
                self.store.len()
            }

            fn capacity(&self) -> usize {
                self.store.capacity()
            }

            fn iter(&self) -> $crate::Elements<'_, u64, T> {
                alloc::boxed::Box::new(self.store.iter().map(|(bucket, item)| (self.rank(bucket), item)))
            }

            fn ties(&self) -> $crate::Ties {
                $crate::Ties::Fifo
            }
        }

        impl<T, const W: usize> $crate::FifoTies for $window<T, W> {}

        impl<T, const W: usize> $crate::DoubleEnded for $window<T, W> {
            #[inline]
            fn pop_max(&mut self) -> Option<(u64, T)> {
                let bucket = self.last()?;
                Some((self.rank(bucket), self.store.take_back(bucket)?))
            }

            #[inline]
            fn peek_max(&self) -> Option<(u64, &T)> {
                let bucket = self.last()?;
                Some((self.rank(bucket), self.store.back(bucket)?))
            }
        }
    };
}
pub(super) use window_queue;
