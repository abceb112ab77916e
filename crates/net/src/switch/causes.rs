//! The loss causes of traffic managers and schedulers, as those of the network.

use forebay_buffer::DropCause as Buffer;
use forebay_sched::scheduler::DropCause as Scheduler;

use super::DropCause;

impl From<Buffer> for DropCause {
    fn from(cause: Buffer) -> Self {
        match cause {
            Buffer::StagingFull => DropCause::StagingFull,
            Buffer::SramFull => DropCause::MemoryFull,
            Buffer::HbmFull => DropCause::FarMemoryFull,
            Buffer::NoDescriptor => DropCause::NoDescriptor,
            Buffer::TooLarge | Buffer::NoQueue => DropCause::Impossible,
            Buffer::Threshold => DropCause::Threshold,
            Buffer::PushedOut => DropCause::PushedOut,
            Buffer::Expelled => DropCause::Expelled,
        }
    }
}

impl From<Scheduler> for DropCause {
    fn from(cause: Scheduler) -> Self {
        match cause {
            Scheduler::Horizon => DropCause::Horizon,
            Scheduler::Early => DropCause::Early,
            // Causes that are added to schedulers later count as a full queue until they are named here.
            _ => DropCause::QueueFull,
        }
    }
}
