//! A job as schedulers see it, and the table that holds those that wait.
//!
//! Source: thesis §3.3.1: a packet has a size in bits and a job size in seconds. The paper's job
//! size is known in advance; here it is an estimate, and the true one shows when the job has run.

use forebay_units::{Bytes, Duration};

/// The caller's name for a flow: a hash of the five-tuple, a connection number, a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey(pub u64);

/// What a policy may know about a job.
///
/// ```
/// use forebay_surge::{FlowKey, Job};
/// use forebay_units::{Bytes, Duration};
///
/// let job = Job::new(FlowKey(7), Bytes::new(1500), Duration::from_us(3));
/// assert_eq!(job.attained, Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The flow it belongs to.
    pub flow: FlowKey,
    /// Its packet size: what the sender paid for it. Nothing counts as one byte.
    pub size: Bytes,
    /// Its job size, as estimated.
    pub work: Duration,
    /// What of it has been served; only preempted jobs have any.
    pub attained: Duration,
}

impl Job {
    /// A job that has not been served yet.
    #[must_use]
    pub fn new(flow: FlowKey, size: Bytes, work: Duration) -> Self {
        Job { flow, size, work, attained: Duration::ZERO }
    }
}

/// The jobs that wait, by their dense number. 32 bytes a number; numbers are reused.
#[derive(Clone, Default)]
pub struct JobTable {
    jobs: Vec<Job>,
    free: Vec<u32>,
}

forebay_pifo::debug_in_one_line!(
    [] JobTable, |table| { waiting: table.jobs.len() - table.free.len() }
);

impl JobTable {
    /// The job of this number; an empty one if there never was such a number.
    #[inline]
    #[must_use]
    pub fn get(&self, id: u32) -> Job {
        self.jobs.get(id as usize).copied().unwrap_or_default()
    }

    /// Numbers a job. At most 2^32 - 1 wait at once, which the scheduler's capacity ensures.
    #[inline]
    pub(crate) fn insert(&mut self, job: Job) -> u32 {
        match self.free.pop() {
            Some(id) => {
                self.jobs[id as usize] = job;
                id
            }
            None => {
                self.jobs.push(job);
                (self.jobs.len() - 1) as u32
            }
        }
    }

    /// Frees a number that [`insert`](Self::insert) gave.
    #[inline]
    pub(crate) fn remove(&mut self, id: u32) -> Job {
        self.free.push(id);
        self.get(id)
    }
}
