//! The buffer in front of a processor, as options.

use clap::{Args, ValueEnum};
use forebay_parameters::Choices;
use forebay_surge::policies::JobPolicy;
use forebay_surge::{DropRule, ProtectConfig, Scheduler, SchedulerConfig};

use crate::Failure;
use crate::arguments::whole;
use crate::failure::wrong;

/// The policies that there are.
pub(super) type Jobs = Choices<dyn JobPolicy>;

/// The most packets that a scheduler holds.
const MOST: u32 = SchedulerConfig::MOST as u32;

/// The buffer in front of a processor.
#[derive(Args)]
pub(super) struct BufferArguments {
    /// How many packets may wait.
    #[arg(long, value_name = "K", default_value_t = 1024, value_parser = whole(1_u32..=MOST))]
    pub(super) capacity: u32,
    /// What is dropped when the buffer is full: the largest by the policy's order, or the newcomer.
    #[arg(long, value_enum, default_value = "largest")]
    pub(super) drop: Drop,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum Drop {
    Largest,
    Tail,
}

impl BufferArguments {
    /// A processor behind the policy of this name among `jobs`, which an option names.
    pub(super) fn protect(
        &self,
        (option, policy): (&str, &str),
        jobs: &Jobs,
    ) -> Result<ProtectConfig, Failure> {
        let drop = match self.drop {
            Drop::Largest => DropRule::Largest,
            Drop::Tail => DropRule::Tail,
        };
        let policy = jobs.named(policy).map_err(|error| wrong(option, error))?.clone();
        let config = SchedulerConfig::new(policy);
        let scheduler = SchedulerConfig { capacity: self.capacity as usize, drop, ..config };
        Ok(ProtectConfig { scheduler, ..ProtectConfig::default() })
    }

    /// Rejects an impossible combination of policy and buffer before anything long is built.
    pub(super) fn check(&self, policy: (&str, &str), jobs: &Jobs) -> Result<(), Failure> {
        let config = self.protect(policy, jobs)?;
        let built = Scheduler::<()>::new(&config.scheduler);
        built.map(drop).map_err(|error| failed(&error))
    }
}

pub(super) fn failed(error: &dyn std::error::Error) -> Failure {
    Failure::input(format!("error: {error}"))
}
