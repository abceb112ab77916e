//! What a bounded buffer under WSJF costs itself, and what an attack on it does: thesis §3.6.3.
//!
//! Three designs, as in the paper: a Fibonacci heap, which can give up its smallest only and so
//! drops what arrives; a pair of Fibonacci heaps over the same packets, one for each end; the
//! bucket queue of the schedulers here. The paper does not say how its pair is kept in step; here
//! what leaves one heap is cut out of the other, which is what a heap with handles does.
//!
//! Cost is counted in *accesses*: nodes of a heap read or written, bitmap words and list nodes of
//! the bucket queue. That is the same on every machine. The packets themselves, which every design
//! has to keep, are not counted. [`two_cores`] turns accesses, or a time per packet, into goodput.

mod buffers;
mod fibonacci;
mod two_cores;

pub use buffers::{Buckets, HeapBuffer, PairBuffer};
pub use fibonacci::FibonacciHeap;
pub use two_cores::{Cost, TwoCores, TwoCoresConfig, two_cores};

use forebay_units::{Bytes, Duration};

/// A packet with its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapJob {
    /// The flow that the sender claims.
    pub flow: u64,
    /// The packet's size, which is what sending it costs.
    pub size: Bytes,
    /// The time that processing it takes.
    pub work: Duration,
    /// Whose it is; no buffer looks at it.
    pub innocent: bool,
}

impl HeapJob {
    /// Job size per packet size, with 16 fractional bits.
    #[must_use]
    pub fn ratio(&self) -> u64 {
        let ratio = (u128::from(self.work.as_ps()) << 16) / u128::from(self.size.get().max(1));
        u64::try_from(ratio).unwrap_or(u64::MAX)
    }
}

/// A bounded buffer that serves the smallest ratio first.
pub trait Buffer {
    /// A packet arrives; the packet that is dropped, if one is.
    fn offer(&mut self, job: HeapJob) -> Option<HeapJob>;

    /// The packet to process next.
    fn poll(&mut self) -> Option<HeapJob>;

    /// Accesses so far; 0 where they are not counted.
    fn accesses(&self) -> u64 {
        0
    }
}
