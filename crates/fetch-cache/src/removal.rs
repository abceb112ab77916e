//! Values that leave the cache, and who is told.

use std::sync::Arc;

/// Why a value left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemovalCause {
    /// It made room for another, or was let pass by the policy.
    Evicted,
    /// Its time to live or its idle time was up.
    Expired,
    /// Another value took its place.
    Replaced,
    /// It was removed by hand.
    Removed,
}

/// Is told of every value that leaves, after the shard is unlocked.
pub(crate) type Listener<K, V> = Arc<dyn Fn(K, V, RemovalCause) + Send + Sync>;

/// Keys and values that have left a shard. They are dropped, and told of, once it is unlocked.
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

    /// Tells `listener`, if there is one.
    pub(crate) fn tell(self, listener: Option<&Listener<K, V>>) {
        if let Some(listener) = listener {
            self.0.into_iter().for_each(|(key, value, cause)| listener(key, value, cause));
        }
    }
}
