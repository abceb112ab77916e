//! Any text as a lab's file, and any bytes as frames that its hosts send: a fabric that loses no
//! frame without a word, or an error that says something; never a panic.
//!
//! The input is the file, and after a byte 0 the frames: for each a byte that is the edge, one that
//! is a time, two that are its length, and its bytes.
#![no_main]

use std::path::PathBuf;

use forebay_cli::{BuiltLab, build_lab};
use forebay_dataplane::fabric::{Fabric, Incoming};
use forebay_dataplane::link::Frame;
use forebay_switch::Catalogue;
use forebay_units::{Duration, Time};
use libfuzzer_sys::fuzz_target;

/// More devices take long to build, and show nothing else.
const DEVICES: usize = 64;
/// More frames would take long: in a loop without spare time to live each is copied on.
const FRAMES: usize = 40;

/// The frames that some bytes describe.
fn frames(mut bytes: &[u8]) -> Vec<Incoming> {
    let mut frames = Vec::new();
    let mut at = Time::ZERO;
    while let [edge, wait, high, low, rest @ ..] = bytes
        && frames.len() < FRAMES
    {
        let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        let (frame, after) = rest.split_at(length);
        at += Duration::from_us(u64::from(*wait));
        let edge = u32::from(*edge % 16);
        frames.push(Incoming { at, edge, frame: Frame::new(frame.to_vec()) });
        bytes = after;
    }
    frames
}

/// Whatever arrived at a device, or was copied there, was sent, lost or is held.
fn audit(fabric: &Fabric<'_>) {
    let (mut come, mut gone) = (0, 0);
    for (_, counts) in fabric.counts() {
        let lost: u64 = counts.all.causes().map(|(_, tally)| tally.packets).sum();
        come += counts.all.arrived.packets + counts.copies.packets;
        gone += counts.all.left.packets + lost;
    }
    assert!(gone <= come, "{gone} of {come}");
    assert!(fabric.held() as u64 >= come - gone, "{} of {come}, {gone}", fabric.held());
}

fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|byte| *byte == 0).unwrap_or(input.len());
    let (file, sent) = input.split_at(end);
    let Ok(file) = std::str::from_utf8(file) else { return };
    // What it names is not there.
    let nowhere = |_: &_| PathBuf::from("/nowhere/file");
    let mut lab = match build_lab(file, nowhere, &Catalogue::default()) {
        Ok(lab) => lab,
        Err(error) => return assert!(error.starts_with("error: "), "{error}"),
    };
    if lab.hosts.len() > DEVICES {
        return;
    }
    let BuiltLab { devices, entrances, .. } = &mut lab;
    let mut fabric = devices.fabric(std::mem::take(entrances)).watched();
    let mut last = Time::ZERO;
    for arrival in frames(sent.get(1..).unwrap_or_default()) {
        let at = arrival.at;
        fabric.arrive(arrival);
        fabric.advance(at);
        audit(&fabric);
    }
    // Slow links take their time; a fabric at rest has nothing left to happen.
    let mut steps = 0;
    while let Some(next) = fabric.next_event()
        && steps < 100_000
    {
        fabric.advance(next);
        steps += 1;
    }
    audit(&fabric);
    while let Some(exit) = fabric.exit() {
        assert!(exit.at >= last);
        last = exit.at;
    }
    if fabric.next_event().is_none() {
        assert_eq!(fabric.held(), 0);
    }
});
