//! How much service fair queueing gives a flow per bucket. Exact ranks need no step.

use forebay_parameters::{Configure, Kind, Parameter, Source, Walk};
use forebay_units::{Bytes, Duration};

use super::{PolicyShape, Ranks};

const FQ_BYTES_STEP: Parameter = Parameter::new(
    "fq_bytes_step",
    Kind::Bytes,
    Source::assumed("suits packets of hundreds of bytes"),
    "Bytes that fq-bytes serves a flow per bucket; 2^15 of them are its horizon.",
);
const FQ_TIME_STEP: Parameter = Parameter::new(
    "fq_time_step",
    Kind::Duration,
    Source::assumed("suits jobs of microseconds"),
    "Work that fq and fq-time serve a flow per bucket; 2^15 of them are their horizon.",
);

/// The parameters that only buckets read.
pub(crate) const OF_BUCKETS: [Parameter; 2] = [FQ_BYTES_STEP, FQ_TIME_STEP];

/// Bytes.
#[derive(Clone, Copy)]
pub(super) struct ByteStep(Bytes);

impl Default for ByteStep {
    fn default() -> Self {
        ByteStep(Bytes::new(64))
    }
}

impl Configure for ByteStep {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&FQ_BYTES_STEP, &mut self.0);
    }
}

impl ByteStep {
    /// Bytes that a rank stands for.
    pub(super) fn of(self, shape: &PolicyShape) -> u64 {
        in_ranks(self.0.get(), shape)
    }
}

/// Processing time.
#[derive(Clone, Copy)]
pub(super) struct TimeStep(Duration);

impl Default for TimeStep {
    fn default() -> Self {
        TimeStep(Duration::from_ns(100))
    }
}

impl Configure for TimeStep {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&FQ_TIME_STEP, &mut self.0);
    }
}

impl TimeStep {
    /// Picoseconds that a rank stands for.
    pub(super) fn of(self, shape: &PolicyShape) -> u64 {
        in_ranks(self.0.as_ps(), shape)
    }
}

fn in_ranks(step: u64, shape: &PolicyShape) -> u64 {
    match shape.ranks {
        Ranks::Exact => 1,
        Ranks::Buckets => step.max(1),
    }
}
