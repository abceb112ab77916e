//! The switch of the single-point experiments, and who watches it. [`Unwatched`](forebay_switch::Unwatched)
//! costs nothing: what would be told it compiles away.

use forebay_pifo::TieredQueue;
use forebay_sched::Packet;
use forebay_switch::manager::{Departure, TrafficManager, Verdict};
use forebay_switch::{Gauge, Handle, Lost, Place, SwitchObserver, Watermarks, hybrid_gauges};
use forebay_units::Time;
use forebay_workload::Arrival;

/// The one output port.
const PORT: u16 = 0;

/// A traffic manager with one port, and its observer.
pub(super) struct Watched<Q, O> {
    manager: TrafficManager<Q>,
    watermarks: Option<Watermarks>,
    observer: O,
    /// The number of the next packet, by which the observer knows it.
    number: u32,
    /// Bytes that wait.
    waiting: u64,
}

impl<Q: TieredQueue, O: SwitchObserver> Watched<Q, O> {
    pub(super) fn new(
        manager: TrafficManager<Q>,
        watermarks: Option<Watermarks>,
        observer: O,
    ) -> Self {
        Watched { manager, watermarks, observer, number: 0, waiting: 0 }
    }

    /// The traffic manager, to look at.
    #[inline]
    pub(super) fn manager(&self) -> &TrafficManager<Q> {
        &self.manager
    }

    /// A packet arrives.
    #[inline]
    pub(super) fn enqueue(&mut self, now: Time, arrival: &Arrival) {
        let packet = packet(arrival, self.number);
        if O::WATCHES {
            self.number = self.number.wrapping_add(1) & (u32::MAX >> 1);
        }
        self.observer.arrived(now, PORT, &handle(&packet));
        match self.manager.enqueue(now, PORT, packet) {
            Verdict::Dropped(cause) => {
                let lost = Lost { port: PORT, cause, packet: handle(&packet) };
                self.observer.lost(now, &lost);
            }
            Verdict::Near | Verdict::Far => {
                self.waiting += if O::WATCHES { u64::from(packet.size) } else { 0 };
            }
        }
        self.tell(now);
    }

    /// The packet that the port sends next.
    #[inline]
    pub(super) fn dequeue(&mut self, now: Time) -> Option<Departure> {
        let departure = self.manager.dequeue(now, PORT);
        if let (true, Some(Departure { packet, .. })) = (O::WATCHES, &departure) {
            self.waiting -= u64::from(packet.size);
            self.observer.left(now, PORT, &handle(packet));
        }
        self.tell(now);
        departure
    }

    /// Lets everything happen that is due.
    #[inline]
    pub(super) fn advance(&mut self, now: Time) {
        self.manager.advance(now);
        self.tell(now);
    }

    /// Tells what was lost, and reads the gauges if they are wanted.
    #[inline]
    fn tell(&mut self, now: Time) {
        if !O::WATCHES {
            return;
        }
        for loss in self.manager.losses() {
            self.waiting -= u64::from(loss.packet.size);
            let (cause, packet) = (loss.cause, handle(&loss.packet));
            self.observer.lost(now, &Lost { port: loss.port, cause, packet });
        }
        if self.observer.reads(now) {
            let observer = &mut self.observer;
            hybrid_gauges(&self.manager, self.watermarks, &mut |gauge| observer.gauge(now, &gauge));
            let (place, name) = (Place::Port(PORT), "waiting bytes");
            self.observer.gauge(now, &Gauge::Level { place, name, bytes: self.waiting });
        }
    }
}

fn packet(arrival: &Arrival, number: u32) -> Packet {
    Packet {
        size: arrival.size,
        flow: arrival.flow,
        input: arrival.input,
        class: arrival.class,
        flow_size: arrival.flow_size,
        tag: number,
    }
}

fn handle(packet: &Packet) -> Handle {
    Handle::numbered(packet.tag, packet.flow, packet.size)
        .with_class(packet.class)
        .with_input(packet.input)
}
