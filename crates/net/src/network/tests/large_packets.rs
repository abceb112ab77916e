//! Packets larger than 1500 bytes: every switch makes room for them, or says what cannot hold them.

use super::*;
use crate::network::NetworkError;
use forebay_parameters::Entry;
use forebay_switch::{AnySwitch, Catalogue, DropCause, OnChipConfig, SwitchConfig};

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
        network.add_flows(&[flow(0), flow(1)]).unwrap();
        network.run().unwrap();
        assert!(network.records().all(|record| record.finish.is_some()), "{}", info.name());
        let mut causes = network.losses().into_iter().map(|loss| loss.cause);
        assert!(causes.all(|cause| cause != DropCause::Impossible), "{}", info.name());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |mss, buffer: Option<u64>, name| {
        let config = SwitchConfig::named(name).unwrap();
        let config = match buffer {
            Some(bytes) => config.with_buffer(Bytes::new(bytes)),
            None => config,
        };
        network(mss, &config).map(drop).unwrap_err().to_string()
    };
    for (mss, buffer, name, place) in [
        (8_960, Some(5_000), "occamy", "the shared buffer"),
        (1_448, Some(1_000), "dt", "the shared buffer"),
        (1 << 24, None, "abm", "the shared buffer"),
        (60_000, None, "themis", "a row of the HBM over all channels"),
    ] {
        let text = refused(mss, buffer, name);
        let words = alloc::format!(
            "an mss of {} with 52 bytes of headers makes packets that {place} cannot hold",
            Bytes::new(mss)
        );
        assert!(text.starts_with(&words), "{name}: {text}");
    }
}

/// A switch that holds large packets keeps what it was given for small ones.
#[test]
fn small_packets_change_nothing() {
    let SwitchConfig::OnChip(chip) = SwitchConfig::named("dt").unwrap().with_packets_of(600) else {
        panic!("dt is on chip")
    };
    assert_eq!(chip, OnChipConfig::named("dt").unwrap());
}
