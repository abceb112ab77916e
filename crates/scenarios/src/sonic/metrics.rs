//! What a burst through a SONiC configuration is measured by.

use forebay_buffer::onchip::SharedBuffer;
use forebay_lab::Better::{Higher, Lower, Neither};
use forebay_lab::{Lack, MetricSpec, SeriesSpec, Timeline, metric, series};
use forebay_sched::DropCause;
use forebay_units::{Duration, Time};

use super::build::Switch;
use super::params::SonicSetup;

/// Every metric, in the order of results.
pub const METRICS: &[MetricSpec] = &[
    metric("burst_loss_fraction", "fraction", "Burst loss", Lower)
        .is("Bytes of the lossy burst lost, on arrival or later, of those that arrived."),
    metric("lossless_loss_fraction", "fraction", "Loss of the lossless burst", Lower)
        .is("Bytes of the lossless burst lost, of those that arrived."),
    metric("background_loss_fraction", "fraction", "Loss of the congested ports", Neither)
        .is("Bytes of the congested ports' traffic lost, of those that arrived."),
    metric("first_pause", "us", "First pause", Higher)
        .is("When the switch first called for a pause, from the burst's begin on."),
    metric("pauses", "", "Pauses", Lower).is("Pauses that the switch called for."),
    metric("paused_inputs", "", "Ports paused", Lower)
        .is("Ports whose neighbours were paused at least once."),
    metric("pause_time", "us", "Longest pause time", Lower)
        .is("How long the neighbour was paused that was paused for longest, in all."),
    metric("headroom_most", "KB", "Headroom used", Lower)
        .is("The most headroom that a priority group held at once."),
    metric("headroom_unused", "KB", "Headroom never used", Neither)
        .is("What was left of that group's headroom even then."),
    metric("ingress_refused_fraction", "fraction", "Refused as they came in", Lower)
        .is("Packets that a priority group refused, of all that arrived."),
    metric("marked_fraction", "fraction", "Marked", Neither)
        .is("Packets of the burst that were marked (ECN), of those that arrived."),
    metric("completed", "us", "Burst complete", Lower)
        .is("When the last packet of the burst had left, from its begin on, if all did."),
    metric("background_utilization", "fraction", "Utilization of the congested ports", Higher)
        .is("Bytes that left through the congested ports, of what they could send."),
];

/// Every series over time.
pub const SERIES: &[SeriesSpec] = &[
    series("lossy_queue", "MB", "Lossy queue of the burst", "Bytes of cells that it held."),
    series("lossless_queue", "MB", "Lossless queue of the burst", "Bytes of cells that it held."),
    series("background_queue", "MB", "Queue of a congested port", "Bytes of cells that it held."),
    series(
        "ingress_pool",
        "MB",
        "Ingress pool",
        "What groups held of the first one's shared part.",
    ),
    series("headroom", "MB", "Headroom", "Bytes of cells of headroom in use, over all groups."),
    series("paused", "", "Ports paused", "Ports whose neighbours were paused."),
];

/// What happened in no run that has no value of a metric or a series.
pub(super) fn missing(quantity: &str) -> Option<Lack> {
    let (why, parameter) = match quantity {
        "background_queue" | "background_utilization" | "background_loss_fraction" => {
            ("no port is congested", "workload.background_queues")
        }
        "burst_loss_fraction" | "lossy_queue" => ("no burst is lossy", "workload.burst"),
        "lossless_loss_fraction" | "lossless_queue" | "headroom_most" | "headroom_unused" => {
            ("no burst is lossless", "workload.burst")
        }
        "first_pause" => ("nobody was paused", "workload.burst_bytes"),
        "completed" => ("a part of the burst was lost, or was still on its way", "run.span"),
        "ingress_pool" => ("no priority group is in the configuration", "switch.config"),
        _ => return None,
    };
    Some(Lack { why, parameter })
}

/// What is counted of a kind of traffic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Packets and bytes that arrived.
    pub arrived: (u64, u64),
    /// Bytes that were lost.
    pub lost: u64,
    /// Packets that were marked.
    pub marked: u64,
    /// Bytes that left.
    pub left: u64,
}

/// A packet that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// When.
    pub at: Time,
    /// Of which flow.
    pub flow: u32,
    /// Why.
    pub cause: DropCause,
}

/// A pause that the switch called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// When.
    pub at: Time,
    /// Through which port.
    pub input: u16,
    /// Of which priority.
    pub priority: u8,
}

