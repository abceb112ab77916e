//! An incast into one queue of a SONiC configuration, as an experiment of the laboratory: where
//! each number comes from, and what is assumed.

use forebay_parameters::grouped;
use forebay_sonic::Config;
use forebay_sonic::config::{Direction, Kind, Member, Profile, Threshold};
use forebay_sonic::share::{PoolShare, shares};
use forebay_units::{Bytes, Duration, Rate};

use super::arguments::CompareArguments;
use super::compared::{Compared, SCENARIO};
use super::uplinks::{BUSY_FACTOR, SPEED, Uplinks, alike};
use super::written::{Figures, Head, Line, Written, round};
use crate::Failure;

/// What bounds head drops, as the scenario calls it.
const MEMORY_RATE: &str = "switch.memory_rate";
/// The most cells of a buffer.
const MOST_CELLS: u64 = 1 << 24;
/// The most packets in a run.
const MOST_PACKETS: f64 = 1e9;

/// A queue, and the bursts that many senders send to it at once.
pub(super) struct Incast<'a> {
    config: &'a Config,
    member: Member,
    share: PoolShare,
    /// The speed of the queue's port.
    speed: Rate,
    /// The largest burst.
    bytes: Bytes,
    sender_rate: Rate,
    uplinks: Uplinks,
    compared: Compared,
    arguments: &'a CompareArguments,
}

impl<'a> Incast<'a> {
    /// The burst into a queue with a dynamic threshold: chooses what the arguments leave open.
    pub(super) fn new(
        config: &'a Config,
        member: Member,
        arguments: &'a CompareArguments,
        compared: Compared,
        bytes: Option<Bytes>,
        sender_rate: Option<Rate>,
    ) -> Result<Self, Failure> {
        let profile = config.profile_of(&member);
        let pool = config.pool_of(&member);
        let path = format!("BUFFER_PROFILE|{}", profile.name);
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
        let uplinks = Uplinks::of(config, &member, arguments.busy);
        let bytes = bytes.unwrap_or_else(|| round(shared.get() + shared.get() / 4));
        let sender_rate = uplinks.sender_rate(arguments.incast, sender_rate)?;
        let incast = Incast {
            config,
            member,
            share,
            speed,
            bytes,
            sender_rate,
            uplinks,
            compared,
            arguments,
        };
        incast.playable()?;
        Ok(incast)
    }

    /// Refuses a buffer of more cells than the scenario counts, and a run that would take hours.
    fn playable(&self) -> Result<(), Failure> {
        let (all, cell) = (self.buffer(), self.arguments.cell);
        if all.div_ceil(cell) > MOST_CELLS {
            let least = all.get().div_ceil(MOST_CELLS);
            return Err(Failure::input(format!(
                "error: --cell: BUFFER_POOL|{} shares {} B, more than {} cells of {cell}; give a \
                 cell of at least {least} B",
                self.config.pool_of(&self.member).name,
                grouped(all.get()),
                grouped(MOST_CELLS)
            )));
        }
        let (_, span) = self.times();
        few_packets(self.uplinks.background(), self.bytes, self.arguments.packet, span)
    }

    /// `Ethernet0-3`, for a folder.
    pub(super) fn place(&self) -> String {
        format!("{}-{}", self.config.ports[self.member.port].name, self.member.index)
    }

