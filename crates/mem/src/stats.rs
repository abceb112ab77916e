//! What a memory has done.

use core::ops::AddAssign;

use forebay_units::{Bytes, Duration};

/// Counters of a pseudo channel or of a device. Bytes are exact: moved is a whole number of
/// accesses, useful is what the requests asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStats {
    /// Bytes moved by read columns.
    pub bytes_read: Bytes,
    /// Bytes moved by write columns.
    pub bytes_written: Bytes,
    /// Useful bytes of the read requests whose columns have all issued.
    pub useful_read: Bytes,
    /// Useful bytes of the write requests whose columns have all issued.
    pub useful_written: Bytes,
    /// Requests whose columns have all issued.
    pub requests: u64,
    /// Those for which no row was opened: their row was open already.
    pub row_hits: u64,
    /// Rows opened.
    pub activations: u64,
    /// Changes of direction between one column and the next.
    pub turnarounds: u64,
    /// Refresh commands (all-bank or per-bank).
    pub refreshes: u64,
    /// Time with at least one request waiting or in flight; of a device, the sum over its channels.
    pub busy: Duration,
    /// The rest of the time up to the asking; of a device, the sum over its channels.
    pub idle: Duration,
}

impl MemoryStats {
    /// The same for `channels` pseudo channels in lockstep; useful bytes, which the requests of a
    /// striped device count for all channels, stay as they are.
    pub(crate) fn striped(mut self, channels: u64) -> Self {
        self.bytes_read = self.bytes_read * channels;
        self.bytes_written = self.bytes_written * channels;
        self.requests *= channels;
        self.row_hits *= channels;
        self.activations *= channels;
        self.turnarounds *= channels;
        self.refreshes *= channels;
        self.busy = self.busy * channels;
        self.idle = self.idle * channels;
        self
    }
}

impl AddAssign for MemoryStats {
    fn add_assign(&mut self, other: MemoryStats) {
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.useful_read += other.useful_read;
        self.useful_written += other.useful_written;
        self.requests += other.requests;
        self.row_hits += other.row_hits;
        self.activations += other.activations;
        self.turnarounds += other.turnarounds;
        self.refreshes += other.refreshes;
        self.busy += other.busy;
        self.idle += other.idle;
    }
}
