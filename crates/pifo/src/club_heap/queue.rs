//! What clustered heaps of one logical PIFO share.

/// The queue over the forest of a heap, whose stage takes the smallest element by `$pop`.
macro_rules! ranked_forest {
    ($heap:ident, $pop:expr) => {
        crate::debug_in_one_line!(
            [R: Copy + Ord + core::fmt::Debug, T, const WAYS: usize] $heap<R, T, WAYS> as RankedQueue
        );

        impl<R: Copy + Ord, T, const WAYS: usize> $heap<R, T, WAYS> {
            /// The parameters it was built with.
            #[must_use]
            pub fn geometry(&self) -> &$crate::ClubGeometry {
                self.forest.geometry()
            }

            /// Checks the definition, the corollaries and every field; O(n), for tests.
            ///
            /// # Errors
            /// The first [`ClubFault`](crate::ClubFault) found; there is none unless this type is
            /// wrong.
            pub fn check(&self) -> Result<(), $crate::ClubFault> {
                self.forest.check()
            }
        }

        impl<R: Copy + Ord, T, const WAYS: usize> $crate::RankedQueue for $heap<R, T, WAYS> {
            type Rank = R;
            type Item = T;

            fn push(&mut self, rank: R, item: T) -> Result<(), $crate::Rejected<R, T>> {
                self.forest.push(0, rank, item)
            }

            fn pop_min(&mut self) -> Option<(R, T)> {
                self.forest.pop(0, $pop)
            }

            fn peek_min(&self) -> Option<(R, &T)> {
                self.forest.smallest(0)
            }

            fn replace(&mut self, rank: R, item: T) -> $crate::Replaced<R, T> {
                self.forest.replace(0, rank, item)
            }

            fn len(&self) -> usize {
                self.forest.len()
            }

            fn capacity(&self) -> usize {
                self.forest.geometry().capacity()
            }

            fn iter(&self) -> $crate::Elements<'_, R, T> {
                alloc::boxed::Box::new(self.forest.iter())
            }
        }
    };
}
pub(super) use ranked_forest;
