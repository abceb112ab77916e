//! Data parallelism: every rank has the whole model and a part of the data.
//!
//! Li et al., "PyTorch Distributed", VLDB 2020, §3.2: the gradients are all-reduced in buckets,
//! each as soon as the backward pass has computed it, while the pass goes on; buckets follow each
//! other in order, one at a time. The optimizer's step waits for all of them, and the next
//! iteration for the step.

use forebay_parameters::Configure;
use forebay_units::{Bytes, Duration};

use super::Generator;
use crate::job::{Collective, Job, Operation, Script};

/// A model that every rank has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct DataConfig {
    /// Ranks.
    #[parameter(assumed = "the accelerators of a server", range = 1..=1 << 16, default = 8)]
    pub ranks: u32,
    /// Computing the forward pass.
    #[parameter(assumed = "a few milliseconds", default = Duration::from_ms(4))]
    pub forward: Duration,
    /// Computing the backward pass.
    #[parameter(
        assumed = "twice the forward pass, for gradients of inputs and of weights",
        default = Duration::from_ms(8)
    )]
    pub backward: Duration,
    /// The optimizer's step.
    #[parameter(assumed = "small beside the passes", default = Duration::ZERO)]
    pub step: Duration,
    /// The gradients.
    #[parameter(assumed = "25 million numbers of 4 bytes", default = Bytes::new(100_000_000))]
    pub gradients: Bytes,
    /// Buckets, of equal size and computed in equal times.
    #[parameter(
        paper = "Li et al., VLDB 2020, §3.2.3: 25 MB each",
        range = 1..=1 << 16,
        default = 4
    )]
    pub buckets: u32,
    /// Iterations of the training.
    #[parameter(assumed = "one shows all", range = 1..=1 << 16, default = 1)]
    pub iterations: u32,
}

impl DataConfig {
    /// Writes an iteration, which begins when `last` has ended; its last node.
    fn write(&self, script: &mut Script<'_>, group: u32, last: Option<u64>) -> u64 {
        let mut computed = script.compute("forward", self.forward, last.as_slice());
        let mut reduced: Option<u64> = None;
        for bucket in 0..u64::from(self.buckets) {
            let time = part(self.backward.as_ps(), self.buckets, bucket);
            computed = script.compute("backward", Duration::from_ps(time), &[computed]);
            // No bucket is empty.
            let bytes = Bytes::new(part(self.gradients.get(), self.buckets, bucket).max(1));
            let all_reduce = Operation::Collective { kind: Collective::AllReduce, group, bytes };
            let waits: Vec<u64> = std::iter::once(computed).chain(reduced).collect();
            reduced = Some(script.add("all-reduce", all_reduce, &waits));
        }
        script.compute("step", self.step, reduced.as_slice())
    }
}

/// The size of one of `parts` nearly equal parts.
fn part(whole: u64, parts: u32, number: u64) -> u64 {
    whole / u64::from(parts) + u64::from(number < whole % u64::from(parts))
}

impl Generator for DataConfig {
    fn nodes(&self) -> u64 {
        let of_rank = u64::from(self.buckets) * 2 + 2;
        of_rank.saturating_mul(self.ranks.into()).saturating_mul(self.iterations.into())
    }

    fn job(&self) -> Job {
        let mut job = Job::of(self.ranks);
        let group = job.group("replicas", (0..self.ranks).collect());
        for rank in 0..self.ranks {
            let Some(mut script) = job.rank(rank) else { continue };
            let mut last = None;
            for iteration in 0..self.iterations {
                script = script.in_iteration(iteration);
                last = Some(self.write(&mut script, group, last));
            }
        }
        job
    }
}
