//! Every packet that arrived is exactly one of held, sent, or lost with a cause, after every call,
//! in every switch that has a name.

use super::*;
use alloc::collections::BTreeMap;
use alloc::string::String;

/// What must hold: packets by flow number, which tells them apart, and their sizes.
#[derive(Default)]
struct Accounts {
    held: BTreeMap<u32, u32>,
    sent: usize,
    lost: usize,
}

impl Accounts {
    fn settle(&mut self, switch: &dyn SwitchModel, log: &Log) {
        let mut gone: Vec<Handle> = log.sent[self.sent..].iter().map(|sent| sent.2).collect();
        gone.extend(log.lost[self.lost..].iter().map(|lost| lost.2));
        (self.sent, self.lost) = (log.sent.len(), log.lost.len());
        for packet in gone {
            assert_eq!(self.held.remove(&packet.flow()), Some(packet.size()), "gone twice");
        }
        let bytes = self.held.values().map(|size| u64::from(*size)).sum();
        assert_eq!(switch.backlog(), Bytes::new(bytes));
        let empty = (0..PORTS).all(|port| switch.is_empty(port));
        assert_eq!(empty, self.held.is_empty());
    }
}

fn conserves(mut switch: AnySwitch, arrivals: &[Arrival]) -> Log {
    tell_flows(&mut *switch, arrivals.len());
    let mut accounts = Accounts::default();
    let mut driver = Driver::new(&mut *switch, Rate::from_gbps(10));
    for (gap, port, packet) in arrivals {
        driver.wait(*gap, &mut |switch, log| accounts.settle(switch, log));
        accounts.held.insert(packet.flow(), packet.size());
        driver.receive(*port, *packet, &mut |switch, log| accounts.settle(switch, log));
    }
    driver.run(Time::MAX, &mut |switch, log| accounts.settle(switch, log));
    assert!(accounts.held.is_empty(), "packets are stuck");
    driver.log
}

fn names() -> Vec<String> {
    crate::Catalogue::default().switches().names().map(Into::into).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_packet_is_accounted_for(
        name in prop::sample::select(names()),
        arrivals in arrivals(300, 300_000),
    ) {
        conserves(small(&name).build(&shape()).unwrap(), &arrivals);
    }
}

/// Otherwise the test above would show little.
#[test]
fn small_switches_lose_packets_and_mark() {
    for name in names() {
        let mut state = 1u32;
        let mut draw = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let arrivals: Vec<Arrival> = (0..3000)
            .map(|flow| {
                let handle = Handle::new(flow, 64 + draw(1436)).with_ecn(Ecn::Capable);
                (u64::from(draw(20_000)), draw(PORTS.into()) as u16, handle)
            })
            .collect();
        let log = conserves(small(&name).build(&shape()).unwrap(), &arrivals);
        assert!(!log.lost.is_empty() && !log.sent.is_empty(), "{name}");
        let marked = |sent: &(Time, u16, Handle)| sent.2.ecn() == Ecn::Experienced;
        assert!(log.sent.iter().any(marked), "{name}");
    }
}
