//! A run with real packets: the hosts of the topology as namespaces, the switches as one fabric,
//! the flows as TCP connections.

use std::ops::Range;
use std::sync::mpsc;
use std::thread;

use forebay_dataplane::fabric::{Devices, LabConfig, LabPlan, Mode};
use forebay_dataplane::link::{EmulationConfig, Rules};
use forebay_dataplane::live::{
    Connections, Control, Exchanged, Lab, LabReport, LiveError, Span, TcpSettings, Transfer,
    Transferred, controls, is_allowed,
};
use forebay_lab::{RunContext, RunError, RunOutput};
use forebay_net::measure::{FlowRecord, LossCount};
use forebay_net::network::Nic;
use forebay_net::topology::Node;
use forebay_parameters::Entry;
use forebay_replay::class_rule;
use forebay_sched::DropCause;
use forebay_switch::{FlowId, SwitchConfig};
use forebay_units::{Bytes, Time};

use super::TestbedConfig;
use crate::network::carried::Carried;
use crate::network::drive::Fed;
use crate::network::outcome::NetworkOutcome;
use crate::network::params::Config;
use crate::network::setup::{HEADERS, NetworkSetup};

/// How a host's card lets flows take turns.
pub(super) const CARD: &str = "drr";
/// The queue of a host's card, which is a network's unlimited one.
const CARD_BUFFER: Bytes = Bytes::new(8_000_000);
/// Of all packets on their way.
const MEMORY: u64 = 256_000_000;

/// Why this machine cannot make such a run.
pub(super) fn unable(config: &Config) -> Option<String> {
    if !is_allowed() {
        let allowed = "which this kernel lets only root make: run it with sudo";
        return Some(format!(
            "real packets need network namespaces, {allowed}, or set packets=simulated"
        ));
    }
    let (control, background) = (&config.hosts.sending.control, config.hosts.background_control());
    [(control, "transport.control"), (background, "transport.background_control")]
        .into_iter()
        .find_map(|(control, parameter)| {
            let missing = kernel_control(control.name()).is_none();
            missing.then(|| {
                format!(
                    "{} = {}: this kernel has only {}; load it (docs/occamy.md), or set another, or \
                     packets=simulated",
                    parameter,
                    control.name(),
                    controls().join(", ")
                )
            })
        })
}

/// What the kernel calls a congestion control, if it has it: that of this name, or one that was
/// loaded as a BPF program.
fn kernel_control(name: &str) -> Option<String> {
    let name = if name == "new-reno" { "reno" } else { name };
    let known = controls();
    let loaded = format!("bpf_{}", name.replace('-', "_"));
    known.into_iter().find(|known| known == name || *known == loaded)
}

/// Runs a point.
///
/// # Errors
/// If told to stop, or the step that failed.
pub(super) fn run(
    TestbedConfig { network: config, .. }: &TestbedConfig,
    setup: &NetworkSetup,
    seed: u64,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    if let Some(why) = unable(config) {
        return Err(RunError::Failed(why));
    }
    // Its flows are numbered, and their ideals known; nothing runs in it.
    let fed = Fed::new(setup, seed, |_, switch| switch)?;
    let records: Vec<FlowRecord> = fed.network.records().collect();
    let sent = Sent::of(config, setup, &fed)?;
    let measured = Bed::new(config, setup, seed)?.measure(setup, &sent, context)?;
    let Measured { exchanged, report, before } = measured;
    if exchanged.is_stopped {
        return Err(RunError::Stopped);
    }
    let records = sent.records(records, &exchanged.transfers);
    let resent: u32 = exchanged.transfers.iter().map(|transfer| transfer.resent).sum();
    let uncounted = exchanged.transfers.iter().any(|transfer| transfer.timeouts.is_none());
    let passed = Passed::between(&before, &report, setup);
    let (uplinks_mean, uplinks_max) = (f64::NAN, f64::NAN);
    let carried = Carried { delivered: exchanged.delivered, uplinks_mean, uplinks_max };
    let queries = fed.queries.as_ref();
    let outcome = NetworkOutcome {
        packets: [passed.losses.iter().map(|loss| loss.packets).sum(), passed.sent],
        losses: passed.losses,
        ..NetworkOutcome::of(setup, &fed.background, queries, fed.first, records, carried)
    };
    let mut values = outcome.values(setup);
    for (name, value) in &mut values {
        let unknown = match *name {
            "timeouts" | "query_timeouts" => uncounted,
            _ => super::metrics::lack(true, name).is_some(),
        };
        if unknown {
            *value = f64::NAN;
        }
    }
    let late = report.lateness.since(&before.lateness);
    let us = |part: f64| late.quantile(part).as_ps() as f64 / 1e6;
    values.extend([
        ("late_p50", us(0.5)),
        ("late_p99", us(0.99)),
        ("not_passed", passed.missed as f64),
        ("resent", f64::from(resent)),
        ("real_time", f64::from(u8::from(report.is_real_time))),
    ]);
    Ok(RunOutput { values, timelines: Vec::new() })
}

