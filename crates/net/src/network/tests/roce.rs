//! RoCE in whole networks.

use super::*;
use crate::network::Nic;
use crate::transport::{DcqcnConfig, Recovery, RoceConfig, SelectiveConfig};
use forebay_parameters::set;
use forebay_switch::{AnySwitch, OnChipConfig, SwitchConfig};

fn roce() -> NetworkConfig {
    let config = RoceConfig {
        mtu: Bytes::new(1448),
        timeout: Duration::from_ms(1),
        recovery: Recovery::GoBackN,
        telemetry: RoceConfig::TELEMETRY,
        control: std::sync::Arc::new(DcqcnConfig::default()),
    };
    NetworkConfig { nic: Nic::Fair, ..NetworkConfig::new(Transport::roce(config).unwrap()) }
}

/// Seven hosts of 40 Gb/s send 2 MB each to the eighth through such a switch.
fn incast(given: &[(&str, &str)]) -> Network<AnySwitch> {
    incast_with(roce(), given)
}

fn incast_with(config: NetworkConfig, given: &[(&str, &str)]) -> Network<AnySwitch> {
    let mut switch = SwitchConfig::OnChip(OnChipConfig::named("dt").unwrap());
    set(&mut switch, &[&[("pool", "1 MB")], given].concat()).unwrap();
    let graph = Graph::star(8, link(40, 1));
    let mut network = Network::of(&switch, &graph, config).unwrap();
    let flow = |src| Flow::new(src, 7, Bytes::new(2_000_000), Time::ZERO);
    network.add_flows((0..7).map(flow).collect::<Vec<_>>()).unwrap();
    network.run().unwrap();
    network
}

#[test]
fn without_flow_control_an_incast_loses_and_goes_back() {
    let network = incast(&[]);
    assert_eq!(network.finished(), 7);
    assert!(!network.losses().is_empty());
    assert!(network.senders().any(|sender| sender.recoveries > 0 && sender.resent > 0));
}

#[test]
fn with_flow_control_nothing_is_sent_twice() {
    let network = incast(&[("pfc.lossless", "0")]);
    assert_eq!((network.finished(), network.losses()), (7, Vec::new()));
    assert!(network.senders().all(|sender| sender.resent == 0 && sender.timeouts == 0));
    assert!(network.pause_counts().is_some_and(|counts| counts.asked > 0));
    // The last link is always busy: what is left is the time of the packets and a round trip.
    let packets = 7 * 2_000_000_u64.div_ceil(1448);
    let busy = Rate::from_gbps(40).time_for(Bytes::new(7 * 2_000_000 + 52 * packets));
    let last = network.records().filter_map(|record| record.finish).max().unwrap();
    assert!(last.since(Time::ZERO) < busy + Duration::from_us(10), "{last}");
}

#[test]
fn marks_keep_the_queue_short() {
    let paused = |given: &[(&str, &str)]| {
        let given = [&[("pfc.lossless", "0"), ("pfc.smallest_packet", "1500 B")], given].concat();
        let network = incast(&given);
        assert_eq!((network.finished(), network.losses()), (7, Vec::new()));
        network.pauses().fold(Duration::ZERO, |sum, one| sum + one.paused)
    };
    let marks = [("mark_above", "5 KB"), ("mark_all_above", "200 KB")];
    let (alone, controlled) = (paused(&[]), paused(&marks));
    assert!(controlled * 2 < alone, "{controlled} and {alone}");
}

/// A lone flow is never slowed down.
#[test]
fn a_lone_flow_is_ideal() {
    let graph = small_leaf_spine();
    let mut network =
        Network::new(&graph, roce(), |shape| DropTailSwitch::new(shape, &PortLimits::default()))
            .unwrap();
    network.add_flows([Flow::new(0, 11, Bytes::new(123_456), Time::ZERO)]).unwrap();
    network.run().unwrap();
    let record = network.records().next().unwrap();
    assert_eq!(record.fct(), Some(record.ideal));
}

fn selective(cap: Option<Bytes>) -> NetworkConfig {
    let recovery = Recovery::Selective(SelectiveConfig { cap, ..SelectiveConfig::default() });
    let NetworkConfig { transports, .. } = roce();
    let transports = transports.into_iter().map(|one| one.with_recovery(recovery).unwrap());
    NetworkConfig { transports: transports.collect(), ..roce() }
}

/// What is lost is sent again, and little else; it takes less time than going back.
#[test]
fn selective_repeat_sends_again_what_was_lost() {
    let uncapped = selective(Some(Bytes::new(1_000_000)));
    let (back, alone) = (incast(&[]), incast_with(uncapped, &[]));
    assert_eq!((back.finished(), alone.finished()), (7, 7));
    let resent = |network: &Network<AnySwitch>| {
        network.senders().map(|sender| u64::from(sender.resent)).sum::<u64>()
    };
    let lost = alone.totals().dropped.packets;
    assert!(lost > 0 && resent(&alone) >= lost && resent(&alone) < lost + 100, "{lost}");
    let resent = [&back, &alone].map(resent);
    assert!(resent[0] > resent[1], "{resent:?}");
    let last = |network: &Network<AnySwitch>| network.records().filter_map(|r| r.finish).max();
    assert!(last(&alone) < last(&back));
}

/// With no more in flight than the paths hold, seven hosts do not fill the buffer.
#[test]
fn the_limit_in_flight_spares_the_buffer() {
    let network = incast_with(selective(None), &[]);
    assert_eq!((network.finished(), network.losses()), (7, Vec::new()));
}

/// A lone flow is never slowed down by the limit of its path.
#[test]
fn a_lone_flow_fills_its_path_under_selective_repeat() {
    let graph = small_leaf_spine();
    let limits = PortLimits::default();
    let mut network =
        Network::new(&graph, selective(None), |shape| DropTailSwitch::new(shape, &limits)).unwrap();
    network.add_flows([Flow::new(0, 11, Bytes::new(1_234_567), Time::ZERO)]).unwrap();
    network.run().unwrap();
    let record = network.records().next().unwrap();
    assert!(record.slowdown().unwrap() < 1.001, "{record:?}");
}

/// Each has its control's name before its own, in errors, too.
#[cfg(feature = "fabrics")]
#[test]
fn a_parameter_of_another_control_is_refused() {
    use alloc::string::ToString;
    use forebay_parameters::set;

    let mut hosts = crate::network::HostConfig::default();
    let error = set(&mut hosts, &[("hpcc_target", "0.9")]).unwrap_err();
    assert_eq!(error.name(), "hpcc_target");
    set(&mut hosts, &[("control", "timely"), ("timely_low", "900 us")]).unwrap();
    let refused = hosts.transport(hosts.sender()).unwrap_err();
    assert_eq!(refused.parameter(), "timely_high");
    assert!(refused.to_string().ends_with("give a longer one"), "{refused}");
    set(&mut hosts, &[("timely_high", "2 ms")]).unwrap();
    assert!(hosts.transport(hosts.sender()).is_ok());
    // Another control has its own again.
    let error = set(&mut hosts, &[("control", "swift"), ("timely_low", "1 us")]).unwrap_err();
    assert_eq!(error.name(), "timely_low");
}
