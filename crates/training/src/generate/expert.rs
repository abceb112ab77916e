//! Expert parallelism: the experts of a mixture-of-experts layer are spread over the ranks.
//!
//! GShard (Lepikhin et al., ICLR 2021, §3.2) and Switch Transformer (Fedus et al., JMLR 2022,
//! §2.2): in each layer, every rank computes attention for its tokens, an all-to-all dispatches
//! each token to the rank of its expert, the experts compute, and a second all-to-all combines the
//! results. Experts have a fixed capacity, so that all parts of an all-to-all are equal. The
//! backward pass does the same from the last layer to the first. The all-to-alls are the barriers:
//! nobody computes before it has everybody's part.

use forebay_parameters::Configure;
use forebay_units::{Bytes, Duration};

use super::Generator;
use crate::job::{Collective, Job, Operation, Script};

/// A model with experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct ExpertConfig {
    /// Ranks, each with its experts and its tokens.
    #[parameter(assumed = "the accelerators of a server", range = 1..=1 << 16, default = 8)]
    pub ranks: u32,
    /// Layers with experts.
    #[parameter(assumed = "a few", range = 1..=1 << 16, default = 4)]
    pub layers: u32,
    /// Computing attention of a layer.
    #[parameter(assumed = "a millisecond", default = Duration::from_ms(1))]
    pub attention: Duration,
    /// Computing the experts of a layer.
    #[parameter(assumed = "a millisecond", default = Duration::from_ms(1))]
    pub expert: Duration,
    /// What a rank sends in an all-to-all, the part that it keeps included.
    #[parameter(
        assumed = "2,048 tokens of 2,048 numbers of 2 bytes",
        default = Bytes::new(8 << 20)
    )]
    pub bytes: Bytes,
    /// The backward pass computes for so many times the forward pass's time; 0 for none.
    #[parameter(
        assumed = "twice, for gradients of inputs and of weights",
        range = 0..=1000,
        default = 2
    )]
    pub backward: u32,
    /// Iterations of the training.
    #[parameter(assumed = "one shows all", range = 1..=1 << 16, default = 1)]
    pub iterations: u32,
}

impl ExpertConfig {
    fn passes(&self) -> u64 {
        if self.backward > 0 { 2 } else { 1 }
    }

    fn exchange(&self, group: u32) -> Operation {
        Operation::Collective { kind: Collective::AllToAll, group, bytes: self.bytes }
    }

    /// Writes a layer, which begins when `last` has ended; its last node.
    fn forward(&self, script: &mut Script<'_>, group: u32, last: Option<u64>) -> u64 {
        let attention = script.compute("attention", self.attention, last.as_slice());
        let dispatched = script.add("dispatch", self.exchange(group), &[attention]);
        let expert = script.compute("expert", self.expert, &[dispatched]);
        script.add("combine", self.exchange(group), &[expert])
    }

    /// The same backwards.
    fn backward(&self, script: &mut Script<'_>, group: u32, last: Option<u64>) -> u64 {
        let factor = u64::from(self.backward);
        let combined = script.add("combine backward", self.exchange(group), last.as_slice());
        let expert = script.compute("expert backward", self.expert * factor, &[combined]);
        let dispatched = script.add("dispatch backward", self.exchange(group), &[expert]);
        script.compute("attention backward", self.attention * factor, &[dispatched])
    }
}

impl Generator for ExpertConfig {
    fn nodes(&self) -> u64 {
        let layers = u64::from(self.ranks).saturating_mul(self.layers.into());
        layers.saturating_mul(self.iterations.into()).saturating_mul(4 * self.passes())
    }

    fn job(&self) -> Job {
        let mut job = Job::of(self.ranks);
        let group = job.group("experts", (0..self.ranks).collect());
        for rank in 0..self.ranks {
            let Some(mut script) = job.rank(rank) else { continue };
            let mut last = None;
            for iteration in 0..self.iterations {
                script = script.in_iteration(iteration);
                for _ in 0..self.layers {
                    last = Some(self.forward(&mut script, group, last));
                }
                let backward = if self.backward > 0 { self.layers } else { 0 };
                for _ in 0..backward {
                    last = Some(self.backward(&mut script, group, last));
                }
            }
        }
        job
    }
}