/// What is sent: a transfer for each flow, but for requests, which are part of their responses'.
struct Sent {
    transfers: Vec<Transfer>,
    /// The flow's number in the network, and that of its request.
    flows: Vec<(FlowId, Option<FlowId>)>,
}

impl Sent {
    fn of(config: &Config, setup: &NetworkSetup, fed: &Fed) -> Result<Self, RunError> {
        let control = |name: &str| {
            let missing = || RunError::Failed(format!("this kernel has no {name}"));
            kernel_control(name).ok_or_else(missing)
        };
        let hosts = &config.hosts;
        let of_queries = control(hosts.sending.control.name())?;
        let of_background = control(hosts.background_control().name())?;
        let classes = setup.traffic.background_classes();
        let mut sent = Sent { transfers: Vec::new(), flows: Vec::new() };
        for (number, flow) in (0..).zip(fed.background.flows()) {
            let control = if classes.contains(&flow.class) { &of_background } else { &of_queries };
            sent.transfers.push(Transfer {
                from: flow.src as usize,
                to: flow.dst as usize,
                bytes: flow.bytes,
                at: flow.start,
                request: None,
                code_point: flow.class,
                control: control.clone(),
            });
            sent.flows.push((number, None));
        }
        let Some(queries) = &fed.queries else { return Ok(sent) };
        let control = match classes.contains(&setup.traffic.query_class()) {
            true => of_background,
            false => of_queries,
        };
        for query in queries.queries() {
            let place = |range: &Range<FlowId>, index: u32| {
                let number = range.start + index;
                (number < range.end).then_some(number)
            };
            for (index, number) in (0..).zip(query.responses.clone()) {
                let request = place(&query.requests, index);
                let of = |number: FlowId| queries.flows().get(number as usize);
                let Some(flow) = of(number) else { continue };
                sent.transfers.push(Transfer {
                    from: flow.src as usize,
                    to: flow.dst as usize,
                    bytes: flow.bytes,
                    at: query.start,
                    request: request.and_then(of).map(|request| request.bytes),
                    code_point: flow.class,
                    control: control.clone(),
                });
                let first = fed.first;
                sent.flows.push((first + number, request.map(|request| first + request)));
            }
        }
        Ok(sent)
    }

    /// The records of all flows, with what became of them.
    fn records(&self, mut records: Vec<FlowRecord>, done: &[Transferred]) -> Vec<FlowRecord> {
        for ((number, request), done) in self.flows.iter().zip(done) {
            if let Some(request) = request.and_then(|number| records.get_mut(number as usize)) {
                request.finish = done.begun;
            }
            let Some(record) = records.get_mut(*number as usize) else { continue };
            if request.is_some() {
                record.flow.start = done.begun.unwrap_or(Time::MAX);
            }
            record.finish = done.finish;
            record.delivered = done.delivered;
            record.sender.timeouts = done.timeouts.unwrap_or(0);
            record.sender.resent = done.resent;
        }
        records
    }
}

/// Hosts and switches, between which nothing passes yet.
struct Bed {
    devices: Devices,
    entrances: Vec<(u32, u16)>,
    lab: Lab,
    settings: TcpSettings,
}

/// What was measured.
struct Measured {
    exchanged: Exchanged,
    report: LabReport,
    /// When connections had been made.
    before: LabReport,
}

impl Bed {
    fn new(config: &Config, setup: &NetworkSetup, seed: u64) -> Result<Self, RunError> {
        let failed = |error: &dyn std::fmt::Display| RunError::Failed(error.to_string());
        let mtu = (config.hosts.sending.mss + HEADERS).get() as u32;
        let class = class_rule("dscp").map_err(|error| failed(&error))?;
        let card = SwitchConfig::named(match setup.nic {
            Nic::Fair => CARD,
            Nic::Fifo => "drop-tail",
        });
        let link = EmulationConfig { mtu, seed, ..EmulationConfig::default() };
        let plan = LabPlan::new(&LabConfig {
            mode: Mode::of(&setup.graph),
            graph: setup.graph.clone(),
            switch: setup.switch.clone(),
            others: Default::default(),
            ports: Vec::new(),
            rules: Rules { class: Some(class), rank: None },
            card: card.map_err(|error| failed(&error))?.with_buffer(CARD_BUFFER),
            link,
        });
        let LabPlan { devices, entrances, hosts } = plan.map_err(|error| failed(&error))?;
        let devices = Devices::build(devices, mtu, MEMORY).map_err(|(_, error)| failed(&error))?;
        let lab = Lab::open(hosts, Vec::new(), mtu).map_err(|error| failed(&error))?;
        let sending = &config.hosts.sending;
        let settings = TcpSettings {
            initial_window: sending.initial_window,
            min_rto: sending.min_rto,
            receive_window: sending.receive_window,
            sack: sending.sack,
            loss_by_time: sending.loss_by_time,
        };
        lab.tune(&settings).map_err(|error| failed(&error))?;
        Ok(Bed { devices, entrances, lab, settings })
    }

