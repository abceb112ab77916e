//! Switches that must do the same, packet for packet.

use super::*;
use forebay_sched::rank_functions;
use forebay_sched::scheduler::{SchedulerShape, by_rank};

fn log_of(config: &SwitchConfig, arrivals: &[Arrival]) -> Log {
    drive(&mut *config.build(&shape()).unwrap(), arrivals)
}

/// A switch that commits to the next packet of a port as soon as it has sent one, as the traffic
/// manager does so that reads from HBM overlap.
struct Ahead<S> {
    inner: S,
    committed: [Option<Handle>; PORTS as usize],
}

impl<S: SwitchModel> SwitchModel for Ahead<S> {
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        self.inner.arrive(now, port, packet, lost);
    }

    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        let committed = self.committed[usize::from(port)].take();
        let packet = committed.or_else(|| self.inner.next(now, port, lost));
        self.committed[usize::from(port)] = self.inner.next(now, port, lost);
        packet
    }

    fn is_empty(&self, port: u16) -> bool {
        self.committed[usize::from(port)].is_none() && self.inner.is_empty(port)
    }

    fn backlog(&self) -> Bytes {
        self.inner.backlog()
    }

    fn flow_added(&mut self, id: FlowId, data: Bytes, on_wire: Bytes) {
        self.inner.flow_added(id, data, on_wire);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn complete_sharing_of_a_pool_a_port_is_drop_tail(
        limit in 1500u64..20_000,
        mark in 0u64..10_000,
        arrivals in arrivals(300, 300_000),
    ) {
        let (limit, mark_above) = (Bytes::new(limit), Some(Bytes::new(mark)));
        let drop_tail = SwitchConfig::DropTail(PortLimits { limit, mark_above }.into());
        let on_chip = SwitchConfig::OnChip(OnChipConfig {
            pool: limit,
            ports_per_pool: 1,
            cell: 1,
            mark_above,
            ..OnChipConfig::named("complete-sharing").unwrap()
        });
        let (expected, mut log) = (log_of(&drop_tail, &arrivals), log_of(&on_chip, &arrivals));
        for (_, cause, _) in &mut log.lost {
            prop_assert_eq!(*cause, DropCause::SramFull);
            *cause = DropCause::QueueFull;
        }
        prop_assert_eq!(expected, log);
    }

    #[test]
    fn a_fifo_pifo_is_drop_tail(
        limit in 1500u64..20_000,
        mark in 0u64..10_000,
        arrivals in arrivals(300, 300_000),
    ) {
        let (limit, mark_above) = (Bytes::new(limit), Some(Bytes::new(mark)));
        let drop_tail = SwitchConfig::DropTail(PortLimits { limit, mark_above }.into());
        let limits = PortLimits { limit, mark_above };
        let fifo = rank_functions().named("fifo").unwrap().clone();
        let fifo = ScheduledConfig { limits, ..ScheduledConfig::by_rank(fifo) };
        let fifo = SwitchConfig::Scheduled(Box::new(fifo));
        prop_assert_eq!(log_of(&drop_tail, &arrivals), log_of(&fifo, &arrivals));
    }

    #[test]
    fn a_hybrid_switch_that_fits_in_sram_is_a_pifo(
        rank in prop::sample::select(alloc::vec!["fifo", "sff", "strict-priority"]),
        arrivals in arrivals(300, 300_000),
    ) {
        let rank = rank_functions().named(rank).unwrap().clone();
        let scheduler = by_rank(rank.clone());
        let pifo = |_, rate| scheduler.build(&SchedulerShape::of_link(rate));
        let limits = PortLimits { limit: Bytes::new(u64::MAX), mark_above: None };
        let inner = Scheduled::new(&shape(), limits, pifo).unwrap();
        let expected = drive(&mut Ahead { inner, committed: [None; PORTS as usize] }, &arrivals);
        for scheme in ["themis", "greedy-hybrid", "dt-hybrid", "occamy-hybrid"] {
            let config = HybridConfig { rank: rank.clone(), ..HybridConfig::named(scheme).unwrap() };
            let log = log_of(&SwitchConfig::Hybrid(config), &arrivals);
            prop_assert_eq!(&expected, &log, "{}", scheme);
        }
    }
}

/// Holds every packet for as long as its class says, in microseconds.
#[derive(Default)]
struct Delay {
    packets: alloc::collections::BTreeMap<(Time, u32), forebay_sched::Packet>,
}

impl forebay_sched::scheduler::PacketScheduler for Delay {
    fn enqueue(&mut self, now: Time, packet: forebay_sched::Packet) -> Result<(), DropCause> {
        let ready = now + Duration::from_us(packet.class.into());
        self.packets.insert((ready, packet.flow), packet);
        Ok(())
    }

    fn dequeue(&mut self, now: Time) -> Option<forebay_sched::Packet> {
        let first = self.packets.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }

    fn ready_at(&self, _now: Time) -> Option<Time> {
        self.packets.keys().next().map(|(ready, _)| *ready)
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn bytes(&self) -> Bytes {
        Bytes::new(self.packets.values().map(|packet| u64::from(packet.size)).sum())
    }
}

#[test]
fn shaped_packets_leave_when_they_may() {
    let none = |_, _| Ok::<_, core::convert::Infallible>(Delay::default());
    let mut switch = Scheduled::new(&shape(), PortLimits::default(), none).unwrap();
    // The second is ready first; the third waits for another port; the fourth is ready at once.
    let packet = |flow, class| Handle::new(flow, 1250).with_class(class);
    let arrivals = [
        (0, 0, packet(0, 9)),
        (0, 0, packet(1, 3)),
        (0, 1, packet(2, 5)),
        (2_000_000, 0, packet(3, 0)),
    ];
    let log = drive(&mut switch, &arrivals);
    let sent: Vec<_> =
        log.sent.iter().map(|(at, _, p)| (at.as_ps() / 1_000_000, p.flow())).collect();
    assert_eq!(sent, [(2, 3), (3, 1), (5, 2), (9, 0)]);
    assert_eq!(switch.next_event(), None);
}