    /// The assumptions, one sentence each.
    pub(super) fn assumptions(&self) -> Vec<String> {
        let ports = alike(self.config, &self.member);
        let unknown = ports.filter(|port| port.speed.is_none()).count();
        let Uplinks { others, busy, .. } = self.uplinks;
        let burst = self.sender_rate.as_bps() * u64::from(self.arguments.incast);
        let mut all = vec![
            format!(
                "{} to no loss: {:.2} times what the port sends",
                begin(self.arguments.incast, self.sender_rate),
                burst as f64 / self.speed.as_bps() as f64
            ),
            format!(
                "{} congested in the same pool before the burst comes (--busy)",
                if busy == 1 {
                    "1 other port is".to_owned()
                } else {
                    format!("{busy} other ports are")
                }
            ),
            format!(
                "the other ports bring {others} at most: {} of the burst and {} for the congested \
                 ports",
                Rate::from_bps(burst),
                self.uplinks.background()
            ),
            format!(
                "packets have {} B (--packet), cells {} (--cell); ports add no preamble or gap",
                self.arguments.packet, self.arguments.cell
            ),
        ];
        if self.compared.reads(MEMORY_RATE) {
            all.push(format!(
                "head drops have the memory bandwidth that {} of ports leave (occamy §5.3)",
                self.capacity()
            ));
        }
        all.push(
            "the egress pool alone is played: no ingress limit, pause or ECN acts (--burst and \
             --ingress play them)"
                .to_owned(),
        );
        all.extend(self.compared.assumptions());
        match unknown {
            0 => {}
            1 => all.push(format!("1 port without a speed in PORT has {SPEED}")),
            _ => all.push(format!("{unknown} ports without a speed in PORT have {SPEED}")),
        }
        all
    }

