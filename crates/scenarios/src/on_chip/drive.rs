//! What a run notes on the way: packets of the senders arrive, are lost, make a queue grow. The
//! event loop is that of [`Links`]; the buffer decides everything else.
//!
//! A binary heap holds each sender's next packet. O(log(senders + ports)) per event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_buffer::onchip::SharedBuffer;
use forebay_lab::{RunContext, RunError, RunOutput, Timeline};
use forebay_sched::DropCause;
use forebay_switch::{
    Handle, InstantOrder, Links, Lost, Observed, OnChip, SwitchObserver, Traffic,
};
use forebay_units::{Rate, Time};

use super::metrics::Notes;
use super::params::OnChipSetup;
use super::source::{Sender, first_arrivals};
use crate::links::until;

/// Runs with the phases of `seed`, and tells `observer` what becomes of packets.
///
/// # Errors
/// [`RunError::Stopped`] soon after `context` is stopped; [`RunError::Failed`] if the switch cannot
/// be built.
pub fn run(
    setup: &OnChipSetup,
    seed: u64,
    observer: impl SwitchObserver,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    let buffer = setup.buffer().map_err(|error| RunError::Failed(error.to_string()))?;
    let schedulers = setup.schedulers().map_err(|error| RunError::Failed(error.to_string()))?;
    let rates = vec![setup.port_rate; schedulers.len()];
    let switch = OnChip::sharing(buffer, schedulers, &rates);
    let switch = match &setup.rank {
        Some(rank) => {
            switch.ranked_by(rank).map_err(|error| RunError::Failed(error.to_string()))?
        }
        None => switch,
    };
    Senders::new(setup, seed).run(&mut Observed::new(switch, observer), &rates, context)
}

/// The senders' packets, and what is noted of them.
struct Senders<'a> {
    setup: &'a OnChipSetup,
    senders: Vec<Sender>,
    /// Each sender's next arrival.
    due: BinaryHeap<Reverse<(Time, u32)>>,
    /// Queues of a port.
    classes: u32,
    /// The burst that each queue belongs to, if to any.
    burst_of: Vec<Option<usize>>,
    notes: Notes,
    /// The number of the packet that arrives.
    number: u32,
}

impl<'a> Senders<'a> {
    fn new(setup: &'a OnChipSetup, seed: u64) -> Self {
        let senders = setup.senders();
        let first = (0u32..).zip(first_arrivals(&senders, seed));
        let due = first.filter_map(|(sender, at)| Some(Reverse((at?, sender)))).collect();
        let (ports, classes) = setup.shape();
        let mut burst_of = vec![None; usize::from(ports) * usize::from(classes)];
        for (burst, at) in setup.bursts().enumerate() {
            burst_of[at.queue as usize] = Some(burst);
        }
        let bursts = vec![Default::default(); setup.bursts().count()];
        let notes = Notes { bursts, ..Notes::default() };
        Senders { setup, senders, due, classes: classes.into(), burst_of, notes, number: 0 }
    }

    fn run<O: SwitchObserver>(
        self,
        switch: &mut Observed<OnChip, O>,
        rates: &[Rate],
        context: &mut RunContext<'_>,
    ) -> Result<RunOutput, RunError> {
        let setup = self.setup;
        let mut links = Links::new(switch, rates, self);
        let end = Time::ZERO + setup.span;
        let samples = setup.samples;
        let mut series = Series::default();
        for step in 1..=samples {
            let at = Time::ZERO + setup.span / samples * step;
            until(&mut links, at, context)?;
            series.sample(setup, buffer(links.switch()), at);
            context.progress(step as f64 / samples as f64);
        }
        until(&mut links, end, context)?;
        let values = links.traffic.notes.values(setup, buffer(links.switch()));
        Ok(RunOutput { values, timelines: series.timelines() })
    }
}

/// The one buffer of the switch.
fn buffer<O: SwitchObserver>(switch: &Observed<OnChip, O>) -> &SharedBuffer {
    &switch.switch().pools()[0]
}

impl<O: SwitchObserver> Traffic<Observed<OnChip, O>> for Senders<'_> {
    const ORDER: InstantOrder = InstantOrder::PortsFirst;

    fn next_at(&self) -> Option<Time> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    fn arrive(&mut self, now: Time, _: &mut Observed<OnChip, O>) -> Option<(u16, Handle)> {
        let Reverse((_, index)) = self.due.pop()?;
        let sender = &mut self.senders[index as usize];
        let size = sender.send()?;
        if let Some(gap) = sender.next_time() {
            self.due.push(Reverse((now + gap, index)));
        }
        let (port, class) = (sender.queue / self.classes, sender.queue % self.classes);
        self.number = self.number.wrapping_add(1) & (u32::MAX >> 1);
        Some((port as u16, Handle::numbered(self.number, index, size).with_class(class as u8)))
    }

    fn arrived(&mut self, packet: &Handle, switch: &Observed<OnChip, O>) {
        let queue = self.senders[packet.flow() as usize].queue;
        if let Some(burst) = self.burst_of[queue as usize] {
            let note = &mut self.notes.bursts[burst];
            note.arrived += u64::from(packet.size());
            note.peak = note.peak.max(cells(buffer(switch), queue));
        }
    }

    fn sent(&mut self, _: &Handle, _: Time, _: Time) {}

    fn lost(&mut self, lost: &Lost, _: Time, switch: &Observed<OnChip, O>) {
        let (buffer, queue) = (buffer(switch), self.senders[lost.packet.flow() as usize].queue);
        let (used, all) = buffer.occupancy();
        let filled = f64::from(used) / f64::from(all);
        // The others are lost later.
        if !matches!(lost.cause, DropCause::Expelled | DropCause::PushedOut) {
            self.notes.on_drop.add(filled);
        }
        if let Some(burst) = self.burst_of[queue as usize] {
            self.notes.on_burst_loss.add(filled);
            let note = &mut self.notes.bursts[burst];
            note.first_loss.get_or_insert((note.arrived, cells(buffer, queue)));
        }
    }
}

fn cells(buffer: &SharedBuffer, queue: u32) -> u32 {
    buffer.account(queue).map_or(0, |account| account.cells())
}

/// Samples over time.
#[derive(Default)]
struct Series {
    burst: Vec<(f64, f64)>,
    background: Vec<(f64, f64)>,
    threshold: Vec<(f64, f64)>,
    free: Vec<(f64, f64)>,
}

impl Series {
    fn sample(&mut self, setup: &OnChipSetup, buffer: &SharedBuffer, now: Time) {
        let cell = f64::from(setup.cell) / 1e6;
        let at = now.as_ps() as f64 / 1e6;
        let length = |queue: u32| (at, f64::from(cells(buffer, queue)) * cell);
        if let Some(burst) = setup.bursts().next() {
            self.burst.push(length(burst.queue));
            let threshold = buffer.threshold(burst.queue);
            self.threshold.extend(threshold.map(|cells| (at, f64::from(cells) * cell)));
        }
        if let Some(congested) = setup.congested().next() {
            self.background.push(length(congested.queue));
        }
        let (used, all) = buffer.occupancy();
        self.free.push((at, f64::from(all - used) * cell));
    }

    fn timelines(self) -> Vec<Timeline> {
        let named = [
            ("burst_queue", self.burst),
            ("background_queue", self.background),
            ("threshold", self.threshold),
            ("free", self.free),
        ];
        let some = named.into_iter().filter(|(_, points)| !points.is_empty());
        some.map(|(name, points)| Timeline { name, unit: "MB", points }).collect()
    }
}
