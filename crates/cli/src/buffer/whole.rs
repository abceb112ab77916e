//! A burst through the whole switch of a SONiC configuration, as an experiment: ingress and egress
//! pools, flow control, headroom and early marks; where each number comes from, and what is
//! assumed.

use forebay_buffer::Reaction;
use forebay_parameters::grouped;
use forebay_scenarios::sonic::traffic::{Demand, sender_rate};
use forebay_sonic::Config;
use forebay_sonic::config::Threshold;
use forebay_sonic::play::{Burst, Played, PlayedClass, SPEED, Wanted};
use forebay_units::{Bytes, Duration, Rate};

use super::arguments::CompareArguments;
use super::compared::Compared;
use super::incast::few_packets;
use super::uplinks::{BUSY_FACTOR, SLOWEST};
use super::written::{Figures, Head, Line, Written, round};
use crate::Failure;

/// The scenario that plays a whole switch.
pub(super) const SCENARIO: &str = "sonic";
/// The name of the configuration beside the experiment.
pub(super) const COPY: &str = "config_db.json";
/// What bounds head drops, as the scenario calls it.
const MEMORY_RATE: &str = "switch.memory_rate";

/// A burst through the switch of a configuration.
pub(super) struct Whole<'a> {
    played: Played,
    burst: Burst,
    /// The largest burst, all its senders and classes together.
    bytes: Bytes,
    rate: Rate,
    compared: Compared,
    arguments: &'a CompareArguments,
}

impl<'a> Whole<'a> {
    /// Finds what is played, and chooses what the arguments leave open.
    pub(super) fn new(
        config: &Config,
        burst: Burst,
        arguments: &'a CompareArguments,
        compared: Compared,
        bytes: Option<Bytes>,
        rate: Option<Rate>,
    ) -> Result<Self, Failure> {
        let (lossy, lossless) = queues(burst, arguments);
        let wanted = Wanted { port: arguments.port.as_deref(), lossy, lossless, burst };
        let refused = |error: &dyn std::fmt::Display| Failure::input(format!("error: {error}"));
        let played = Played::new(config, &wanted).map_err(|error| refused(&error))?;
        let demand = Demand {
            burst,
            senders: arguments.incast,
            rate,
            busy: u16::try_from(arguments.busy).unwrap_or(u16::MAX),
            load: BUSY_FACTOR as f64,
        };
        let asked = rate;
        let rate = sender_rate(&played, &demand).map_err(|error| {
            let option = match error.parameter {
                "workload.burst_rate" => "--sender-rate",
                "workload.background_queues" => "--busy",
                _ => "--incast",
            };
            refused(&format_args!("{option}: {}", error.problem))
        })?;
        if asked.is_none() {
            fills(&played, &demand, rate)?;
        }
        let whole = Whole { played, burst, bytes: Bytes::ZERO, rate, compared, arguments };
        let bytes = bytes.unwrap_or_else(|| {
            let shared = whole.shared().get();
            round(shared + shared / 4)
        });
        let whole = Whole { bytes, ..whole };
        let (_, span) = whole.times();
        let busy = whole.played.congestible();
        let busy = busy.iter().take(arguments.busy as usize);
        let busy = busy.map(|port| whole.played.ports[*port].speed.as_bps()).sum::<u64>();
        few_packets(Rate::from_bps(busy * BUSY_FACTOR), bytes, arguments.packet, span)?;
        Ok(whole)
    }

    /// What the pools share that bound the burst: the egress pool of a lossy class, the ingress
    /// pool of a lossless one.
    fn shared(&self) -> Bytes {
        let of = |class: &PlayedClass| {
            let port = self.played.inputs(class).next().unwrap_or(self.played.output);
            let group = class.groups[port].as_ref().filter(|_| class.lossless);
            let ingress = group.map(|group| self.played.ingress[group.pool].shared);
            let queue = class.queues[self.played.output].as_ref();
            ingress.or_else(|| queue.map(|queue| self.played.egress[queue.pool].shared))
        };
        let played = self.played.classes().filter(|class| match class.lossless {
            true => self.burst.lossless(),
            false => self.burst.lossy(),
        });
        played.filter_map(of).max().unwrap_or(Bytes::new(1_000_000))
    }

