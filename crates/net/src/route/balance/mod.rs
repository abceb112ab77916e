//! Which of several equally short links a packet takes.
//!
//! | [`Balance`] | what is drawn for | source |
//! |---|---|---|
//! | `ecmp` | a flow, by a hash | [`Routes`](super::Routes) |
//! | `flowlet` | what a flow sends without a gap, at random | LetFlow, NSDI 2017 |
//! | `spray` | a packet, at random | Dixit et al., INFOCOM 2013 |
//! | `permuted` | a packet, in turn, in an order drawn anew after each turn | NDP, SIGCOMM 2017 |
//! | `adaptive` | a packet, by the shortest of the queues looked at | DRILL, SIGCOMM 2017 |
//!
//! Each switch chooses by itself, from its own queues and a counter of its own choices, so that
//! results are the same in any number of partitions. Acknowledgements are balanced as data is.
//! Chosen here: draws come from a 64-bit mixer of the seed, the switch and its counter; what is
//! remembered is forgotten when routes change. Paths are equal in hops, whatever their rates.

#[cfg(feature = "fabrics")]
mod adaptive;
#[cfg(feature = "fabrics")]
mod flowlet;
#[cfg(feature = "fabrics")]
mod spray;

use alloc::boxed::Box;
use core::fmt;

use forebay_parameters::{Configure, Source, Word};
use forebay_units::{Duration, Time};

use super::ChannelId;
#[cfg(feature = "fabrics")]
use super::mix;

/// How a switch chooses among equally short links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub enum Balance {
    /// By a hash of the flow.
    #[default]
    Ecmp,
    /// At random, anew after each gap of a flow.
    Flowlet,
    /// At random for each packet.
    Spray,
    /// In turn, packet by packet, in an order drawn anew after each turn.
    Permuted,
    /// By the shortest queue among some links drawn at random and some remembered.
    Adaptive,
}

const LETFLOW: Source =
    Source::assumed("LetFlow (NSDI 2017) has a table and a gap; not compared with its text");
const DRILL: Source = Source::assumed(
    "DRILL (SIGCOMM 2017) as others cite it, d = 2 and m = 1; not compared with \
                     its text",
);

/// How switches balance load over equally short paths.
///
/// ```
/// use forebay_net::route::{Balance, BalanceConfig};
/// use forebay_parameters::set;
///
/// let mut config = BalanceConfig::default();
/// set(&mut config, &[("balance", "flowlet"), ("flowlet_gap", "20 us")])?;
/// assert_eq!(config.balance, Balance::Flowlet);
/// # Ok::<(), forebay_parameters::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct BalanceConfig {
    /// How switches choose among equal paths: by flow (ecmp), by flowlet, by packet at random
    /// (spray) or in turn (permuted), or by packet and queue (adaptive).
    #[parameter(assumed = "what switches do unless told otherwise", default = Balance::Ecmp)]
    pub balance: Balance,
    /// The gap in a flow after which its packets may take another path.
    #[parameter(source = LETFLOW, default = Duration::from_us(100))]
    #[parameter(when = self.balance == Balance::Flowlet)]
    pub flowlet_gap: Duration,
    /// Entries of a switch's table of flowlets; flows that share one are one to it.
    #[parameter(source = LETFLOW, range = 1..=16_777_216, default = 65_536)]
    #[parameter(when = self.balance == Balance::Flowlet)]
    pub flowlet_entries: u32,
    /// How many links are drawn at random for a packet, of which it takes that with the shortest
    /// queue.
    #[parameter(source = DRILL, range = 1..=4096, default = 2)]
    #[parameter(when = self.balance == Balance::Adaptive)]
    pub adaptive_samples: u32,
    /// How many links with the shortest queues are remembered and looked at again.
    #[parameter(source = DRILL, range = 0..=8, default = 1)]
    #[parameter(when = self.balance == Balance::Adaptive)]
    pub adaptive_memory: u32,
}

impl BalanceConfig {
    /// What chooses, where a hash of the flow does not.
    #[cfg(feature = "fabrics")]
    pub(crate) fn balancer(&self, switches: u32, seed: u64) -> Option<Box<dyn Balancer>> {
        let draws = || Draws::new(switches, seed);
        match self.balance {
            Balance::Ecmp => None,
            Balance::Flowlet => Some(Box::new(flowlet::Flowlets::new(self, draws()))),
            Balance::Spray => Some(Box::new(spray::Spray::new(draws()))),
            Balance::Permuted => Some(Box::new(spray::Permuted::new(draws()))),
            Balance::Adaptive => Some(Box::new(adaptive::Adaptive::new(self, draws()))),
        }
    }

    #[cfg(not(feature = "fabrics"))]
    pub(crate) fn balancer(&self, _: u32, _: u64) -> Option<Box<dyn Balancer>> {
        None
    }
}

/// What a choice may depend on.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "fabrics"), allow(dead_code))] // nobody is asked
pub(crate) struct Asked<'a> {
    pub(crate) now: Time,
    pub(crate) switch: u32,
    /// Of the packet's flow, in its direction.
    pub(crate) hash: u32,
    /// Whether the packet goes back to its flow's source.
    pub(crate) back: bool,
    /// The set of equally short links, and its members, of which there are two or more.
    pub(crate) set: u32,
    pub(crate) channels: &'a [ChannelId],
}

/// Chooses among equally short links, for the switches of a partition.
pub(crate) trait Balancer: fmt::Debug + Send {
    /// The link that a packet takes; `load` says how much waits for one of them.
    fn pick(&mut self, asked: &Asked<'_>, load: &dyn Fn(ChannelId) -> u64) -> ChannelId;

    /// Routes have changed: sets have other numbers.
    fn forget(&mut self);

    /// Whether it asks for loads.
    fn reads_loads(&self) -> bool {
        false
    }
}

/// A counter of draws for each switch.
#[cfg(feature = "fabrics")]
#[derive(Clone, Debug)]
struct Draws {
    drawn: Box<[u64]>,
    seed: u64,
}

#[cfg(feature = "fabrics")]
impl Draws {
    fn new(switches: u32, seed: u64) -> Self {
        Draws { drawn: alloc::vec![0; switches as usize].into(), seed }
    }

    /// The next draw of a switch.
    #[inline]
    fn next(&mut self, switch: u32) -> u64 {
        let drawn = &mut self.drawn[switch as usize];
        *drawn = drawn.wrapping_add(1);
        mix(mix(self.seed ^ u64::from(switch) << 32) ^ *drawn)
    }
}

/// One of several links, by a draw.
#[cfg(feature = "fabrics")]
#[inline]
fn drawn(channels: &[ChannelId], draw: u64) -> ChannelId {
    channels[super::place(draw, channels.len())]
}

#[cfg(feature = "fabrics")]
#[cfg(test)]
mod tests;
