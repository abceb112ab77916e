//! What a run of a job has measured.

use serde::Serialize;

/// Of one rank. Times are in µs from the job's beginning.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RankReport {
    /// When its last node was done; none if one is not.
    pub end_us: Option<f64>,
    /// While one of its processors computed.
    pub compute_us: f64,
    /// The rest until its end, or that of the run if it is not done: it had nothing to compute and
    /// waited for messages.
    pub exposed_us: f64,
    /// Bytes of messages that it sent.
    pub sent_bytes: u64,
    /// When it was done with each iteration; none of those with which it is not.
    pub iteration_ends_us: Vec<Option<f64>>,
}

/// Of a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// When the last rank was done, in µs; if one is not, when the run ended.
    pub end_us: f64,
    /// When the last rank was done with each iteration, in µs; none if one is not.
    pub iteration_ends_us: Vec<Option<f64>>,
    /// Messages that were sent.
    pub messages: u64,
    /// Packets transmitted, each counted at every device.
    pub packet_hops: u64,
    /// Packets that were lost.
    pub lost: u64,
    /// Nodes that are done.
    pub done: u32,
    /// All nodes.
    pub nodes: u32,
    /// Each rank.
    pub ranks: Vec<RankReport>,
}