    fn capacity(&self) -> Rate {
        let speeds = alike(self.config, &self.member).map(|p| p.speed.unwrap_or(SPEED).as_bps());
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

    /// The experiment file.
    pub(super) fn experiment(&self) -> Written {
        let (start, span) = self.times();
        let groups = [
            ("workload", self.workload(start)),
            ("switch", self.switch()),
            ("policy", self.policy()),
            ("run", vec![Line::text("span", span, "until after the largest burst")]),
        ];
        let head = Head {
            title: format!("An incast of {} into {}", self.arguments.incast, self.place()),
            assumptions: self.assumptions(),
            scenario: SCENARIO,
        };
        Written::new(&head, &self.compared, groups, self.bytes, FIGURES)
    }

    /// When the burst begins, and when the run ends.
    fn times(&self) -> (Duration, Duration) {
        // Congested ports get twice what they send, so that their queues grow at the port's rate.
        let fill = self.speed.time_for(self.share.shared.unwrap_or(Bytes::ZERO));
        let start = fill + fill / 4;
        let each = Bytes::new(self.bytes.get().div_ceil(u64::from(self.arguments.incast)));
        let lasts = self.sender_rate.time_for(each);
        (start, start + lasts + lasts / 4 + Duration::from_us(100))
    }

    fn workload(&self, start: Duration) -> Vec<Line> {
        let twice = Rate::from_bps(self.speed.as_bps().saturating_mul(BUSY_FACTOR));
        let settled = "the congested queues are at their thresholds";
        vec![
            Line::number("background_queues", self.arguments.busy, "--busy"),
            Line::text("background_rate", twice, "two senders to each congested port"),
            Line::number("burst_senders", self.arguments.incast, "--incast"),
            Line::text("burst_rate", self.sender_rate, "--sender-rate")
                .noted(", or what the other ports bring"),
            Line::text("burst_start", start, settled),
            Line::number("packet_bytes", self.arguments.packet, "--packet"),
        ]
    }

    fn switch(&self) -> Vec<Line> {
        let (burst, busy) = self.profiles();
        let all = self.buffer();
        let pool = &self.config.pool_of(&self.member).name;
        let size = |profile: &Profile| format!("BUFFER_PROFILE|{}.size", profile.name);
        vec![
            Line::text("port_rate", self.speed, "PORT.speed"),
            Line::text("buffer", all, format!("what {pool} shares and these queues reserve")),
            Line::text("cell", self.arguments.cell, "--cell").noted(" (200 B, occamy §5.1)"),
            Line::text("memory_rate", self.capacity(), "the capacity of all ports")
                .noted(" (occamy §5.3)"),
            Line::text("burst_reserved", burst.reserved, size(burst)),
            Line::text("background_reserved", busy.reserved, size(busy)),
        ]
    }

    /// What the pool shares, and what the queues that are played reserve.
    fn buffer(&self) -> Bytes {
        let (burst, busy) = self.profiles();
        let busy_reserved = busy.reserved.get() * u64::from(self.arguments.busy);
        let shared = self.share.shared.unwrap_or(Bytes::ZERO);
        shared + burst.reserved + Bytes::new(busy_reserved)
    }

    fn policy(&self) -> Vec<Line> {
        let (burst, busy) = self.profiles();
        let exponent = |profile: &Profile| format!("BUFFER_PROFILE|{}.dynamic_th", profile.name);
        let occamy = self.compared.occamy_alpha;
        let mut lines = vec![
            Line::number("alpha", alpha(busy), exponent(busy)),
            Line::number("burst_alpha", alpha(burst), exponent(burst)),
            Line::number("occamy_alpha", occamy, "--occamy-alpha").noted(" (8, occamy §4.4)"),
        ];
        lines.extend(self.compared.set_lines());
        lines
    }

    /// The profiles of the burst's queue and of the congested queues.
    fn profiles(&self) -> (&Profile, &Profile) {
        (self.config.profile_of(&self.member), self.config.profile_of(self.background()))
    }
}

/// Refuses a run that would take hours: of so much traffic to congested ports, and a burst.
pub(super) fn few_packets(
    background: Rate,
    burst: Bytes,
    packet: u32,
    span: Duration,
) -> Result<(), Failure> {
    let bits = background.as_bps() as f64 * span.as_secs_f64();
    let packets = (bits / 8.0 + burst.get() as f64) / f64::from(packet);
    if packets > MOST_PACKETS {
        return Err(Failure::input(format!(
            "error: --bytes, --sender-rate: {packets:.1e} packets would be sent in {:.3} s, more \
             than {MOST_PACKETS:.0e}; give fewer bytes, faster senders or larger packets",
            span.as_secs_f64()
        )));
    }
    Ok(())
}

/// "16 senders begin at once, each at 1 Gb/s, and react".
fn begin(senders: u32, rate: Rate) -> String {
    match senders {
        1 => format!("1 sender begins at once, at {rate}, and reacts"),
        _ => format!("{senders} senders begin at once, each at {rate}, and react"),
    }
}

/// What is drawn.
const FIGURES: Figures = Figures {
    metrics: &[
        ("loss", "What would have been dropped of the burst", "burst_loss_fraction"),
        (
            "utilization",
            "Buffer in use when a packet of the burst was lost",
            "utilization_on_burst_loss",
        ),
    ],
    series: &[
        ("burst-queue", "The burst's queue, largest burst", "burst_queue"),
        ("busy-queue", "A congested queue, largest burst", "background_queue"),
        ("free", "Free buffer, largest burst", "free"),
    ],
};

/// The factor of a dynamic threshold.
fn alpha(profile: &Profile) -> f64 {
    match profile.threshold {
        Threshold::Dynamic(alpha) => alpha.factor(),
        Threshold::Static(_) => 0.0,
    }
}

/// The queue that the arguments name.
pub(super) fn find<'a>(
    config: &'a Config,
    arguments: &CompareArguments,
) -> Result<&'a Member, Failure> {
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
        let there = |name: &String| config.ports.iter().any(|port| port.name == *name);
        if let Some(name) = arguments.port.as_ref().filter(|name| !there(name)) {
            return Failure::input(format!(
                "error: --port: there is no port `{name}`; `forebay buffer explain` lists the ports"
            ));
        }
        let port = arguments.port.as_deref().unwrap_or("any port");
        let queue = arguments.queue.map_or("queue".to_owned(), |index| format!("queue {index}"));
        Failure::input(format!(
            "error: BUFFER_QUEUE: there is no {queue} at {port}; `forebay buffer explain` lists \
             the queues"
        ))
    })
}
