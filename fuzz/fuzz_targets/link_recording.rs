//! Any bytes as the frames of a recorded link: frames that a link takes, or an error that says
//! something; never a panic.
#![no_main]

use std::io::Cursor;

use forebay_dataplane::link::{EmulationConfig, Pace, Port};
use forebay_dataplane::record::{Frames, replay};
use forebay_switch::SwitchConfig;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let frames = match Frames::read(Cursor::new(file)) {
        Ok(frames) => frames,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let switch = SwitchConfig::named("drop-tail").expect("it is built in");
    let config = EmulationConfig::default();
    let pace = Pace::of(config.rate);
    let mut ports =
        [(); 2].map(|()| Port::new(&switch, &config, &pace).expect("it takes any link"));
    let [up, down] = &mut ports;
    let mut directions = [
        up.direction(&config, pace.clone(), "up").watched(),
        down.direction(&config, pace, "down").watched(),
    ];
    let mut decided = 0;
    let (given, error) = replay(&mut directions, frames, &[], None, |_, _| decided += 1, |_, _| {});
    assert!(decided <= given);
    if let Some(error) = error {
        assert!(!error.to_string().is_empty());
    }
});
