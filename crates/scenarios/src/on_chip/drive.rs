//! The event loop: packets of the senders arrive, ports finish sending; the buffer decides everything else.
//!
//! A binary heap holds one event per sender and per busy port. O(log(senders + ports)) per event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use forebay_buffer::onchip::{Loss, SharedBuffer, Verdict};
use forebay_lab::{RunContext, RunError, RunOutput, Timeline};
use forebay_parameters::ParameterError;
use forebay_sched::port::PortScheduler;
use forebay_sched::{DropCause, Packet, Rank};
use forebay_switch::{Gauge, Handle, Lost, Place, SwitchObserver, pool_gauges, queue_gauges};
use forebay_units::{Bytes, Time};

use super::metrics::Notes;
use super::setup::Setup;
use super::source::{Sender, first_arrivals};

/// Runs `policy` with the phases of `seed`, and tells `observer` what becomes of packets.
///
/// # Errors
/// [`RunError::Stopped`] soon after `context` is stopped; [`RunError::Failed`] if the switch cannot be built.
pub fn run(
    setup: &Setup,
    seed: u64,
    observer: impl SwitchObserver,
    context: &mut RunContext<'_>,
) -> Result<RunOutput, RunError> {
    let failed = |error: ParameterError| RunError::Failed(error.to_string());
    let buffer = setup.buffer().map_err(failed)?;
    let schedulers = setup.schedulers().map_err(failed)?;
    Simulation::new(setup, buffer, schedulers, seed, observer).run(context)
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A port has sent its packet.
    Free(u16),
    /// A sender's packet has arrived.
    Arrival(u32),
}

/// An event and its time, as one number: the heap then compares without branches. At one instant ports come
/// before senders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due(u128);

impl Due {
    fn new(at: Time, event: Event) -> Self {
        let event = match event {
            Event::Free(port) => u128::from(port),
            Event::Arrival(sender) => 1 << 32 | u128::from(sender),
        };
        Due(u128::from(at.as_ps()) << 33 | event)
    }

    fn at(self) -> Time {
        Time::from_ps((self.0 >> 33) as u64)
    }

    fn event(self) -> Event {
        match self.0 >> 32 & 1 {
            0 => Event::Free(self.0 as u16),
            _ => Event::Arrival(self.0 as u32),
        }
    }
}

struct Simulation<'a, O> {
    setup: &'a Setup,
    buffer: SharedBuffer,
    senders: Vec<Sender>,
    events: BinaryHeap<Reverse<Due>>,
    schedulers: Vec<Box<dyn PortScheduler>>,
    busy: Vec<bool>,
    /// The burst that each queue belongs to, if to any.
    burst_of: Vec<Option<usize>>,
    notes: Notes,
    observer: O,
    /// The number of the next packet, by which the observer knows it.
    number: u32,
}

impl<'a, O: SwitchObserver> Simulation<'a, O> {
    fn new(
        setup: &'a Setup,
        buffer: SharedBuffer,
        schedulers: Vec<Box<dyn PortScheduler>>,
        seed: u64,
        observer: O,
    ) -> Self {
        let senders = setup.senders();
        let first = (0u32..).zip(first_arrivals(&senders, seed));
        let events = first
            .filter_map(|(sender, at)| Some(Reverse(Due::new(at?, Event::Arrival(sender)))))
            .collect();
        let mut burst_of = vec![None; buffer.queues() as usize];
        for (burst, at) in setup.bursts().enumerate() {
            burst_of[at.queue as usize] = Some(burst);
        }
        let bursts = vec![Default::default(); setup.bursts().count()];
        let busy = vec![false; usize::from(setup.shape().0)];
        let notes = Notes { bursts, ..Notes::default() };
        Simulation {
            setup,
            buffer,
            senders,
            events,
            schedulers,
            busy,
            burst_of,
            notes,
            observer,
            number: 0,
        }
    }

    fn run(mut self, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let end = Time::ZERO + self.setup.span;
        let samples = self.setup.samples;
        let mut series = Series::default();
        for step in 1..=samples {
            let at = Time::ZERO + self.setup.span / samples * step;
            self.until(at, context)?;
            self.sample(at, &mut series);
            context.progress(step as f64 / samples as f64);
        }
        self.until(end, context)?;
        let values = self.notes.values(self.setup, &self.buffer);
        Ok(RunOutput { values, timelines: series.timelines() })
    }

    /// Lets everything happen that is due up to and including `end`; looks at `stop` now and then.
    fn until(&mut self, end: Time, context: &RunContext<'_>) -> Result<(), RunError> {
        let mut count = 0u64;
        while let Some(&Reverse(due)) = self.events.peek().filter(|next| next.0.at() <= end) {
            if count.is_multiple_of(65_536) && context.stopped() {
                return Err(RunError::Stopped);
            }
            count += 1;
            self.events.pop();
            let now = due.at();
            match due.event() {
                Event::Free(port) => self.serve(now, port),
                Event::Arrival(sender) => self.arrive(now, sender),
            }
        }
        self.buffer.advance(end);
        self.note_losses(end);
        Ok(())
    }

