//! What is kept of flows that have ended: what still arrives of them finds it.

use super::*;
use crate::network::Nic;

/// Flows one after another, whose timers are shorter than a round trip: everything is sent again,
/// and most copies arrive, or are lost, when the flow has ended.
fn hasty(partitions: usize, nic: Nic) -> Network<DropTailSwitch> {
    let rto = RtoConfig {
        initial: Duration::from_us(9),
        min: Duration::from_us(9),
        ..RtoConfig::default()
    };
    let sender = SenderConfig { rto, ..SenderConfig::default() };
    let control = congestion_controls();
    let transport = Transport::window(sender, control.named("new-reno").unwrap()).unwrap();
    let config = NetworkConfig { partitions, nic, ..NetworkConfig::new(transport) };
    let limits = PortLimits { limit: Bytes::new(2_000), ..PortLimits::default() };
    let made =
        Network::new(&small_leaf_spine(), config, |shape| DropTailSwitch::new(shape, &limits));
    let mut network = made.unwrap();
    let flow = |n: u32| {
        let start = Time::ZERO + Duration::from_us(u64::from(n / 8) * 300);
        Flow::new(
            n % 12,
            (n + 1 + n / 3 % 3) % 12,
            Bytes::new(1 + u64::from(n) * 777 % 9_000),
            start,
        )
    };
    network.add_flows((0..400).map(flow).collect::<Vec<_>>()).unwrap();
    network.run().unwrap();
    network
}

#[test]
fn late_packets_find_what_is_kept_and_slots_are_used_again() {
    for nic in [Nic::Fifo, Nic::Fair] {
        let whole = hasty(1, nic);
        let (mut copies, mut lost) = (0, 0);
        for record in whole.records() {
            let transit = record.transit;
            assert_eq!(record.delivered, record.flow.bytes);
            // Every segment that was sent has arrived or was lost, by now and somewhere.
            assert_eq!(record.sender.segments, transit.packets + transit.lost);
            copies += transit.packets - record.flow.bytes.div_ceil(Bytes::new(1448));
            lost += transit.lost;
        }
        assert!(copies > 400 && lost > 0, "{copies} copies, {lost} lost");
        let used = whole.parts[0].flows.slots();
        assert!(used < 40, "{used} slots for flows of which few are active at a time");
        for partitions in [2, 3] {
            let cut = hasty(partitions, nic);
            assert!(cut.records().eq(whole.records()), "{partitions} partitions");
            assert_eq!((cut.totals(), cut.losses()), (whole.totals(), whole.losses()));
        }
    }
}

/// Flows are taken in the order of their starts, whether they are given so, or in several pieces,
/// or not.
#[test]
fn flows_begin_in_their_order_however_they_are_given() {
    let mut sorted = some_flows(12, 60, 20_000, 4);
    sorted.sort_by_key(|flow| flow.start);
    let first_bytes = |pieces: &[&[Flow]]| {
        let config = NetworkConfig { partitions: 2, ..NetworkConfig::new(transport("dctcp")) };
        let made = Network::new(&small_leaf_spine(), config, |shape| {
            DropTailSwitch::new(shape, &PortLimits::default())
        });
        let mut network = made.unwrap();
        pieces.iter().for_each(|piece| network.add_flows(piece).unwrap());
        network.run().unwrap();
        assert_eq!(network.finished(), 60);
        // A flow's number is part of its path: compare what does not depend on it.
        let mut starts: Vec<_> = network.records().map(|record| record.flow.start).collect();
        starts.sort_unstable();
        (starts, network.totals().made.packets > 0)
    };
    let mut reversed = sorted.clone();
    reversed.reverse();
    let (early, late) = sorted.split_at(25);
    let expected = first_bytes(&[&sorted]);
    for pieces in [&[early, late][..], &[late, early], &[&reversed]] {
        assert_eq!(first_bytes(pieces), expected);
    }
}