/// The headroom of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// The port of the group.
    pub input: usize,
    /// The most that it held at once, in cells.
    pub most: u32,
}

/// What is noted during a run.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Of the lossy burst, the lossless one, and the congested ports.
    pub tallies: [Tally; 3],
    kinds: Vec<Kind>,
    start: Time,
    /// Bytes that the burst has in all.
    pub expected: u64,
    /// The first call for a pause.
    pub first_pause: Option<Call>,
    /// Calls for pauses.
    pub pauses: u64,
    /// The first loss of a burst.
    pub first_loss: Option<Loss>,
    /// When the last packet of the burst had left, if all of it has.
    pub completed: Option<Time>,
    /// Of each port, how long its neighbour was paused.
    pub paused: Vec<Duration>,
    since: Vec<Option<Time>>,
    ever: Vec<bool>,
    /// The group of the lossless class that held most headroom, if the class is played.
    pub headroom: Option<Used>,
    /// The most headroom that was in use at once in a pool, in cells.
    pub pool_most: u32,
    /// Packets that groups refused.
    pub refused: u64,
    unused_kb: f64,
    used_kb: f64,
    utilization: f64,
}

/// Which traffic a flow is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lossy,
    Lossless,
    Background,
}

impl Notes {
    pub(super) fn new(setup: &SonicSetup, switch: &Switch) -> Self {
        let kind = |flow: &super::traffic::FlowPlan| match (flow.sender, flow.lossless) {
            (None, _) => Kind::Background,
            (Some(_), false) => Kind::Lossy,
            (Some(_), true) => Kind::Lossless,
        };
        let ports = switch.rates.len();
        Notes {
            kinds: switch.flows.iter().map(kind).collect(),
            start: Time::ZERO + setup.burst_start,
            expected: setup.burst_packets() * u64::from(setup.packet_bytes),
            paused: vec![Duration::ZERO; ports],
            since: vec![None; ports],
            ever: vec![false; ports],
            ..Notes::default()
        }
    }

    fn tally(&mut self, flow: u32) -> &mut Tally {
        &mut self.tallies[self.kinds[flow as usize] as usize]
    }

    pub(super) fn arrived(&mut self, flow: u32, size: u32) {
        let tally = self.tally(flow);
        tally.arrived = (tally.arrived.0 + 1, tally.arrived.1 + u64::from(size));
    }

    pub(super) fn marked(&mut self, flow: u32) {
        self.tally(flow).marked += 1;
    }

    pub(super) fn lost(&mut self, at: Time, flow: u32, size: u32, cause: DropCause) {
        self.tally(flow).lost += u64::from(size);
        if self.kinds[flow as usize] != Kind::Background {
            self.first_loss.get_or_insert(Loss { at, flow, cause });
        }
    }

    pub(super) fn sent(&mut self, flow: u32, size: u32, end: Time) {
        self.tally(flow).left += u64::from(size);
        let [lossy, lossless, _] = &self.tallies;
        if self.kinds[flow as usize] != Kind::Background
            && lossy.left + lossless.left == self.expected
        {
            self.completed = Some(end);
        }
    }

    pub(super) fn asked(&mut self, at: Time, input: u16, priority: u8, on: bool) {
        if on {
            self.pauses += 1;
            self.first_pause.get_or_insert(Call { at, input, priority });
        }
    }

    /// A neighbour begins or ends to obey.
    pub(super) fn obeyed(&mut self, now: Time, input: u16, on: bool) {
        let input = usize::from(input);
        if on {
            self.ever[input] = true;
            self.since[input].get_or_insert(now);
        } else if let Some(since) = self.since[input].take() {
            self.paused[input] += now.since(since);
        }
    }