    fn arrive(&mut self, now: Time, index: u32) {
        let sender = &mut self.senders[index as usize];
        let Some(size) = sender.send() else { return };
        let queue = sender.queue;
        if let Some(gap) = sender.next_time() {
            self.events.push(Reverse(Due::new(now + gap, Event::Arrival(index))));
        }
        let burst = self.burst_of[queue as usize];
        let mut packet = Packet { size, flow: index, ..Packet::default() };
        let port = self.port(queue);
        if O::WATCHES {
            packet.tag = self.number;
            self.number = self.number.wrapping_add(1) & (u32::MAX >> 1);
            self.observer.arrived(now, port, &self.handle(&packet, queue));
        }
        let verdict = self.buffer.enqueue(now, queue, packet, Rank::default());
        self.note_losses(now);
        if let Verdict::Dropped(cause) = verdict {
            if O::WATCHES {
                self.tell_lost(now, queue, cause, &packet);
            }
            self.note_drop(queue);
        }
        self.read(now);
        if let Some(burst) = burst {
            let cells = self.cells(queue);
            let note = &mut self.notes.bursts[burst];
            note.arrived += u64::from(size);
            note.peak = note.peak.max(cells);
        }
        if !self.busy[usize::from(port)] {
            self.serve(now, port);
        }
    }

    /// The port sends the packet that its scheduler selects, if it has one.
    fn serve(&mut self, now: Time, port: u16) {
        let scheduler = self.schedulers[usize::from(port)].as_mut();
        let departure = self.buffer.serve(now, port, scheduler);
        self.note_losses(now);
        self.busy[usize::from(port)] = departure.is_some();
        if let Some(departure) = departure {
            if O::WATCHES {
                let packet = self.handle(&departure.packet, departure.queue);
                self.observer.left(now, port, &packet);
            }
            let time = self.setup.port_rate.time_for(Bytes::new(departure.packet.size.into()));
            self.events.push(Reverse(Due::new(now + time, Event::Free(port))));
        }
        self.read(now);
    }

    fn port(&self, queue: u32) -> u16 {
        (queue / u32::from(self.buffer.classes())) as u16
    }

    /// A packet as observers know it.
    fn handle(&self, packet: &Packet, queue: u32) -> Handle {
        let class = queue % u32::from(self.buffer.classes());
        Handle::numbered(packet.tag, packet.flow, packet.size).with_class(class as u8)
    }

    /// Tells the observer that a packet was lost.
    fn tell_lost(&mut self, now: Time, queue: u32, cause: DropCause, packet: &Packet) {
        let lost = Lost { port: self.port(queue), cause, packet: self.handle(packet, queue) };
        self.observer.lost(now, &lost);
    }

    /// Shows the observer how full the buffer is, if it wants to know.
    fn read(&mut self, now: Time) {
        if !O::WATCHES || !self.observer.reads(now) {
            return;
        }
        let (buffer, observer) = (&self.buffer, &mut self.observer);
        let mut show = |gauge: Gauge| observer.gauge(now, &gauge);
        pool_gauges(buffer, 0, &mut show);
        let classes = u32::from(buffer.classes());
        for queue in 0..buffer.queues() {
            let (port, class) = ((queue / classes) as u16, (queue % classes) as u16);
            let place = if classes == 1 { Place::Port(port) } else { Place::Queue { port, class } };
            queue_gauges(buffer, queue, place, &mut show);
        }
    }

    fn cells(&self, queue: u32) -> u32 {
        self.buffer.account(queue).map_or(0, |account| account.cells())
    }

    /// An arriving packet was dropped.
    fn note_drop(&mut self, queue: u32) {
        let (used, all) = self.buffer.occupancy();
        self.notes.on_drop.add(f64::from(used) / f64::from(all));
        self.note_burst_loss(queue);
    }

    /// Packets were lost that had been accepted.
    fn note_losses(&mut self, now: Time) {
        for index in 0..self.buffer.losses().len() {
            let queue = self.buffer.losses()[index].queue;
            if O::WATCHES {
                let Loss { packet, cause, .. } = self.buffer.losses()[index];
                self.tell_lost(now, queue, cause, &packet);
            }
            self.note_burst_loss(queue);
        }
    }

    /// A packet of `queue` was lost, on arrival or later; noted if the queue is a burst's.
    fn note_burst_loss(&mut self, queue: u32) {
        let cells = self.cells(queue);
        let (used, all) = self.buffer.occupancy();
        if let Some(burst) = self.burst_of[queue as usize] {
            self.notes.on_burst_loss.add(f64::from(used) / f64::from(all));
            let note = &mut self.notes.bursts[burst];
            note.first_loss.get_or_insert((note.arrived, cells));
        }
    }

    fn sample(&self, now: Time, series: &mut Series) {
        let cell = f64::from(self.setup.cell()) / 1e6;
        let at = now.as_ps() as f64 / 1e6;
        let length = |queue: u32| (at, f64::from(self.cells(queue)) * cell);
        if let Some(burst) = self.setup.bursts().next() {
            series.burst.push(length(burst.queue));
            let threshold = self.buffer.threshold(burst.queue);
            series.threshold.extend(threshold.map(|cells| (at, f64::from(cells) * cell)));
        }
        if let Some(congested) = self.setup.congested().next() {
            series.background.push(length(congested.queue));
        }
        let (used, all) = self.buffer.occupancy();
        series.free.push((at, f64::from(all - used) * cell));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_due_by_time_and_ports_come_before_senders() {
        let times = [0, 1, u64::MAX].map(Time::from_ps);
        let events =
            [Event::Free(0), Event::Free(u16::MAX), Event::Arrival(0), Event::Arrival(u32::MAX)];
        let all = || times.iter().flat_map(|at| events.iter().map(|event| (*at, *event)));
        let due: Vec<Due> = all().map(|(at, event)| Due::new(at, event)).collect();
        assert!(due.is_sorted_by(|a, b| a < b));
        assert!(due.iter().map(|due| (due.at(), due.event())).eq(all()));
    }
}
