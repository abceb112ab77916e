//! A table with a place for each bank of a pseudo channel, or for each request that it holds.

use core::ops::{Index, IndexMut};

/// The most banks that a pseudo channel can have, and the most requests that it can hold.
pub(crate) const PLACES: usize = 64;

/// 64 places. An index counts modulo 64, so that no access needs a check: a controller looks into
/// its tables some hundred times a request.
#[derive(Clone, Debug)]
pub(crate) struct Table<T>([T; PLACES]);

impl<T: Clone> Table<T> {
    /// Every place holds `value`.
    pub(crate) fn of(value: &T) -> Self {
        Table(core::array::from_fn(|_| value.clone()))
    }
}

impl<T> Table<T> {
    /// What is in the first `places` places.
    pub(crate) fn first(&self, places: usize) -> &[T] {
        &self.0[..places.min(PLACES)]
    }

    /// See [`Table::first`].
    pub(crate) fn first_mut(&mut self, places: usize) -> &mut [T] {
        &mut self.0[..places.min(PLACES)]
    }
}

impl<T> Index<usize> for Table<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        &self.0[place % PLACES]
    }
}

impl<T> IndexMut<usize> for Table<T> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.0[place % PLACES]
    }
}
