//! A transport that its receiver drives, for switches that trim: NDP.
//!
//! | type | what it does |
//! |---|---|
//! | [`PullSender`] | sends a first window at once, then a packet for each pull, what was trimmed first |
//! | [`PullReceiver`] | answers each packet and each header at once, and asks for one more with a pull |
//!
//! Source: Handley et al., "Re-architecting datacenter networks and stacks for low latency and high
//! performance", SIGCOMM 2017, by its authors' public overview and what others cite of it. The
//! pulls of all flows to a host wait in one queue of the host, which flows leave in turn, as far
//! apart as full packets are on its link; that queue is the network's (`network/pulls.rs`). Pulls
//! are numbered, and each brings what lost ones before it were for.
//!
//! Chosen where that leaves it open: a pull that finds nothing to send is kept for what is trimmed
//! later; once the receiver knows how long the flow is, it pulls no more than what is missing and
//! not under way; what was sent back, or is sent again after a timeout, waits for a pull if one is
//! to come, and otherwise goes one packet a round trip. There is no handshake: the receiver learns
//! of a flow by its first packet, or by what is left of it.

mod config;
mod receiver;
mod sender;

pub use config::PullConfig;
pub use receiver::PullReceiver;
pub use sender::{PullSender, PullTransport};
