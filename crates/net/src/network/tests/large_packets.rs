//! Packets larger than 1500 bytes: every switch makes room for them, or says what cannot hold them.

use super::*;
use crate::network::NetworkError;
use forebay_parameters::Entry;
use forebay_switch::{
    AnySwitch, Catalogue, DropCause, OnChipConfig, SwitchBuildError, SwitchConfig,
};

fn network(mss: u64, config: &SwitchConfig) -> Result<Network<AnySwitch>, NetworkError> {
    let sender = SenderConfig { mss: Bytes::new(mss), ..SenderConfig::default() };
    let transport = Transport::window(sender, congestion_controls().named("new-reno").unwrap());
    let link = LinkConfig { rate: Rate::from_gbps(10), delay: Duration::from_us(1) };
    Network::of(config, &Graph::star(3, link), NetworkConfig::new(transport.unwrap()))
}

#[test]
fn they_pass_every_switch() {
    for info in Catalogue::default().switches() {
        let mut network = network(8_960, &SwitchConfig::named(info.name()).unwrap()).unwrap();
        let flow = |src| Flow::new(src, 2, Bytes::new(100_000), Time::ZERO);
        network.add_flows([flow(0), flow(1)]).unwrap();
        network.run().unwrap();
        assert!(network.records().all(|record| record.finish.is_some()), "{}", info.name());
        let mut causes = network.losses().into_iter().map(|loss| loss.cause);
        assert!(causes.all(|cause| cause != DropCause::Impossible), "{}", info.name());
    }
}

#[test]
fn packets_that_no_parameter_could_make_fit_are_refused() {
    for (mss, name, room) in [(1 << 24, "abm", 4_000_000), (60_000, "themis", 16_384)] {
        let config = SwitchConfig::named(name).unwrap();
        let (mss, headers, room) = (Bytes::new(mss), Bytes::new(52), Bytes::new(room));
        let refused = network(mss.get(), &config).map(drop);
        assert_eq!(refused, Err(NetworkError::Packet { mss, headers, room }), "{name}");
    }
}

/// Not the packets, which are of a usual size.
#[test]
fn a_buffer_that_is_too_small_for_packets_is_refused_as_such() {
    let refused = |config: &SwitchConfig| match network(8_960, config).map(drop) {
        Err(NetworkError::Switch(SwitchBuildError::Parameter(error))) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let pool = SwitchConfig::named("occamy").unwrap().with_buffer(Bytes::new(5_000));
    assert!(refused(&pool).starts_with("pool: a buffer of 5 KB"), "{}", refused(&pool));
    let mut staging = SwitchConfig::named("themis").unwrap();
    let SwitchConfig::Hybrid(hybrid) = &mut staging else { panic!("themis is hybrid") };
    hybrid.memory.staging = Bytes::new(4_000);
    assert!(
        refused(&staging).starts_with("staging: a staging buffer of 4 KB cannot hold a packet")
    );
}

/// A switch that holds large packets keeps what it was given for small ones.
#[test]
fn small_packets_change_nothing() {
    let SwitchConfig::OnChip(chip) = SwitchConfig::named("dt").unwrap().with_packets_of(600) else {
        panic!("dt is on chip")
    };
    assert_eq!(chip, OnChipConfig::named("dt").unwrap());
}
