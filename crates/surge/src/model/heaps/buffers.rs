//! The three buffers of thesis §3.6.3. Complexities: those of their heaps. Memory: per packet
//! 40 bytes and a heap's node, or two, or what the scheduler takes.

use forebay_units::Time;

use super::fibonacci::FibonacciHeap;
use super::{Buffer, HeapJob};
use crate::error::SurgeError;
use crate::job::{FlowKey, Job};
use crate::scheduler::{Scheduler, SchedulerConfig};

/// Packets by handle.
#[derive(Clone, Debug, Default)]
struct Slots {
    jobs: Vec<HeapJob>,
    free: Vec<u32>,
    len: usize,
    arrived: u64,
}

impl Slots {
    /// A handle, and a key that keeps equal ratios in order of arrival.
    fn take(&mut self, job: HeapJob) -> (u32, u128) {
        self.len += 1;
        self.arrived += 1;
        let key = u128::from(job.ratio()) << 64 | u128::from(self.arrived);
        let handle = match self.free.pop() {
            Some(handle) => {
                self.jobs[handle as usize] = job;
                handle
            }
            None => {
                self.jobs.push(job);
                (self.jobs.len() - 1) as u32
            }
        };
        (handle, key)
    }

    fn give(&mut self, handle: u32) -> HeapJob {
        self.len -= 1;
        self.free.push(handle);
        self.jobs[handle as usize]
    }
}

/// A Fibonacci heap that drops what arrives when it is full.
///
/// ```
/// use forebay_surge::model::heaps::{Buffer, HeapBuffer, HeapJob};
/// use forebay_units::{Bytes, Duration};
///
/// let job = |us| HeapJob { flow: 0, size: Bytes::new(64), work: Duration::from_us(us), innocent: true };
/// let mut buffer = HeapBuffer::new(2);
/// assert!(buffer.offer(job(9)).is_none() && buffer.offer(job(8)).is_none());
/// assert_eq!(buffer.offer(job(1)), Some(job(1)));
/// assert_eq!(buffer.poll(), Some(job(8)));
/// ```
#[derive(Clone)]
pub struct HeapBuffer {
    slots: Slots,
    smallest: FibonacciHeap,
    capacity: usize,
}

forebay_pifo::debug_in_one_line!(
    [] HeapBuffer, |buffer| { len: buffer.slots.len, capacity: buffer.capacity }
);

impl HeapBuffer {
    /// An empty one for so many packets.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        HeapBuffer { slots: Slots::default(), smallest: FibonacciHeap::default(), capacity }
    }
}

impl Buffer for HeapBuffer {
    fn offer(&mut self, job: HeapJob) -> Option<HeapJob> {
        if self.slots.len >= self.capacity {
            return Some(job);
        }
        let (handle, key) = self.slots.take(job);
        self.smallest.push(handle, key);
        None
    }

    fn poll(&mut self) -> Option<HeapJob> {
        self.smallest.pop().map(|handle| self.slots.give(handle))
    }

    fn accesses(&self) -> u64 {
        self.smallest.accesses()
    }
}

/// Two Fibonacci heaps over the same packets, one for each end; drops the largest.
///
/// ```
/// use forebay_surge::model::heaps::{Buffer, HeapJob, PairBuffer};
/// use forebay_units::{Bytes, Duration};
///
/// let job = |us| HeapJob { flow: 0, size: Bytes::new(64), work: Duration::from_us(us), innocent: true };
/// let mut buffer = PairBuffer::new(2);
/// assert!(buffer.offer(job(9)).is_none() && buffer.offer(job(8)).is_none());
/// assert_eq!(buffer.offer(job(1)), Some(job(9)));
/// assert_eq!(buffer.poll(), Some(job(1)));
/// ```
#[derive(Clone)]
pub struct PairBuffer {
    slots: Slots,
    smallest: FibonacciHeap,
    /// By the complement of the key.
    largest: FibonacciHeap,
    capacity: usize,
}

