//! Pieces of bodies: parts of them, and reading them off the runtime's threads.

use std::io;

use bytes::Bytes;

/// The largest piece of a body in memory.
pub(crate) const PIECE: usize = 1 << 20;

/// Runs what waits for a disk where it keeps nobody else waiting.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// The part of `piece`, number `number` of pieces of `size` bytes, between `at` and `until`.
pub(crate) fn part(piece: &Bytes, number: u64, size: usize, at: u64, until: u64) -> Bytes {
    let start = number * size as u64;
    let from = (at - start) as usize;
    let to = ((until - start).min(piece.len() as u64)) as usize;
    piece.slice(from.min(to)..to)
}