    /// Reads off the buffer what it has counted itself.
    pub(super) fn finish(&mut self, setup: &SonicSetup, switch: &Switch, buffer: &SharedBuffer) {
        let end = Time::ZERO + setup.span;
        for (paused, since) in self.paused.iter_mut().zip(&mut self.since) {
            *paused += since.take().map_or(Duration::ZERO, |since| end.since(since));
        }
        let groups = || switch.groups.iter().zip(buffer.groups());
        self.pool_most = buffer.headroom().1;
        self.refused = groups().map(|(_, state)| state.refused).sum();
        let of_burst = |(input, lossless): (usize, bool)| lossless && input != switch.played.output;
        let used = groups().filter(|(group, _)| of_burst(**group));
        let used =
            used.map(|((input, _), state)| Used { input: *input, most: state.headroom_most });
        // Of equals the first.
        self.headroom = used.reduce(|best, one| if one.most > best.most { one } else { best });
        let kb = |cells: u32| f64::from(cells) * f64::from(setup.cell) / 1e3;
        (self.used_kb, self.unused_kb) = (f64::NAN, f64::NAN);
        if let Some(used) = self.headroom {
            let all = switch.lossless_group(used.input).map_or(0, |group| group.headroom.get());
            self.used_kb = kb(used.most);
            self.unused_kb = (all as f64 / 1e3 - self.used_kb).max(0.0);
        }
        let mut outputs: Vec<usize> = switch
            .flows
            .iter()
            .filter(|flow| flow.sender.is_none())
            .map(|flow| flow.output)
            .collect();
        outputs.sort_unstable();
        outputs.dedup();
        let could: f64 = outputs.iter().map(|port| switch.rates[*port].as_bps() as f64).sum();
        let bits = self.tallies[Kind::Background as usize].left as f64 * 8.0;
        self.utilization = bits / (could * setup.span.as_secs_f64());
    }

    /// From the burst's begin on, in microseconds.
    fn after_start(&self, at: Option<Time>) -> f64 {
        at.map_or(f64::NAN, |at| (at.as_ps() as f64 - self.start.as_ps() as f64) / 1e6)
    }

    /// Every metric by name.
    pub(super) fn values(&self) -> Vec<(&'static str, f64)> {
        let [lossy, lossless, background] = &self.tallies;
        let loss = |tally: &Tally| tally.lost as f64 / tally.arrived.1 as f64;
        let packets: u64 = self.tallies.iter().map(|tally| tally.arrived.0).sum();
        let (marked, burst) =
            (lossy.marked + lossless.marked, lossy.arrived.0 + lossless.arrived.0);
        let longest = self.paused.iter().max().copied().unwrap_or(Duration::ZERO);
        vec![
            ("burst_loss_fraction", loss(lossy)),
            ("lossless_loss_fraction", loss(lossless)),
            ("background_loss_fraction", loss(background)),
            ("first_pause", self.after_start(self.first_pause.map(|call| call.at))),
            ("pauses", self.pauses as f64),
            ("paused_inputs", self.ever.iter().filter(|ever| **ever).count() as f64),
            ("pause_time", longest.as_ps() as f64 / 1e6),
            ("headroom_most", self.used_kb),
            ("headroom_unused", self.unused_kb),
            ("ingress_refused_fraction", self.refused as f64 / packets as f64),
            ("marked_fraction", marked as f64 / burst as f64),
            ("completed", self.after_start(self.completed)),
            ("background_utilization", self.utilization),
        ]
    }

    fn paused_now(&self) -> usize {
        self.since.iter().filter(|since| since.is_some()).count()
    }
}

/// Samples over time.
#[derive(Default)]
pub(super) struct Series([Vec<(f64, f64)>; 6]);

impl Series {
    pub(super) fn sample(
        &mut self,
        switch: &Switch,
        buffer: &SharedBuffer,
        notes: &Notes,
        now: Time,
    ) {
        let at = now.as_ps() as f64 / 1e6;
        let mb = |cells: u32| f64::from(cells) * f64::from(buffer.memory().cell) / 1e6;
        let length = |port: usize, class: u8| {
            let queue = buffer.queue(port as u16, class.into());
            queue.and_then(|queue| buffer.account(queue)).map(|account| mb(account.cells()))
        };
        let (played, output) = (&switch.played, switch.played.output);
        let lossy = played.lossy.as_ref().and_then(|_| length(output, switch.class(false)));
        let lossless = played.lossless.as_ref().and_then(|_| length(output, switch.class(true)));
        let busy = switch.flows.iter().find(|flow| flow.sender.is_none());
        let busy = busy.and_then(|flow| length(flow.output, switch.class(false)));
        let headroom = played.lossless.as_ref().map(|_| mb(buffer.headroom().0));
        let paused = played.lossless.as_ref().map(|_| notes.paused_now() as f64);
        let all = [lossy, lossless, busy, buffer.input_pool(0).map(mb), headroom, paused];
        for (points, value) in self.0.iter_mut().zip(all) {
            points.extend(value.map(|value| (at, value)));
        }
    }

    pub(super) fn timelines(self) -> Vec<Timeline> {
        let named = SERIES.iter().zip(self.0).filter(|(_, points)| !points.is_empty());
        named.map(|(spec, points)| Timeline { name: spec.name, unit: spec.unit, points }).collect()
    }
}
