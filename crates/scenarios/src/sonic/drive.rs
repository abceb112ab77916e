//! A run: senders, pauses and packets on their way, and what is noted of them.
//!
//! A binary heap holds what happens outside the switch. O(log(senders + packets on the way)) per
//! event, beside what a link takes for its flows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_buffer::onchip::SharedBuffer;
use forebay_lab::{RunContext, RunError, RunOutput};
use forebay_sched::DropCause;
use forebay_switch::{
    FlowControl, Handle, InstantOrder, Links, Lost, Observed, OnChip, Pause, SwitchObserver,
    Traffic,
};
use forebay_units::{Bytes, Duration, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::build::Switch;
use super::inputs::{Flow, Input, Next};
use super::marks::{Early, early};
use super::metrics::{Notes, Series};
use super::params::SonicSetup;
use crate::links::until;

/// Runs with the phases of `seed`, and tells `observer` what becomes of packets.
///
/// # Errors
/// [`RunError::Stopped`] soon after `context` is stopped; [`RunError::Failed`] if the switch cannot
/// be built.
pub fn run(
    setup: &SonicSetup,
    switch: &Switch,
    seed: u64,
    observer: impl SwitchObserver,
    context: &mut RunContext<'_>,
) -> Result<(RunOutput, Notes), RunError> {
    let buffer = switch.buffer(setup).map_err(|error| RunError::Failed(error.to_string()))?;
    let mut watched = Observed::new(switch.around(buffer), observer);
    let senders = Senders::new(setup, switch, seed);
    let mut links = Links::new(&mut watched, &switch.rates, senders);
    let samples = setup.samples;
    let mut series = Series::default();
    for step in 1..=samples {
        let at = Time::ZERO + setup.span / samples * step;
        until(&mut links, at, context)?;
        series.sample(switch, buffer_of(links.switch()), &links.traffic.notes, at);
        context.progress(step as f64 / samples as f64);
    }
    until(&mut links, Time::ZERO + setup.span, context)?;
    let mut notes = std::mem::take(&mut links.traffic.notes);
    notes.finish(setup, switch, buffer_of(links.switch()));
    let values = notes.values();
    Ok((RunOutput { values, timelines: series.timelines() }, notes))
}

/// The one buffer of the switch.
fn buffer_of<O: SwitchObserver>(switch: &Observed<OnChip, O>) -> &SharedBuffer {
    &switch.switch().pools()[0]
}

/// What happens outside the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A link begins or ends to pause a priority.
    Obeys { input: u16, priority: u8, on: bool },
    /// A packet has arrived whole.
    Arrives { flow: u32, size: u32 },
    /// A link may have something to send.
    Looks { input: u16 },
}

struct Senders<'a> {
    setup: &'a SonicSetup,
    switch: &'a Switch,
    flows: Vec<Flow>,
    inputs: Vec<Input>,
    /// When each link looks next for something to send; never, if a pause must end before.
    looks: Vec<Time>,
    /// By time, then in the order in which they were foreseen.
    due: BinaryHeap<Reverse<(Time, u64, Event)>>,
    foreseen: u64,
    /// Decides about early marks.
    random: ChaCha8Rng,
    notes: Notes,
    /// The number of the packet that arrives, and whether it was refused.
    number: u32,
    refused: bool,
    marked: bool,
}

impl<'a> Senders<'a> {
    fn new(setup: &'a SonicSetup, switch: &'a Switch, seed: u64) -> Self {
        let mut phases = stream(seed, "sonic phases", 0);
        let start = Time::ZERO + setup.burst_start;
        let senders = u64::from(setup.burst_senders);
        let per_sender = switch.flows.iter().filter(|flow| flow.sender == Some(0)).count() as u64;
        let left = |sender: u32, nth: u64| {
            let parts = senders * per_sender.max(1);
            let number = u64::from(sender) * per_sender + nth;
            // Whole packets, since a small one may take a cell of its own and would need headroom
            // that no arithmetic of the link foresees. The first senders take what does not divide.
            let packets = setup.burst_packets();
            let own = packets / parts + u64::from(number < packets % parts);
            own * u64::from(setup.packet_bytes)
        };
        let mut flows = Vec::with_capacity(switch.flows.len());
        let mut by_input = vec![Vec::new(); switch.rates.len()];
        let mut last = None;
        for (number, plan) in (0u32..).zip(&switch.flows) {
            let class = switch.class(plan.lossless);
            let group = switch.played_class(class).and_then(|one| one.groups[plan.input].as_ref());
            let whole = plan.rate.time_for(Bytes::new(setup.packet_bytes.into()));
            let phase = Duration::from_ps((whole.as_ps() as f64 * uniform(&mut phases)) as u64);
            let nth = u64::from(plan.sender.is_some() && plan.sender == last);
            last = plan.sender;
            flows.push(Flow {
                output: plan.output as u16,
                class,
                priority: group.filter(|_| plan.lossless).and_then(|group| group.pauses),
                rate: plan.rate,
                left: plan.sender.map(|sender| left(sender, nth)),
                due: if plan.sender.is_some() { start + phase } else { Time::ZERO + phase },
            });
            by_input[plan.input].push(number);
        }
        let inputs = (by_input.into_iter().enumerate()).map(|(port, flows)| {
            Input::new(switch.rates[port], switch.one_way(setup, port), flows)
        });
        let mut all = Senders {
            setup,
            switch,
            inputs: inputs.collect(),
            flows,
            due: BinaryHeap::new(),
            foreseen: 0,
            looks: vec![Time::MAX; switch.rates.len()],
            random: stream(seed, "sonic marks", 0),
            notes: Notes::new(setup, switch),
            number: 0,
            refused: false,
            marked: false,
        };
        for input in 0..all.inputs.len() as u16 {
            all.look(Time::ZERO, input);
        }
        all
    }

