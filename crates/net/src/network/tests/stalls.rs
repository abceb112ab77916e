//! Switches in which something happens by itself: ports that stall, packets that are given up
//! later.

use super::*;
use alloc::collections::VecDeque;
use forebay_switch::DropCause;

/// Holds every packet for a while before it may leave, and expels what waited too long.
struct Holding {
    hold: Duration,
    limit: Duration,
    now: Time,
    ports: Vec<VecDeque<(Time, Handle)>>,
}

impl Holding {
    fn expel(&mut self, now: Time, lost: &mut Losses) {
        self.now = now;
        for (queue, port) in self.ports.iter_mut().zip(0..) {
            while queue.front().is_some_and(|(at, _)| now.since(*at) > self.limit) {
                let Some((_, packet)) = queue.pop_front() else { break };
                lost.push(port, DropCause::Expelled, packet);
            }
        }
    }
}

impl SwitchModel for Holding {
    fn arrive(&mut self, now: Time, port: u16, packet: Handle, lost: &mut Losses) {
        self.expel(now, lost);
        self.ports[usize::from(port)].push_back((now, packet));
    }

    fn next(&mut self, now: Time, port: u16, lost: &mut Losses) -> Option<Handle> {
        self.expel(now, lost);
        let queue = &mut self.ports[usize::from(port)];
        let ready = queue.front().is_some_and(|(at, _)| *at + self.hold <= now);
        if ready { queue.pop_front().map(|(_, packet)| packet) } else { None }
    }

    fn is_empty(&self, port: u16) -> bool {
        self.ports[usize::from(port)].is_empty()
    }

    fn backlog(&self) -> Bytes {
        let packets = self.ports.iter().flatten();
        Bytes::new(packets.map(|(_, packet)| u64::from(packet.size())).sum())
    }

    fn next_event(&mut self) -> Option<Time> {
        // Packets that are ready leave when their port asks.
        let heads = self.ports.iter().filter_map(VecDeque::front);
        heads.map(|(at, _)| *at + self.hold).filter(|at| *at > self.now).min()
    }

    fn advance(&mut self, now: Time, lost: &mut Losses) {
        self.expel(now, lost);
    }
}

fn holding(hold: Duration, limit: Duration) -> Network<Holding> {
    let config = NetworkConfig::new(transport("new-reno"));
    Network::new(&Graph::star(4, link(10, 1)), config, |shape| {
        let ports = alloc::vec![VecDeque::new(); shape.ports.len()];
        Holding { hold, limit, now: Time::ZERO, ports }
    })
    .unwrap()
}

#[test]
fn a_stalled_port_is_asked_again() {
    let hold = Duration::from_us(7);
    let mut network = holding(hold, Duration::from_ms(100));
    network.add_flows([Flow::new(0, 1, Bytes::new(5_000), Time::ZERO)]).unwrap();
    network.run().unwrap();
    let record = network.records().next().unwrap();
    assert_eq!(record.fct(), Some(record.ideal + hold));

    let mut network = holding(hold, Duration::from_ms(100));
    network.add_flows(some_flows(4, 50, 100_000, 8)).unwrap();
    network.run().unwrap();
    assert!(network.records().all(|record| record.fct() >= Some(record.ideal + hold)));
    assert_eq!((network.totals().dropped.packets, network.live_packets()), (0, 0));
}

#[test]
fn what_a_switch_gives_up_later_is_counted() {
    let mut network = holding(Duration::from_us(1), Duration::from_us(20));
    network.add_flows(some_flows(4, 50, 100_000, 8)).unwrap();
    network.run().unwrap();
    let lost: u64 = network.losses().iter().map(|loss| loss.packets).sum();
    assert!(lost > 0 && network.losses().iter().all(|loss| loss.cause == DropCause::Expelled));
    assert_eq!((network.totals().dropped.packets, network.live_packets()), (lost, 0));
    assert!(network.records().all(|record| record.finish.is_some()));
}
