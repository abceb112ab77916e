//! An incast into one queue of a SONiC configuration, as an experiment of the laboratory: where each number comes
//! from, and what had to be assumed.

use std::fmt::Write;

use forebay_sonic::Config;
use forebay_sonic::config::{Direction, Kind, Member, Threshold};
use forebay_sonic::share::{Share, shares};
use forebay_units::{Bytes, Duration, Rate};

use super::CompareArguments;
use crate::Failure;

/// The bursts that are played, as parts of the largest.
const PARTS: u64 = 8;
/// The speed of a port where the file has none.
const SPEED: Rate = Rate::from_gbps(100);

/// The incast.
pub(super) struct Incast<'a> {
    config: &'a Config,
    member: Member,
    share: Share,
    /// The speed of its port.
    speed: Rate,
    /// The largest burst.
    bytes: Bytes,
    sender_rate: Rate,
    arguments: &'a CompareArguments,
}

impl<'a> Incast<'a> {
    /// Finds the queue and settles what the arguments leave open.
    pub(super) fn new(
        config: &'a Config,
        arguments: &'a CompareArguments,
        bytes: Option<Bytes>,
        sender_rate: Option<Rate>,
    ) -> Result<Self, Failure> {
        let member = *find(config, arguments)?;
        let profile = config.profile_of(&member);
        let pool = config.pool_of(&member);
        let path = format!("BUFFER_PROFILE|{}", profile.name);
        if let Threshold::Static(_) = profile.threshold {
            return Err(Failure::input(format!(
                "error: {path}.static_th: the queue has a static threshold, which has no alpha to compare; choose \
                 another with --port and --queue"
            )));
        }
        if pool.direction == Direction::Ingress {
            return Err(Failure::input(format!(
                "error: {path}.pool: `{}` is an ingress pool; compare plays queues of egress pools",
                pool.name
            )));
        }
        let share = shares(config)[profile.pool];
        let Some(shared) = share.shared.filter(|shared| shared.get() > 0) else {
            return Err(Failure::input(format!(
                "error: BUFFER_POOL|{}.size: the pool has no known shared part; give its size",
                pool.name
            )));
        };
        let speed = config.ports[member.port].speed.unwrap_or(SPEED);
        let bytes = bytes.unwrap_or_else(|| round(shared.get() + shared.get() / 4));
        let sender_rate = sender_rate.unwrap_or(speed);
        Ok(Incast { config, member, share, speed, bytes, sender_rate, arguments })
    }

    /// `Ethernet0-3`, for a folder.
    pub(super) fn place(&self) -> String {
        format!("{}-{}", self.config.ports[self.member.port].name, self.member.index)
    }

    /// What had to be assumed, a sentence each.
    pub(super) fn assumptions(&self) -> Vec<String> {
        let ports = self.config.ports.iter();
        let unknown = ports.filter(|port| port.speed.is_none()).count();
        let mut all = vec![
            format!(
                "{} senders begin at once, each at {}, and do not react to loss",
                self.arguments.incast, self.sender_rate
            ),
            format!(
                "{} other ports are congested in the same pool before the burst comes (--busy)",
                self.arguments.busy
            ),
            format!(
                "packets have {} B (--packet), cells 200 B; ports add no preamble or gap",
                self.arguments.packet
            ),
            format!(
                "head drops have the memory bandwidth that {} of ports leave (occamy §5.3)",
                self.capacity()
            ),
            "the egress pool alone is played: no ingress limit, pause or ECN acts".to_owned(),
            "DT and ABM take the alphas of the file".to_owned(),
        ];
        if self.arguments.occamy_alpha > 0.0 {
            all.push(format!("Occamy takes alpha = {} (occamy §4.4)", self.arguments.occamy_alpha));
        }
        if unknown > 0 {
            all.push(format!("{unknown} ports without a speed in PORT have {SPEED}"));
        }
        all
    }

    fn capacity(&self) -> Rate {
        let speeds = self.config.ports.iter().map(|port| port.speed.unwrap_or(SPEED).as_bps());
        Rate::from_bps(speeds.fold(0, u64::saturating_add))
    }

    /// The profile of the congested queues: that of the same queue at another port.
    fn background(&self) -> &Member {
        let alike = |other: &&Member| {
            other.kind == Kind::Queue
                && other.port != self.member.port
                && other.index == self.member.index
                && self.config.profile_of(other).pool == self.config.profile_of(&self.member).pool
                && matches!(self.config.profile_of(other).threshold, Threshold::Dynamic(_))
        };
        self.config.members.iter().find(alike).unwrap_or(&self.member)
    }

    fn alpha(&self, member: &Member) -> f64 {
        match self.config.profile_of(member).threshold {
            Threshold::Dynamic(alpha) => alpha.factor(),
            Threshold::Static(_) => 0.0,
        }
    }