forebay_pifo::debug_in_one_line!(
    [] PairBuffer, |buffer| { len: buffer.slots.len, capacity: buffer.capacity }
);

impl PairBuffer {
    /// An empty one for so many packets.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let (smallest, largest) = (FibonacciHeap::default(), FibonacciHeap::default());
        PairBuffer { slots: Slots::default(), smallest, largest, capacity }
    }
}

impl Buffer for PairBuffer {
    fn offer(&mut self, job: HeapJob) -> Option<HeapJob> {
        let (handle, key) = self.slots.take(job);
        self.smallest.push(handle, key);
        self.largest.push(handle, !key);
        if self.slots.len <= self.capacity {
            return None;
        }
        let out = self.largest.pop()?;
        self.smallest.remove(out);
        Some(self.slots.give(out))
    }

    fn poll(&mut self) -> Option<HeapJob> {
        let next = self.smallest.pop()?;
        self.largest.remove(next);
        Some(self.slots.give(next))
    }

    fn accesses(&self) -> u64 {
        self.smallest.accesses() + self.largest.accesses()
    }
}

/// What an operation touches of 2^15 buckets under three levels of 64-bit words, at most. Push: the
/// bucket, its last node, the new node, a word a level. Pop, from either end: a word a level, the
/// bucket, its node, and a word a level if the bucket becomes empty.
const PUSH_ACCESSES: u64 = 6;
const POP_ACCESSES: u64 = 8;

/// The bucket queue: [`Scheduler`] under `wsjf`, dropping the largest.
pub struct Buckets {
    scheduler: Scheduler<HeapJob>,
    accesses: u64,
}

impl Buckets {
    /// An empty one for so many packets.
    ///
    /// # Errors
    /// A capacity out of range.
    pub fn new(capacity: usize) -> Result<Self, SurgeError> {
        let config = SchedulerConfig { capacity, ..SchedulerConfig::under("wsjf")? };
        Ok(Buckets { scheduler: Scheduler::new(&config)?, accesses: 0 })
    }
}

impl Buffer for Buckets {
    fn offer(&mut self, job: HeapJob) -> Option<HeapJob> {
        self.accesses += PUSH_ACCESSES;
        let known = Job::new(FlowKey(job.flow), job.size, job.work);
        // WSJF does not ask for the time.
        let offered = self.scheduler.offer(Time::ZERO, known, job);
        let out = offered.dropped().map(|out| out.item);
        if out.is_some() {
            self.accesses += POP_ACCESSES;
        }
        out
    }

    fn poll(&mut self) -> Option<HeapJob> {
        self.accesses += POP_ACCESSES;
        self.scheduler.poll().map(|next| next.item)
    }

    fn accesses(&self) -> u64 {
        self.accesses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_units::{Bytes, Duration};
    use proptest::prelude::*;

    proptest! {
        /// Up to the width of a bucket, which the values here are far apart from, all that drop the
        /// largest agree.
        #[test]
        fn a_pair_of_heaps_and_the_buckets_do_the_same(
            steps in prop::collection::vec((any::<bool>(), 1u64..200), 1..300),
        ) {
            let mut pair = PairBuffer::new(20);
            let mut buckets = Buckets::new(20).unwrap();
            let some = steps.iter().any(|(arrives, _)| *arrives);
            for (arrives, us) in steps {
                if arrives {
                    let (size, work) = (Bytes::new(64), Duration::from_us(us));
                    let job = HeapJob { flow: us, size, work, innocent: true };
                    let [one, other] = [pair.offer(job), buckets.offer(job)];
                    prop_assert_eq!(one, other);
                } else {
                    prop_assert_eq!(pair.poll(), buckets.poll());
                }
            }
            prop_assert!(!some || (pair.accesses() > 0 && buckets.accesses() > 0));
        }
    }
}
