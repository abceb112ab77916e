//! The packets of a run, and what has left of them.

use forebay_sched::Packet;
use forebay_switch::manager::ManagerCounters;
use forebay_switch::{InstantOrder, Lost, Traffic};
use forebay_units::{Bytes, Rate, Time};
use forebay_workload::random::{ChaCha8Rng, stream, uniform};

use super::Setup;

/// What has left so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Reading {
    pub(super) switch: ManagerCounters,
    pub(super) left: u64,
    /// When the last one did.
    pub(super) last: Time,
    /// Sum of the times of departure, in seconds.
    pub(super) times: f64,
    /// Sum of the times in the buffer, in seconds.
    pub(super) residence: f64,
}

/// The packets, and what becomes of them.
pub(super) struct Packets {
    random: ChaCha8Rng,
    rate: Rate,
    sizes: [u32; 2],
    ranks: u64,
    /// The next one, and when all of it is there.
    next: Packet,
    next_at: Time,
    most: usize,
    arrived: Vec<Time>,
    pub(super) so_far: Reading,
}

impl Packets {
    pub(super) fn new(setup: &Setup, seed: u64) -> Self {
        let mut packets = Packets {
            random: stream(seed, "random ranks", 0),
            rate: setup.arrival_rate,
            sizes: [setup.smallest_packet, setup.largest_packet],
            ranks: setup.ranks,
            next: Packet::default(),
            next_at: Time::ZERO,
            most: setup.packets.map_or(usize::MAX, |packets| packets as usize),
            arrived: Vec::new(),
            so_far: Reading::default(),
        };
        packets.draw();
        packets
    }

    fn draw(&mut self) {
        let [smallest, largest] = self.sizes;
        let mut below = |count: u64| (uniform(&mut self.random) * count as f64) as u64;
        let size = smallest + below(u64::from(largest - smallest) + 1) as u32;
        let flow_size = below(self.ranks);
        let number = self.arrived.len() as u32;
        self.next = Packet { size, flow: number, flow_size, tag: number, ..Packet::default() };
        self.next_at += self.rate.time_for(Bytes::new(size.into()));
    }
}

impl<S> Traffic<S, Packet> for Packets {
    const ORDER: InstantOrder = InstantOrder::OneArrival;

    fn next_at(&self) -> Option<Time> {
        (self.arrived.len() < self.most).then_some(self.next_at)
    }

    fn arrive(&mut self, now: Time, _: &mut S) -> Option<(u16, Packet)> {
        let packet = self.next;
        self.arrived.push(now);
        self.draw();
        Some((0, packet))
    }

    fn sent(&mut self, packet: &Packet, _: Time, end: Time) {
        let so_far = &mut self.so_far;
        so_far.left += 1;
        so_far.last = end;
        so_far.times += (end - Time::ZERO).as_secs_f64();
        so_far.residence += (end - self.arrived[packet.tag as usize]).as_secs_f64();
    }

    fn lost(&mut self, _: &Lost<Packet>, _: Time, _: &S) {}
}
