//! Token-bucket shaping by departure time: rank = the instant at which the packet conforms to the
//! rate of its flow, in picoseconds. Not work-conserving: a packet never leaves before its rank.
//!
//! Source: ranks that are departure times under non-work-conserving algorithms (clubheap §2.1); the
//! meter is [`TokenBucket`]. The bucket is spent on arrival, for the departure to come, so packets
//! of a flow have rising ranks. A port that is busy at that instant sends later, and may then send
//! packets of a flow back to back; a shaper that is clocked by departures is in
//! [`tree`](crate::tree).
//!
//! Complexity: O(1). Memory: 32 bytes a flow.

use forebay_parameters::Choice;
use forebay_units::{Bytes, Time};

use super::choice::Reads;
use super::{RankConfig, RankFunction};
use crate::flow_table::FlowTable;
use crate::{Packet, Rank, TokenBucket};

/// Rank = departure time.
///
/// ```
/// use forebay_sched::{Packet, RankFunction, functions::{RankConfig, TokenBucketDeparture}};
/// use forebay_units::{Bytes, Rate, Time};
///
/// let config = RankConfig {
///     shaper_rate: Rate::from_gbps(1),
///     shaper_burst: Bytes::new(1500),
///     ..RankConfig::default()
/// };
/// let mut shaper = TokenBucketDeparture::new(&config);
/// let packet = Packet { size: 1500, ..Packet::default() };
/// let ranks: Vec<u64> = (0..3).map(|_| shaper.rank(Time::ZERO, &packet).get()).collect();
/// assert_eq!(ranks, [0, 12_000_000, 24_000_000]);
/// ```
#[derive(Clone, Debug)]
pub struct TokenBucketDeparture {
    full: TokenBucket,
    buckets: FlowTable<Option<TokenBucket>>,
    /// The bucket of the last packet's flow before it.
    before: TokenBucket,
}

impl TokenBucketDeparture {
    /// With `flows`, `shaper_rate` and `shaper_burst` of `config`; every flow has a bucket of its
    /// own.
    #[must_use]
    pub fn new(config: &RankConfig) -> Self {
        let full = TokenBucket::new(config.shaper_rate, config.shaper_burst);
        TokenBucketDeparture { full, before: full, buckets: FlowTable::new(config.flows) }
    }
}

impl RankFunction for TokenBucketDeparture {
    fn rank(&mut self, now: Time, packet: &Packet) -> Rank {
        let bucket = self.buckets.of(packet.flow).get_or_insert(self.full);
        self.before = *bucket;
        let size = Bytes::new(u64::from(packet.size));
        let departure = bucket.conforms_at(size).max(now);
        bucket.spend(departure, size);
        Rank::new(departure.as_ps())
    }

    fn refused(&mut self, packet: &Packet, _rank: Rank) {
        *self.buckets.of(packet.flow) = Some(self.before);
    }

    fn may_leave_at(&self, rank: Rank) -> Time {
        Time::from_ps(rank.get())
    }
}

/// The choice `token-bucket`.
pub(super) fn choice(config: &RankConfig) -> Choice<dyn RankFunction> {
    let about = "departure time at the rate of the packet's flow; waits for it";
    config.choice(
        "token-bucket",
        "Token bucket",
        about,
        &[Reads::Flows, Reads::Shaper],
        TokenBucketDeparture::new,
    )
}