    /// `Ethernet0-3`, for a folder.
    pub(super) fn place(&self) -> String {
        let class = match self.burst {
            Burst::Lossy | Burst::Both => self.played.lossy.as_ref(),
            Burst::Lossless => self.played.lossless.as_ref(),
        };
        let queues = match self.burst {
            Burst::Both => self.played.classes().map(|one| one.queue.to_string()).collect(),
            Burst::Lossy | Burst::Lossless => vec![class.map_or(0, |one| one.queue).to_string()],
        };
        format!("{}-{}-whole", self.played.ports[self.played.output].name, queues.join("-"))
    }

    /// The assumptions, one sentence each.
    pub(super) fn assumptions(&self) -> Vec<String> {
        let (arguments, played) = (self.arguments, &self.played);
        let out = &played.ports[played.output];
        let all = self.rate.as_bps() * u64::from(arguments.incast);
        let mut said = vec![format!(
            "{} at once, each at {}, and react to no loss or mark{}: {:.2} times what the port \
             sends",
            if arguments.incast == 1 {
                "1 sender begins".to_owned()
            } else {
                format!("{} senders begin", arguments.incast)
            },
            self.rate,
            if self.burst.lossless() { ", but obey pauses" } else { "" },
            all as f64 / out.speed.as_bps() as f64
        )];
        said.extend(played.classes().map(|class| sorted(class, &out.name)));
        said.push(format!(
            "{} congested in the lossy queue's pool before the burst comes (--busy)",
            if arguments.busy == 1 {
                "1 other port is".to_owned()
            } else {
                format!("{} other ports are", arguments.busy)
            },
        ));
        said.push(format!(
            "packets have {} B (--packet), cells {} (--cell); ports add no preamble or gap",
            arguments.packet, arguments.cell
        ));
        if self.compared.reads(MEMORY_RATE) {
            let all =
                played.ports.iter().fold(0u64, |sum, port| sum.saturating_add(port.speed.as_bps()));
            said.push(format!(
                "head drops have the memory bandwidth that {} of ports leave (occamy §5.3)",
                Rate::from_bps(all)
            ));
        }
        said.push(
            "a packet enters if its priority group and its queue have room, asked in this order; \
             the pools of the two sides bound nothing together (SAI leaves that open)"
                .to_owned(),
        );
        if self.burst.lossless() {
            said.extend(self.of_pauses());
        }
        said.push(
            "marks and early drops go by the queue's length now, as of green packets whose senders \
             know ECN; queues share their port by the weights of SCHEDULER, STRICT first"
                .to_owned(),
        );
        said.extend(self.compared.assumptions());
        said.extend(self.of_static());
        let unknown = played.ports.iter().filter(|port| !port.known_speed).count();
        if unknown > 0 {
            said.push(format!("ports without a speed in PORT have {SPEED}: {unknown}"));
        }
        said
    }

    /// What is assumed of pauses and headroom.
    fn of_pauses(&self) -> Vec<String> {
        let played = &self.played;
        let mut said = vec![format!(
            "a pause waits for a packet of {} B, travels its cable, and is obeyed {} later \
             (--response); it ends the same way",
            self.arguments.packet,
            self.arguments.obeys_after()
        )];
        let Some(class) = &played.lossless else { return said };
        let inputs: Vec<usize> = played.inputs(class).collect();
        let bare = |port: &&usize| played.ports[**port].cable_metres.is_none();
        match inputs.iter().filter(bare).count() {
            0 => {}
            bare => said.push(format!(
                "ports without a CABLE_LENGTH have {} m (--cable): {bare}",
                self.arguments.metres()
            )),
        }
        let others = played.ports.len() - 1;
        if inputs.len() < others {
            said.push(format!(
                "{} of {others} other ports have no group that pauses priority {}, and send none \
                 of the lossless burst",
                others - inputs.len(),
                class.group
            ));
        }
        let beside = inputs.iter().filter_map(|port| class.groups[*port].as_ref()).find(|group| {
            let own = played.ingress[group.pool].headroom.is_none();
            own && group.headroom > Bytes::ZERO && group.inside == Bytes::ZERO
        });
        if let Some(group) = beside {
            said.push(format!(
                "BUFFER_PROFILE|{}.xoff does not fit into size, and the pool has no xoff: this \
                 headroom lies beside the pool",
                group.profile
            ));
        }
        said.push(
            "lossless queues keep the file's thresholds under every policy, and nothing of them \
             is expelled"
                .to_owned(),
        );
        said
    }