    /// The experiment file.
    pub(super) fn experiment(&self) -> String {
        let (burst, busy) =
            (self.config.profile_of(&self.member), self.config.profile_of(self.background()));
        let pool = &self.config.pool_of(&self.member).name;
        let reserved =
            burst.reserved + Bytes::new(busy.reserved.get() * u64::from(self.arguments.busy));
        let shared = self.share.shared.unwrap_or(Bytes::ZERO);
        // Congested ports get twice what they send, so that their queues grow at the port's rate.
        let fill = self.speed.time_for(shared);
        let start = fill + fill / 4;
        let each = Bytes::new(self.bytes.get().div_ceil(u64::from(self.arguments.incast)));
        let lasts = self.sender_rate.time_for(each);
        let span = start + lasts + lasts / 4 + Duration::from_us(100);
        let mut text = String::new();
        let mut line = |line: String| {
            text += &line;
            text.push('\n');
        };
        line(format!(
            "title = {}",
            quoted(&format!("An incast of {} into {}", self.arguments.incast, self.place()))
        ));
        line(format!(
            "description = {}",
            quoted(&format!("Assumed: {}.", self.assumptions().join("; ")))
        ));
        line("scenario = \"on-chip\"\npolicies = [\"dt\", \"abm\", \"occamy\", \"pushout\"]\nseeds = [1, 2, 3]\n".into());
        let value = |name: &str, value: String, why: &str| {
            format!("{name} = {{ value = {value}, assumed = {} }}", quoted(why))
        };
        line("[workload]".into());
        line(value("background_queues", self.arguments.busy.to_string(), "--busy"));
        line(value(
            "background_rate",
            quoted(&Rate::from_bps(self.speed.as_bps().saturating_mul(2)).to_string()),
            "two senders to each congested port",
        ));
        line(value("burst_senders", self.arguments.incast.to_string(), "--incast"));
        line(value(
            "burst_rate",
            quoted(&self.sender_rate.to_string()),
            "--sender-rate, or the port's speed",
        ));
        line(value(
            "burst_start",
            quoted(&start.to_string()),
            "the congested queues are at their thresholds",
        ));
        line(value("packet_bytes", self.arguments.packet.to_string(), "--packet"));
        line("[switch]".into());
        line(value("port_rate", quoted(&self.speed.to_string()), "PORT.speed"));
        line(value(
            "switch.buffer",
            quoted(&(shared + reserved).to_string()),
            &format!("the shared part of {pool} and what these queues reserve"),
        ));
        line(value(
            "memory_rate",
            quoted(&self.capacity().to_string()),
            "the capacity of all ports (occamy §5.3)",
        ));
        line(value(
            "burst_reserved",
            quoted(&burst.reserved.to_string()),
            &format!("BUFFER_PROFILE|{}.size", burst.name),
        ));
        line(value(
            "background_reserved",
            quoted(&busy.reserved.to_string()),
            &format!("BUFFER_PROFILE|{}.size", busy.name),
        ));
        line("[policy]".into());
        line(value(
            "alpha",
            self.alpha(self.background()).to_string(),
            &format!("BUFFER_PROFILE|{}.dynamic_th", busy.name),
        ));
        line(value(
            "burst_alpha",
            self.alpha(&self.member).to_string(),
            &format!("BUFFER_PROFILE|{}.dynamic_th", burst.name),
        ));
        line(value(
            "occamy_alpha",
            self.arguments.occamy_alpha.to_string(),
            "--occamy-alpha (8, occamy §4.4)",
        ));
        line("[run]".into());
        line(value("span", quoted(&span.to_string()), "until after the largest burst"));
        let parts = (1..=PARTS).map(|part| Bytes::new(self.bytes.get() / PARTS * part));
        let parts: Vec<String> = parts.map(|part| quoted(&part.to_string())).collect();
        line(format!("[sweep]\nburst_bytes = [{}]", parts.join(", ")));
        text + &figures(parts.last().map_or("", String::as_str))
    }
}

/// The size rounded up so that its parts are round, too.
fn round(size: u64) -> Bytes {
    let unit = PARTS * if size > 1_000_000 { 100_000 } else { 1_000 };
    Bytes::new(size.div_ceil(unit) * unit)
}

/// Loss against the burst's size, and queues over time at the largest.
fn figures(largest: &str) -> String {
    let mut text = String::new();
    let lines = [
        ("loss", "What would have been dropped of the burst", "burst_loss_fraction"),
        (
            "utilization",
            "Buffer in use when a packet of the burst was lost",
            "utilization_on_burst_loss",
        ),
    ];
    for (id, title, metric) in lines {
        let _ = write!(
            text,
            "\n[[figure]]\nid = \"{id}\"\ntitle = \"{title}\"\nmetric = \"{metric}\"\nx = \"burst_bytes\"\nkind = \"line\"\n"
        );
    }
    let series = [
        ("burst-queue", "The burst's queue, largest burst", "burst_queue"),
        ("busy-queue", "A congested queue, largest burst", "background_queue"),
        ("free", "Free buffer, largest burst", "free"),
    ];
    for (id, title, name) in series {
        let _ = write!(
            text,
            "\n[[figure]]\nid = \"{id}\"\ntitle = \"{title}\"\nseries = \"{name}\"\nkind = \"timeline\"\nat = {{ burst_bytes = {largest} }}\n"
        );
    }
    text
}

/// A TOML text: JSON's escapes are TOML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The queue that the arguments mean.
fn find<'a>(config: &'a Config, arguments: &CompareArguments) -> Result<&'a Member, Failure> {
    let named = |member: &&Member| {
        let port = &config.ports[member.port].name;
        member.kind == Kind::Queue
            && arguments.port.as_ref().is_none_or(|name| name == port)
            && arguments.queue.is_none_or(|index| index == member.index)
    };
    let dynamic =
        |member: &&Member| matches!(config.profile_of(member).threshold, Threshold::Dynamic(_));
    let order = |member: &&Member| (member.port, member.index);
    let all = || config.members.iter().filter(named);
    let best = all().filter(dynamic).min_by_key(order).or_else(|| all().min_by_key(order));
    best.ok_or_else(|| {
        let port = arguments.port.as_deref().unwrap_or("any port");
        let queue = arguments.queue.map_or("queue".to_owned(), |index| format!("queue {index}"));
        Failure::input(format!(
            "error: BUFFER_QUEUE: there is no {queue} at {port}; `forebay buffer explain` lists those there are"
        ))
    })
}
