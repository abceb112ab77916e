//! How long the transports take per segment, sent and acknowledged, over many flows at once.
//!
//! Compares the controller held in place (an enum) with a boxed one, for each registered algorithm.
//! The flows take turns, so that 20,000 of them (6 MB) do not stay in the inner caches, as in a
//! large simulation.
//!
//! ```sh
//! cargo run --release -p forebay-net --example transport_speed
//! ```
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use forebay_net::transport::{
    CongestionControl, Controller, Receiver, ReceiverConfig, Sender, SenderConfig,
    congestion_controls,
};
use forebay_parameters::Entry;
use forebay_units::{Bytes, Duration, Time};

const SEGMENTS: u64 = 4_000_000;
const PASSES: usize = 5;

/// Nanoseconds per segment with `flows` flows whose windows stay at ten segments.
fn measure<C: CongestionControl>(
    flows: usize,
    control: impl Fn() -> C,
) -> Result<f64, Box<dyn Error>> {
    let mss = SenderConfig::default().mss;
    let sender = Arc::new(SenderConfig {
        initial_ssthresh: mss * 10,
        receive_window: mss * 10,
        ..SenderConfig::default()
    });
    let receiver = Arc::new(ReceiverConfig::default());
    let mut pairs = Vec::with_capacity(flows);
    for _ in 0..flows {
        let sender = Sender::new(Arc::clone(&sender), None, control())?;
        pairs.push((sender, Receiver::new(Arc::clone(&receiver))?));
    }
    let (mut now, mut sent, mut delivered) = (Time::ZERO, 0u64, Bytes::ZERO);
    let start = Instant::now();
    while sent < SEGMENTS {
        for (sender, receiver) in &mut pairs {
            now += Duration::from_ns(100);
            while let Some(segment) = sender.poll(now) {
                sent += 1;
                if let Some(ack) = receiver.on_segment(now, &segment) {
                    sender.on_ack(now, &ack);
                }
                if sent.is_multiple_of(10) {
                    break; // the next flow's turn
                }
            }
        }
    }
    let elapsed = start.elapsed();
    for (_, receiver) in &pairs {
        delivered += receiver.delivered();
    }
    assert_eq!(delivered, mss * sent, "nothing is lost here");
    Ok(elapsed.as_secs_f64() * 1e9 / sent as f64)
}

/// The algorithm alone, behind a pointer of its own.
fn boxed(control: &Controller) -> Box<dyn CongestionControl> {
    match control {
        Controller::NewReno(control) => Box::new(*control),
        Controller::Cubic(control) => Box::new(control.clone()),
        Controller::Dctcp(control) => Box::new(*control),
        Controller::Rate(control) => Box::new(control.clone()),
        #[cfg(feature = "fabrics")]
        Controller::Pull(control) => Box::new(*control),
        Controller::Own(control) => Box::new(control.clone()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("ns per segment sent and acknowledged, best of {PASSES}");
    println!("{:<10} {:>8} {:>10} {:>10}", "control", "flows", "in place", "boxed");
    for choice in congestion_controls() {
        let (name, control) = (choice.name(), choice.build(&())?);
        if matches!(control, Controller::Rate(_)) || choice.name() == "ndp" {
            continue; // other senders ask it for a rate, or nothing: it has no window
        }
        for flows in [100, 20_000] {
            let (mut least_in_place, mut least_boxed) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..PASSES {
                least_in_place = measure(flows, || control.clone())?.min(least_in_place);
                least_boxed = measure(flows, || boxed(&control))?.min(least_boxed);
            }
            println!("{name:<10} {flows:>8} {least_in_place:>10.1} {least_boxed:>10.1}");
        }
    }
    Ok(())
}