    /// What is assumed of static thresholds of the lossy queue.
    fn of_static(&self) -> Option<String> {
        let queue = self.played.lossy.as_ref()?.queues[self.played.output].as_ref()?;
        let Threshold::Static(bytes) = queue.threshold else { return None };
        Some(format!(
            "BUFFER_PROFILE|{}.static_th: under DT the lossy queue has {} B of its pool at most; \
             other policies have it without an alpha of its own",
            queue.profile,
            grouped(bytes.get())
        ))
    }

    /// The experiment file.
    pub(super) fn experiment(&self) -> Written {
        let arguments = self.arguments;
        let class = |burst| match burst {
            Burst::Lossy => "lossy",
            Burst::Lossless => "lossless",
            Burst::Both => "both",
        };
        let (start, span) = self.times();
        let mut workload = vec![
            Line::text("burst", class(self.burst), "--burst"),
            Line::number("background_queues", arguments.busy, "--busy"),
            Line::number("burst_senders", arguments.incast, "--incast"),
            Line::text("burst_rate", self.rate, "--sender-rate")
                .noted(", or what the other ports bring"),
            Line::text("burst_start", start, "the congested queues are at their thresholds"),
            Line::number("packet_bytes", arguments.packet, "--packet"),
        ];
        if arguments.busy > 0 {
            let twice = "two senders to each congested port";
            workload.push(Line::number("background_load", BUSY_FACTOR as f64, twice));
        }
        let queue = |class: &Option<PlayedClass>| class.as_ref().map_or(-1, |one| one.queue.into());
        let mut switch = vec![
            Line::text("config", COPY, "FILE"),
            Line::text("port", &self.played.ports[self.played.output].name, "--port"),
            Line::number("lossy_queue", queue(&self.played.lossy), "--queue"),
            Line::text("cell", arguments.cell, "--cell").noted(" (200 B, occamy §5.1)"),
            Line::number("cable", arguments.metres(), "--cable"),
        ];
        if self.burst.lossless() {
            let source = "--lossless-queue";
            let queue: i64 = queue(&self.played.lossless);
            switch.push(Line::number("lossless_queue", queue, source));
        }
        let occamy = Line::number("occamy_alpha", self.compared.occamy_alpha, "--occamy-alpha");
        let mut policy = vec![occamy.noted(" (8, occamy §4.4)")];
        policy.extend(self.compared.set_lines());
        let groups = [
            ("workload", workload),
            ("switch", switch),
            ("pfc", vec![Line::text("response", arguments.obeys_after(), "--response")]),
            ("policy", policy),
            ("run", vec![Line::text("span", span, "until after the largest burst")]),
        ];
        let head = Head {
            title: format!("A burst of {} through {}", arguments.incast, self.place()),
            assumptions: self.assumptions(),
            scenario: SCENARIO,
        };
        let figures = match self.burst {
            Burst::Lossy => LOSSY,
            Burst::Lossless => LOSSLESS,
            Burst::Both => BOTH,
        };
        Written::new(&head, &self.compared, groups, self.bytes, figures)
    }

    /// When the burst begins, and when the run ends: the port has sent the whole burst, even where
    /// both classes share it with others. The longest cable delays both, and the end by a pause,
    /// too.
    fn times(&self) -> (Duration, Duration) {
        let speed = self.played.ports[self.played.output].speed;
        let queue =
            self.played.lossy.as_ref().and_then(|one| one.queues[self.played.output].as_ref());
        let shared = queue.map_or(Bytes::ZERO, |queue| self.played.egress[queue.pool].shared);
        let fill = speed.time_for(shared);
        let delay = self.played.ports.iter().map(|port| port.cable_metres);
        let delay = delay.map(|metres| Reaction::cable(metres.unwrap_or(self.arguments.metres())));
        let delay = delay.max().unwrap_or(Duration::ZERO);
        let start = fill + fill / 4 + Duration::from_us(10) + delay;
        let each = Bytes::new(self.bytes.get().div_ceil(u64::from(self.arguments.incast)));
        let lasts = self.rate.time_for(each).max(speed.time_for(self.bytes));
        let answer = delay * 2 + self.arguments.obeys_after();
        (start, start + lasts + lasts / 4 + Duration::from_us(200) + answer)
    }
}

