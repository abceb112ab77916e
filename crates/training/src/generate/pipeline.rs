//! Pipeline parallelism: each rank is a stage of the model, and microbatches pass through.
//!
//! Two schedules. 1F1B (PipeDream-Flush: Narayanan et al., "Efficient Large-Scale Language Model
//! Training on GPU Clusters Using Megatron-LM", SC 2021, §2.2.1): stage s of p begins with
//! p − s − 1 forward passes, at most all; then it does a forward and a backward pass in turn, and
//! the backward passes that are left. GPipe (Huang et al., NeurIPS 2019, §2.3): all forward passes,
//! then all backward passes, the last microbatch first. Both leave a stage idle for p − 1 of
//! m + p − 1 slots.
//!
//! A stage sends activations to the next one after a forward pass, and their gradients, of equal
//! size, back after a backward pass; a receiver does not delay the sender, and computation goes on
//! meanwhile. The flush between iterations needs no barrier: the first stage begins the next one
//! after its last backward pass, which is the last of all, and the others with what it sends.

use forebay_parameters::{Configure, Word};
use forebay_units::{Bytes, Duration};

use super::Generator;
use crate::job::{Job, Operation, Script};

/// In which order a stage computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Schedule {
    /// A forward and a backward pass in turn.
    #[default]
    #[word = "1f1b"]
    OneForwardOneBackward,
    /// All forward passes before all backward passes.
    #[word = "gpipe"]
    GPipe,
}

/// A pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct PipelineConfig {
    /// Stages, each a rank.
    #[parameter(assumed = "as in the figures of the source", range = 1..=1 << 16, default = 4)]
    pub stages: u32,
    /// Microbatches of an iteration.
    #[parameter(assumed = "as in the figures of the source", range = 1..=1 << 20, default = 8)]
    pub microbatches: u32,
    /// The order in which a stage computes.
    #[parameter(
        paper = "Narayanan et al., SC 2021, §2.2.1",
        default = Schedule::OneForwardOneBackward
    )]
    pub schedule: Schedule,
    /// Computing a stage's forward pass of a microbatch.
    #[parameter(assumed = "a millisecond", default = Duration::from_ms(1))]
    pub forward: Duration,
    /// Computing a stage's backward pass of a microbatch.
    #[parameter(
        assumed = "twice the forward pass, for gradients of inputs and of weights",
        default = Duration::from_ms(2)
    )]
    pub backward: Duration,
    /// What a stage sends to the next one for a microbatch.
    #[parameter(
        assumed = "2,048 tokens of 2,048 numbers of 2 bytes",
        default = Bytes::new(8 << 20)
    )]
    pub activation: Bytes,
    /// Iterations of the training.
    #[parameter(assumed = "one shows all", range = 1..=1 << 16, default = 1)]
    pub iterations: u32,
}

/// A pass of a microbatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Forward(u32),
    Backward(u32),
}

impl Schedule {
    /// What stage `stage` computes in an iteration.
    fn passes(self, stage: u32, stages: u32, microbatches: u32) -> Vec<Pass> {
        let forward = (0..microbatches).map(Pass::Forward);
        match self {
            Schedule::GPipe => forward.chain((0..microbatches).rev().map(Pass::Backward)).collect(),
            Schedule::OneForwardOneBackward => {
                let ahead = (stages - stage - 1).min(microbatches);
                let mut passes: Vec<Pass> = forward.clone().take(ahead as usize).collect();
                let mut backward = (0..microbatches).map(Pass::Backward);
                for pass in forward.skip(ahead as usize) {
                    passes.push(pass);
                    passes.extend(backward.next());
                }
                passes.extend(backward);
                passes
            }
        }
    }
}

impl PipelineConfig {
    fn is_sending(&self) -> bool {
        self.stages > 1
    }

    /// Writes a pass, which begins when `last` has ended; the node that computes it.
    fn write(
        &self,
        script: &mut Script<'_>,
        stage: u32,
        pass: Pass,
        tag: u64,
        last: &[u64],
    ) -> u64 {
        let bytes = self.activation;
        let before = stage.checked_sub(1);
        let after = Some(stage + 1).filter(|next| *next < self.stages);
        let (what, time, from, to) = match pass {
            Pass::Forward(_) => ("forward", self.forward, before, after),
            Pass::Backward(_) => ("backward", self.backward, after, before),
        };
        let mut waits = last.to_vec();
        if let Some(from) = from {
            waits.push(script.add("receive", Operation::Receive { from, tag, bytes }, &[]));
        }
        let computed = script.compute(what, time, &waits);
        if let Some(to) = to {
            script.add("send", Operation::Send { to, tag, bytes }, &[computed]);
        }
        computed
    }
}

impl Generator for PipelineConfig {
    fn nodes(&self) -> u64 {
        let passes = u64::from(self.stages).saturating_mul(self.microbatches.into()) * 2;
        let parts = if self.is_sending() { 3 } else { 1 };
        passes.saturating_mul(self.iterations.into()).saturating_mul(parts)
    }

    fn job(&self) -> Job {
        let mut job = Job::of(self.stages);
        for stage in 0..self.stages {
            let Some(mut script) = job.rank(stage) else { continue };
            let passes = self.schedule.passes(stage, self.stages, self.microbatches);
            let mut last = None;
            for iteration in 0..self.iterations {
                script = script.in_iteration(iteration);
                for pass in &passes {
                    let (Pass::Forward(microbatch) | Pass::Backward(microbatch)) = *pass;
                    let tag = u64::from(iteration) * u64::from(self.microbatches);
                    let tag = tag + u64::from(microbatch);
                    last = Some(self.write(&mut script, stage, *pass, tag, last.as_slice()));
                }
            }
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_forward_one_backward_is_that_of_the_papers_figure() {
        // Figure 4 of the source: 4 stages, 8 microbatches; the first and the last stage.
        let text = |stage| {
            let passes = Schedule::OneForwardOneBackward.passes(stage, 4, 8);
            let one = |pass: &Pass| match pass {
                Pass::Forward(microbatch) => format!("{}", microbatch + 1),
                Pass::Backward(microbatch) => format!("b{}", microbatch + 1),
            };
            passes.iter().map(one).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(text(0), "1 2 3 4 b1 5 b2 6 b3 7 b4 8 b5 b6 b7 b8");
        assert_eq!(text(3), "1 b1 2 b2 3 b3 4 b4 5 b5 6 b6 7 b7 8 b8");
    }
}
