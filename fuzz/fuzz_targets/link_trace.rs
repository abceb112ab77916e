//! Any bytes as a rate trace of mahimahi or rattan: a pace at which frames leave in their order, or
//! an error that says something; never a panic.
#![no_main]

use forebay_dataplane::link::{EmulationConfig, Frame, Port};
use forebay_dataplane::trace;
use forebay_switch::SwitchConfig;
use forebay_units::{Duration, Time};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(text) = std::str::from_utf8(file) else { return };
    let pace = match trace::read(text) {
        Ok(pace) => pace,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let switch = SwitchConfig::named("drop-tail").expect("it is built in");
    let config = EmulationConfig::default();
    let mut port = Port::new(&switch, &config, &pace).expect("it takes any link");
    let mut direction = port.direction(&config, pace, "up");
    for number in 0..20u64 {
        let at = Time::ZERO + Duration::from_ms(number * 7);
        direction.arrive(at, Frame::new(vec![number as u8; 60 + number as usize * 70]));
    }
    let mut last = Time::ZERO;
    while let Some(next) = direction.next_event() {
        direction.advance(next);
        while let Some(departure) = direction.depart(next) {
            assert!(departure.at >= last);
            last = departure.at;
        }
    }
    assert_eq!(direction.held(), 0);
});
