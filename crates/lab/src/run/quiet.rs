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