    fn foresee(&mut self, at: Time, event: Event) {
        self.due.push(Reverse((at, self.foreseen, event)));
        self.foreseen += 1;
    }

    /// Lets a link begin its next packet, or look again when one is due.
    fn look(&mut self, now: Time, input: u16) {
        let link = &mut self.inputs[usize::from(input)];
        match link.next(now, &mut self.flows, self.setup.packet_bytes) {
            Next::Sends { flow, size, until } => {
                let arrival = until + link.one_way;
                self.foresee(arrival, Event::Arrives { flow, size });
                self.look_at(until, input);
            }
            Next::Waits(at) => self.look_at(at, input),
            Next::Idle => {}
        }
    }

    /// The link looks again then, unless it does so earlier.
    fn look_at(&mut self, at: Time, input: u16) {
        if at < self.looks[usize::from(input)] {
            self.looks[usize::from(input)] = at;
            self.foresee(at, Event::Looks { input });
        }
    }

    /// What an early mark or drop says of a packet that arrives.
    fn early(&mut self, flow: u32, buffer: &SharedBuffer) -> Early {
        let flow = &self.flows[flow as usize];
        let class = self.switch.played_class(flow.class);
        let queue = class.and_then(|class| class.queues[usize::from(flow.output)].as_ref());
        let ramp = queue.and_then(|queue| queue.wred.as_ref()).and_then(|wred| wred.ramps[0]);
        let Some(ramp) = ramp else { return Early::Nothing };
        let number = buffer.queue(flow.output, flow.class.into());
        let waiting = number.and_then(|queue| buffer.account(queue)).map_or(0, |one| one.bytes());
        early(&ramp, waiting, &mut self.random)
    }
}

impl<O: SwitchObserver> Traffic<Observed<OnChip, O>> for Senders<'_> {
    const ORDER: InstantOrder = InstantOrder::PortsFirst;
    const OBEYS: bool = true;

    fn next_at(&self) -> Option<Time> {
        self.due.peek().map(|Reverse((at, _, _))| *at)
    }

    fn arrive(&mut self, now: Time, switch: &mut Observed<OnChip, O>) -> Option<(u16, Handle)> {
        let Reverse((_, _, event)) = self.due.pop()?;
        match event {
            Event::Obeys { input, priority, on } => {
                self.inputs[usize::from(input)].obey(priority, on);
                self.notes.obeyed(now, input, on);
                self.look(now, input);
                None
            }
            Event::Looks { input } => {
                let looks = &mut self.looks[usize::from(input)];
                // Otherwise it has looked earlier, after a pause.
                if *looks == now {
                    *looks = Time::MAX;
                    self.look(now, input);
                }
                None
            }
            Event::Arrives { flow, size } => {
                self.notes.arrived(flow, size);
                let early = self.early(flow, buffer_of(switch));
                if early == Early::Dropped {
                    self.notes.lost(now, flow, size, DropCause::Early);
                    return None;
                }
                (self.refused, self.marked) = (false, early == Early::Marked);
                self.number = self.number.wrapping_add(1) & (u32::MAX >> 1);
                let Flow { output, class, .. } = self.flows[flow as usize];
                let packet = Handle::numbered(self.number, flow, size).with_class(class);
                let input = self.switch.flows[flow as usize].input as u16;
                Some((output, packet.with_input(input)))
            }
        }
    }

    fn arrived(&mut self, packet: &Handle, _: &Observed<OnChip, O>) {
        if self.marked && !self.refused {
            self.notes.marked(packet.flow());
        }
    }

    fn sent(&mut self, packet: &Handle, _: Time, end: Time) {
        self.notes.sent(packet.flow(), packet.size(), end);
    }

    /// The frame waits for the largest packet that the switch may be sending to the neighbour,
    /// travels, and is obeyed.
    fn pause(&mut self, now: Time, pause: Pause) {
        let Pause { port: input, class: priority, on } = pause;
        self.notes.asked(now, input, priority, on);
        let link = &self.inputs[usize::from(input)];
        let frame = link.time_for(self.setup.packet_bytes) + link.time_for(FlowControl::FRAME);
        let at = now + frame + link.one_way + self.setup.response;
        self.foresee(at, Event::Obeys { input, priority, on });
    }

    fn lost(&mut self, lost: &Lost, at: Time, _: &Observed<OnChip, O>) {
        self.refused |= lost.packet.packet().get() == self.number;
        self.notes.lost(at, lost.packet.flow(), lost.packet.size(), lost.cause);
    }
}
