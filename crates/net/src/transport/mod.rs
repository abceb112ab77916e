//! Transports: when a host sends which bytes, and what the receiver answers.
//!
//! State machines, which are told the time by their caller and own neither clock nor socket:
//!
//! | type | what it does | source |
//! |---|---|---|
//! | [`Sender`] | a window of data in flight, loss recovery, one timer | RFC 5681, 6582, 6675, 6298 |
//! | [`Receiver`] | reassembly, acknowledgements, ECN echo | RFC 5681, 2018, 3168, 8257 |
//! | [`Controller`] | how large the window is ([`CongestionControl`]) | RFC 5681, 9438, 8257 |
//! | [`ConstantRate`] | datagrams at a rate, no feedback | |
//! | [`RoceSender`], [`RoceReceiver`] | packets at a rate, go-back-N or selective repeat | InfiniBand, IRN |
//! | [`PullSender`], [`PullReceiver`] | a window at once, then a packet for each that the receiver pulls | NDP |
//!
//! Unless [`SenderConfig::handshake`] asks for one there is no handshake: a flow begins with its
//! first data segment, and [`SenderConfig::handshake_rtt`] stands for what a handshake would have
//! measured. There is no Nagle rule: all of a flow's data waits at the sender from the start.
//!
//! A whole flow over a network that takes 40 µs each way and loses nothing:
//!
//! ```
//! use std::sync::Arc;
//! use forebay_net::transport::{Receiver, ReceiverConfig, Sender, SenderConfig, congestion_controls};
//! use forebay_units::{Bytes, Duration, Time};
//!
//! let control = congestion_controls().named("new-reno")?.build(&())?;
//! let length = Some(Bytes::new(100_000));
//! let mut sender = Sender::new(Arc::new(SenderConfig::default()), length, control)?;
//! let mut receiver = Receiver::new(Arc::new(ReceiverConfig::default()))?;
//!
//! let (mut now, mut rounds) = (Time::ZERO, 0);
//! while !sender.is_finished() {
//!     let segments: Vec<_> = std::iter::from_fn(|| sender.poll(now)).collect();
//!     now += Duration::from_us(40);
//!     let acks: Vec<_> = segments.iter().filter_map(|s| receiver.on_segment(now, s)).collect();
//!     now += Duration::from_us(40);
//!     acks.iter().for_each(|ack| sender.on_ack(now, ack));
//!     rounds += 1;
//! }
//! // 70 segments: 10 in the first round trip, 20 in the second, 40 in the third.
//! assert_eq!((receiver.delivered(), rounds), (Bytes::new(100_000), 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bitmap;
mod config;
mod congestion;
mod pull;
mod ranges;
mod receiver;
mod report;
mod roce;
mod rto;
mod scoreboard;
mod segment;
mod sender;
#[cfg(test)]
mod tests;
mod udp;
mod window;

pub use config::{ConfigError, DelayedAck, MAX_MSS, ReceiverConfig, SenderConfig};
pub use congestion::{
    AckSample, Cause, Congestion, CongestionControl, Controller, Cubic, CubicConfig, Dcqcn,
    DcqcnConfig, Dctcp, DctcpConfig, EcnEcho, NewReno, NewRenoConfig, OwnControl,
    congestion_controls,
};
#[cfg(feature = "fabrics")]
pub use congestion::{
    Hpcc, HpccConfig, PowerTcp, PowerTcpConfig, Swift, SwiftConfig, Timely, TimelyConfig,
};
pub use pull::{PullConfig, PullReceiver, PullSender, PullTransport};
pub use receiver::Receiver;
pub use report::{MAX_REPORTS, PortReport};
pub use roce::{
    Paced, Path, RateConfig, RateControl, RateSample, Recovery, RoceConfig, RoceReceiver,
    RoceSender, SelectiveConfig,
};
pub use rto::{MAX_BACKOFF, RtoConfig, RttEstimator};
pub use segment::{Ack, MAX_SACK_BLOCKS, Segment};
pub use sender::{Phase, Sender, SenderCounters};
pub use udp::ConstantRate;
pub use window::Window;