    fn measure(
        self,
        setup: &NetworkSetup,
        sent: &Sent,
        context: &mut RunContext<'_>,
    ) -> Result<Measured, RunError> {
        let Bed { mut devices, entrances, lab, settings } = self;
        let (control, requests) =
            Control::new(false).map_err(|error| RunError::Failed(error.to_string()))?;
        thread::scope(|scope| {
            let (ready, is_ready) = mpsc::channel();
            let told = move || {
                let _ = ready.send(());
            };
            let (lab, devices) = (&lab, &mut devices);
            let passing = scope.spawn(move || lab.run(devices, entrances, None, requests, told));
            // If it never gets ready, it says why below.
            let exchanged = match is_ready.recv() {
                Ok(()) => Some(exchange(lab, &control, setup, sent, &settings, context)),
                Err(_) => None,
            };
            control.stop();
            let passed = passing.join().unwrap_or_else(|_| {
                let reason = std::io::Error::other("its thread ended");
                Err(LiveError::Failed { step: "pass frames", reason })
            });
            let failed = |error: LiveError| RunError::Failed(error.to_string());
            let report = passed.map_err(failed)?;
            match exchanged {
                Some(exchanged) => {
                    let (before, exchanged) = exchanged.map_err(failed)?;
                    Ok(Measured { exchanged, before, report })
                }
                None => Err(RunError::Failed("the lab ended before its time".to_owned())),
            }
        })
    }
}

fn exchange(
    lab: &Lab,
    control: &Control,
    setup: &NetworkSetup,
    sent: &Sent,
    settings: &TcpSettings,
    context: &mut RunContext<'_>,
) -> Result<(LabReport, Exchanged), LiveError> {
    let connections = Connections::new(lab, sent.transfers.clone(), settings)?;
    let ended = || std::io::Error::other("the lab has ended");
    let before = control.report();
    let before = before.ok_or_else(|| LiveError::Failed { step: "begin", reason: ended() })?;
    let span = Span { measured: setup.rule.window.clone(), give_up: setup.rule.give_up };
    let whole = span.measured.end.as_ps() as f64;
    // On a thread of its own, which takes real-time priority and keeps it.
    let (share, shares) = mpsc::channel();
    let stop = context.stop_flag();
    let exchanged = thread::scope(|scope| {
        let exchanging = scope.spawn(move || {
            connections.exchange(&span, |now| {
                // What follows the span takes as long as its last flows.
                let _ = share.send((0.98 * now.as_ps() as f64 / whole).min(0.99));
                !stop.load(std::sync::atomic::Ordering::Relaxed)
            })
        });
        for share in shares {
            context.progress(share);
        }
        exchanging.join()
    });
    let exchanged = exchanged
        .unwrap_or_else(|_| Err(LiveError::Failed { step: "send and receive", reason: ended() }));
    Ok((before, exchanged?))
}

/// What passed between two reports.
struct Passed {
    /// Packets that hosts sent.
    sent: u64,
    losses: Vec<LossCount>,
    /// Packets that no switch lost.
    missed: u64,
}

impl Passed {
    fn between(before: &LabReport, after: &LabReport, setup: &NetworkSetup) -> Self {
        let switches = setup.graph.switches as usize;
        let mut passed = Passed { sent: 0, losses: Vec::new(), missed: 0 };
        let both = before.devices.iter().zip(&after.devices).enumerate();
        for (device, ((_, before), (_, after))) in both {
            if device >= switches {
                passed.sent += after.all.arrived.packets - before.all.arrived.packets;
            }
            let node = match device.checked_sub(switches) {
                None => Node::Switch(device as u32),
                Some(host) => Node::Host(host as u32),
            };
            for cause in DropCause::ALL {
                let lost = after.all.dropped.of(cause) - before.all.dropped.of(cause);
                if lost.packets > 0 {
                    let (packets, bytes) = (lost.packets, lost.bytes);
                    passed.losses.push(LossCount { node, port: 0, cause, packets, bytes });
                }
            }
            let missed = |counts: &forebay_dataplane::link::FrameCounts| -> u64 {
                let all = forebay_dataplane::link::LinkLoss::ALL;
                all.into_iter().map(|cause| counts.lost(cause).packets).sum()
            };
            passed.missed += missed(&after.all) - missed(&before.all);
        }
        passed
    }
}
