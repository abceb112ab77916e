//! What `forebay buffer compare` is asked.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use forebay_sonic::play::{Burst, CABLE};
use forebay_units::{Bytes, Duration};

use crate::arguments::{bytes, seconds, whole};

/// Where a burst goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BurstClass {
    /// To a queue that may lose packets.
    Lossy,
    /// To a queue that may not: its senders are paused.
    Lossless,
    /// Half to each.
    Both,
}

impl From<BurstClass> for Burst {
    fn from(class: BurstClass) -> Self {
        match class {
            BurstClass::Lossy => Burst::Lossy,
            BurstClass::Lossless => Burst::Lossless,
            BurstClass::Both => Burst::Both,
        }
    }
}

/// The arguments of `forebay buffer compare`.
#[derive(Args)]
pub(crate) struct CompareArguments {
    /// The configuration, a config_db.json; - for the standard input.
    pub(crate) file: PathBuf,
    /// How many senders burst at once.
    #[arg(long, value_name = "N", value_parser = whole(1_u32..=4096))]
    pub(crate) incast: u32,
    /// Bytes of the largest burst, over all senders, as "4 MB" [default: a quarter more than the
    /// pool shares].
    #[arg(long, value_name = "SIZE")]
    pub(crate) bytes: Option<String>,
    /// The port that receives the burst [default: the first with a queue in a dynamic pool].
    #[arg(long, value_name = "NAME")]
    pub(crate) port: Option<String>,
    /// Its queue [default: the first in a dynamic pool].
    #[arg(long, value_name = "INDEX", value_parser = whole(0..=u8::MAX))]
    pub(crate) queue: Option<u8>,
    /// Where the burst goes: to a queue that may lose packets, to one that may not, or half to
    /// each, with all that the configuration says of flow control [default: what --queue is, or
    /// lossy].
    #[arg(long, value_name = "CLASS")]
    pub(crate) burst: Option<BurstClass>,
    /// The lossless queue of the burst [default: the first with flow control].
    #[arg(long, value_name = "INDEX", value_parser = whole(0..=u8::MAX))]
    pub(crate) lossless_queue: Option<u8>,
    /// Play ingress pools and marks for a lossy burst, too, instead of the egress pool alone.
    #[arg(long)]
    pub(crate) ingress: bool,
    /// How long a sender takes to obey a pause that has arrived, as "2 us" [default: 2.017 us].
    #[arg(long, value_name = "TIME", value_parser = response)]
    pub(crate) response: Option<Duration>,
    /// Metres of the cables that the configuration has no length of [default: 40].
    #[arg(long, value_name = "METRES", value_parser = whole(0..=300_000_u32))]
    pub(crate) cable: Option<u32>,
    /// How many other ports are already congested in the same pool; each takes twice its speed from
    /// what the other ports bring.
    #[arg(long, value_name = "PORTS", default_value_t = 1, value_parser = whole(0_u32..=512))]
    pub(crate) busy: u32,
    /// Rate of each sender, as "25 Gb/s" [default: the port's speed, or less if the other ports
    /// cannot bring that much besides the busy ports' traffic].
    #[arg(long, value_name = "RATE")]
    pub(crate) sender_rate: Option<String>,
    /// Bytes of a cell of the switch's buffer, which it counts in, as "208 B".
    #[arg(long, value_name = "SIZE", default_value_t = Bytes::new(200), value_parser = cell)]
    pub(crate) cell: Bytes,
    /// Bytes per packet, as "1500 B".
    #[arg(long, value_name = "SIZE", default_value = "1500 B", value_parser = bytes(64_u32..=9216))]
    pub(crate) packet: u32,
    /// Buffer policies to compare, with commas; `forebay show on-chip` lists them.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "dt,abm,occamy,pushout"
    )]
    pub(crate) policies: Vec<String>,
    /// Alpha of every queue under Occamy; 0 for the configuration's own [default: 8].
    #[arg(long, value_name = "ALPHA", value_parser = alpha_or_none)]
    pub(crate) occamy_alpha: Option<f64>,
    /// Change a parameter of the policies, as policy.pot_part=0.5; `forebay show on-chip` names
    /// them.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = crate::settings::key_value)]
    pub(crate) set: Vec<(String, String)>,
    /// The results folder [default: results/buffer/FILE-PORT-QUEUE].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

impl CompareArguments {
    /// How long a sender takes to obey; what IEEE 802.3 §31B.3.7 allows at 100 Gb/s unless given.
    pub(super) fn obeys_after(&self) -> Duration {
        self.response.unwrap_or(Duration::from_ns(2_017))
    }

    /// Metres of the cables that the configuration has no length of.
    pub(super) fn metres(&self) -> u32 {
        self.cable.unwrap_or(CABLE)
    }
}

/// The bytes of a cell, from one to those that hold the largest packet many times.
fn cell(text: &str) -> Result<Bytes, String> {
    bytes(1_u64..=1_000_000)(text).map(Bytes::new)
}

/// A response time, up to a second.
fn response(text: &str) -> Result<Duration, String> {
    let span = seconds(text)?;
    if span <= Duration::from_ms(1_000) {
        return Ok(span);
    }
    Err(format!("{text:?} is more than a second; give the microseconds that a sender takes"))
}

/// An alpha that a policy can have, or 0.
fn alpha_or_none(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(alpha) if alpha == 0.0 || (0.001..=1024.0).contains(&alpha) => Ok(alpha),
        _ => Err("give an alpha from 0.001 to 1024, or 0 for the configuration's own".to_owned()),
    }
}
