//! Hashes over lists of texts: the keys of stored runs and the names of folders.

/// Adds a text so that no two lists of texts look alike.
pub(crate) fn field(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
