//! The switch on chip, packet by packet.

use super::*;
use crate::{Links, Lost, Traffic};
use forebay_parameters::set;
use forebay_units::Duration;

/// Twenty packets at once, in the order of their arrival; then nothing.
#[derive(Default)]
struct Burst {
    arrived: u32,
    sent: Vec<Time>,
    lost: u32,
}

impl Traffic<OnChip> for Burst {
    fn next_at(&self) -> Option<Time> {
        (self.arrived < 20).then_some(Time::ZERO)
    }

    fn arrive(&mut self, _: Time, _: &mut OnChip) -> Option<(u16, Handle)> {
        self.arrived += 1;
        Some((0, Handle::numbered(self.arrived, 0, 1250)))
    }

    fn sent(&mut self, _: &Handle, begin: Time, _: Time) {
        self.sent.push(begin);
    }

    fn lost(&mut self, _: &Lost, _: Time, _: &OnChip) {
        self.lost += 1;
    }
}

/// 24 cells for 20 packets of one cell, 1 µs each on the line and in the egress pipeline. The
/// first passes the threshold of the empty pool; from 1 µs on it is that of five free cells.
#[test]
fn an_expelled_packet_is_the_head_of_its_queue_and_is_told_once() {
    let shape = SwitchShape { index: 0, ports: &[Rate::from_gbps(10); 2] };
    let mut config = OnChipConfig::named("dt").unwrap();
    config.queues = 2;
    let mut switch = OnChip::new(&shape, &config).unwrap();
    let mut lost = Losses::default();
    for number in 0..2 {
        let packet = Handle::numbered(number, 0, 1000).with_class(1);
        switch.arrive(Time::ZERO, 1, packet, &mut lost);
    }
    switch.expel(Time::ZERO, 1, 0, &mut lost);
    switch.expel(Time::ZERO, 2, 0, &mut lost);
    assert!(lost.is_empty());
    switch.expel(Time::ZERO, 1, 1, &mut lost);
    let gone = lost.pop().unwrap();
    assert_eq!((gone.port, gone.cause, gone.packet.packet().get()), (1, DropCause::Expelled, 0));
    assert!(lost.is_empty());
    assert_eq!(switch.backlog(), Bytes::new(1000));
}

#[test]
fn a_port_that_waits_for_its_pipeline_is_asked_again() {
    let mut config = OnChipConfig::named("occamy-p4").unwrap();
    (config.pool, config.cell) = (Bytes::new(24 * 1250), 1250);
    let settings = [("alpha", "1"), ("egress_speedup", "1"), ("sync_interval", "1 us")];
    set(&mut config.policy, &settings).unwrap();
    let ports = [Rate::from_gbps(10)];
    let mut switch = OnChip::new(&SwitchShape { index: 0, ports: &ports }, &config).unwrap();
    let mut links = Links::new(&mut switch, &ports, Burst::default());
    while links.step() {}
    let Burst { sent, lost, .. } = links.traffic;
    assert_eq!((sent.len() as u32 + lost, switch.backlog()), (20, Bytes::ZERO));
    // One drop a microsecond makes the queue shorter and the threshold higher, until they meet
    // at 12 cells.
    assert_eq!(lost, 7);
    assert_eq!(&sent[1..3], [8, 9].map(|us| Time::ZERO + Duration::from_us(us)));
}