/// Refuses senders that together do not fill the port, unless their rate is asked for.
fn fills(played: &Played, demand: &Demand, rate: Rate) -> Result<(), Failure> {
    let speed = played.ports[played.output].speed;
    let all = |rate: u64| rate.saturating_mul(u64::from(demand.senders));
    // Rates are rounded down.
    let fill = |rate: Rate| all(rate.as_bps() + SLOWEST.as_bps()) > speed.as_bps();
    if fill(rate) {
        return Ok(());
    }
    let alone = sender_rate(played, &Demand { busy: 0, ..*demand });
    let others = (0..played.ports.len()).filter(|port| *port != played.output);
    let others: u64 = others.map(|port| played.ports[port].speed.as_bps()).sum();
    let (option, fix) = match alone {
        Ok(rate) if fill(rate) => ("--busy", "lower --busy"),
        Ok(_) | Err(_) if others > speed.as_bps() => ("--incast", "let more senders burst"),
        Ok(_) | Err(_) => ("--port", "name a port that the others can fill"),
    };
    Err(Failure::input(format!(
        "error: {option}: at {rate} each, which is what the other ports bring besides the \
         congested ports' traffic, the burst does not fill a port of {speed}: {fix}, or give \
         --sender-rate"
    )))
}

/// The queues of the lossy and the lossless class that the arguments name.
fn queues(burst: Burst, arguments: &CompareArguments) -> (Option<u8>, Option<u8>) {
    match burst {
        Burst::Lossy | Burst::Both => (arguments.queue, arguments.lossless_queue),
        Burst::Lossless => (None, arguments.lossless_queue.or(arguments.queue)),
    }
}

/// "queue 3 of Ethernet0 is lossless: traffic class 3, DSCP 24 and 26, priority group 3".
fn sorted(class: &PlayedClass, port: &str) -> String {
    let dscps: Vec<String> = class.dscps.iter().map(u8::to_string).collect();
    let dscps =
        if dscps.is_empty() { String::new() } else { format!(", DSCP {}", dscps.join(" ")) };
    format!(
        "queue {} of {port} is {}: traffic class {}{dscps}, priority group {}",
        class.queue,
        if class.lossless { "lossless" } else { "lossy" },
        class.traffic_class,
        class.group
    )
}

type Drawn = (&'static str, &'static str, &'static str);

const LOSS: Drawn =
    ("loss", "What would have been dropped of the lossy burst", "burst_loss_fraction");
const LOST: Drawn =
    ("lossless-loss", "What would have been lost of the lossless burst", "lossless_loss_fraction");
const PAUSED: Drawn =
    ("paused", "How long the neighbour paused for longest was paused", "pause_time");
const USED: Drawn = ("headroom", "Headroom used by the group that used most", "headroom_most");
const MARKED: Drawn = ("marked", "Packets of the burst that were marked", "marked_fraction");

const LOSSY_QUEUE: Drawn = ("lossy-queue", "The burst's lossy queue, largest burst", "lossy_queue");
const LOSSLESS_QUEUE: Drawn =
    ("lossless-queue", "The burst's lossless queue, largest burst", "lossless_queue");
const BUSY: Drawn = ("busy-queue", "A congested queue, largest burst", "background_queue");
const ROOM: Drawn = ("headroom-used", "Headroom in use, largest burst", "headroom");
const PORTS: Drawn = ("ports-paused", "Ports paused, largest burst", "paused");

const LOSSY: Figures = Figures { metrics: &[LOSS, MARKED], series: &[LOSSY_QUEUE, BUSY] };
const LOSSLESS: Figures = Figures {
    metrics: &[LOST, PAUSED, USED, MARKED],
    series: &[LOSSLESS_QUEUE, BUSY, ROOM, PORTS],
};
const BOTH: Figures = Figures {
    metrics: &[LOSS, LOST, PAUSED, USED, MARKED],
    series: &[LOSSY_QUEUE, LOSSLESS_QUEUE, BUSY, ROOM, PORTS],
};
