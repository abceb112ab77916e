//! A policy of a stranger's, by value, in an on-chip buffer; and every built-in choice's
//! parameters.
#![allow(clippy::unwrap_used)]

use forebay_buffer::Descriptor;
use forebay_buffer::onchip::{
    Admission, ChipConfig, OnChipPolicy, OnChipVerdict, PoolView, QueueConfig, SharedBuffer,
    policies,
};
use forebay_parameters::{Choice, Configure, Entry, Kind, Parameter, Source, Walk, listed, set};
use forebay_sched::{Packet, Rank};
use forebay_units::Time;

/// A queue may hold one part of so many.
struct Part {
    of: u32,
}

#[derive(Clone)]
struct PartConfig {
    of: u32,
}

const OF: Parameter =
    Parameter::new("of", Kind::at_least(1), Source::assumed("for a test"), "One part of so many.");

impl Configure for PartConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&OF, &mut self.of);
    }
}

impl OnChipPolicy for Part {
    fn admit(&mut self, pool: PoolView<'_>, arriving: &Descriptor, cells: u32) -> Admission {
        let within = pool.length(arriving.queue) + cells <= pool.capacity() / self.of;
        if within { Admission::Accept } else { Admission::Drop }
    }
}

#[test]
fn a_strangers_policy_is_at_home() {
    let mut part = Choice::<dyn OnChipPolicy>::new(
        "part",
        "a part for each",
        PartConfig { of: 2 },
        |config: &PartConfig, _| Ok(Box::new(Part { of: config.of })),
    );
    set(&mut part, &[("of", "10")]).unwrap();
    let chip = ChipConfig::default(); // 2050 cells
    let mut buffer = SharedBuffer::new(&chip, &part).unwrap();
    let packet = Packet { size: 1000, ..Packet::default() }; // 5 cells
    let mut held = 0;
    while buffer.enqueue(Time::ZERO, 0, packet, Rank::default()) == OnChipVerdict::Queued {
        held += 1;
    }
    assert_eq!(held, 41);
}

#[test]
fn every_choice_lists_parameters_that_read_back_and_can_be_set() {
    for choice in &policies() {
        let mut choice = choice.clone();
        for one in listed(&mut choice.clone()) {
            let (name, kind) = (&one.parameter.name, &one.parameter.kind);
            assert_eq!(kind.within(one.value.clone()), Ok(one.value.clone()), "{name}");
            assert_eq!(kind.read_text(&one.value.to_string()), Ok(one.value.clone()), "{name}");
            let other = match kind {
                Kind::Float { .. } => "3.5",
                Kind::Choice(words) => {
                    words.iter().find(|word| **word != one.value.to_string()).unwrap()
                }
                Kind::Bytes => "1 KiB",
                Kind::Int { .. } => "3",
                _ => "3 us",
            };
            set(&mut choice, &[(name, other)]).unwrap();
            let now = listed(&mut choice).into_iter().find(|now| now.parameter.name == *name);
            assert_ne!(now.unwrap().value, one.value, "{} of {}", name, choice.name());
        }
    }
}

#[test]
fn chips_and_queues_declare_what_they_are_made_of() {
    let mut chip = ChipConfig::default();
    let settings = [("capacity", "1 MB"), ("cell", "256 B"), ("pools", "400 KB:300 KB")];
    set(&mut chip, &settings).unwrap();
    assert_eq!((chip.memory.cell, chip.pools.len()), (256, 2));
    for one in listed(&mut chip) {
        let kind = &one.parameter.kind;
        assert_eq!(kind.read_text(&one.value.to_string()), Ok(one.value));
    }
    set(&mut chip, &[("cell", "0 B")]).unwrap();
    assert_eq!(chip.validate().unwrap_err().name(), "cell");
    let mut queue = QueueConfig::default();
    set(&mut queue, &[("alpha", "8"), ("limit", "3 KB")]).unwrap();
    assert_eq!((queue.alpha.unwrap().get(), queue.limit.unwrap().get()), (8.0, 3000));
    set(&mut queue, &[("alpha", "0"), ("limit", "0 B")]).unwrap();
    assert_eq!(queue, QueueConfig::default());
}
