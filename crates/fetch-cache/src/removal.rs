//! Values that leave the cache, and who is notified.

use std::sync::Arc;

/// Why a value left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemovalCause {
    /// It made room for another, or the policy did not admit it.
    Evicted,
    /// Its time to live or its idle time was over.
    Expired,
    /// Another value replaced it.
    Replaced,
    /// It was removed explicitly.
    Removed,
}

/// Is called with every value that leaves, after the shard is unlocked.
pub(crate) type Listener<K, V> = Arc<dyn Fn(K, V, RemovalCause) + Send + Sync>;

/// Keys and values that have left a shard. They are dropped and reported once it is unlocked.
pub(crate) struct Removals<K, V>(Vec<(K, V, RemovalCause)>);

impl<K, V> Default for Removals<K, V> {
    fn default() -> Self {
        Removals(Vec::new())
    }
}

impl<K, V> Removals<K, V> {
    pub(crate) fn push(&mut self, key: K, value: V, cause: RemovalCause) {
        self.0.push((key, value, cause));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Calls `listener`, if there is one.
    pub(crate) fn tell(self, listener: Option<&Listener<K, V>>) {
        if let Some(listener) = listener {
            self.0.into_iter().for_each(|(key, value, cause)| listener(key, value, cause));
        }
    }
}
