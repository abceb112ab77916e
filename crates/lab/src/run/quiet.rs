//! Live runs are alone: nothing else is computed while one is measured.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Whoever computes is inside, any number of threads at once or one alone.
#[derive(Debug, Default)]
pub(super) struct Quiet(RwLock<()>);

/// Held while a run is computed.
#[allow(dead_code)] // they are there to be dropped
pub(super) enum Inside<'a> {
    WithOthers(RwLockReadGuard<'a, ()>),
    Alone(RwLockWriteGuard<'a, ()>),
}

impl Inside<'_> {
    /// Whether nobody else is inside.
    pub(super) fn is_alone(&self) -> bool {
        matches!(self, Inside::Alone(_))
    }
}

impl Quiet {
    /// Waits until nobody is inside who would disturb, or be disturbed.
    pub(super) fn enter(&self, alone: bool) -> Inside<'_> {
        // There is nothing behind the lock that a panic could have spoiled.
        match alone {
            true => Inside::Alone(self.0.write().unwrap_or_else(PoisonError::into_inner)),
            false => Inside::WithOthers(self.0.read().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn whoever_is_alone_has_nobody_beside_it() {
        let (quiet, inside, alone) = (Quiet::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for number in 0..8 {
                let (quiet, inside, alone) = (&quiet, &inside, &alone);
                scope.spawn(move || {
                    for _ in 0..50 {
                        let is_alone = number % 4 == 0;
                        let _inside = quiet.enter(is_alone);
                        let others = inside.fetch_add(1, Ordering::SeqCst);
                        let lonely = alone.fetch_add(usize::from(is_alone), Ordering::SeqCst);
                        assert!(lonely == 0 && (others == 0 || !is_alone));
                        thread::yield_now();
                        alone.fetch_sub(usize::from(is_alone), Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
