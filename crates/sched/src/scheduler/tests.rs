use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use forebay_parameters::{Choice, Entry, Kind, listed, set};
use forebay_units::{Bytes, Rate, Time};

use super::*;
use crate::functions::{RankBy, RankFunction};
use crate::{Packet, Rank};

fn shape() -> SchedulerShape {
    SchedulerShape::of_link(Rate::from_gbps(10))
}

#[test]
fn every_choice_builds_and_its_parameters_read_back_and_can_be_set() {
    for choice in &schedulers() {
        assert!(choice.build(&shape()).is_ok(), "{}", choice.name());
        for one in listed(&mut choice.clone()) {
            let (name, kind) = (one.parameter.name, &one.parameter.kind);
            assert_eq!(kind.within(one.value.clone()), Ok(one.value.clone()), "{name}");
            assert_eq!(kind.read_text(&one.value.to_string()), Ok(one.value.clone()), "{name}");
            let other = match (name.as_ref(), kind) {
                ("levels", _) => "16@1:16@16",
                ("job_costs", _) => "7:20+1",
                ("quantizer", _) => "log-linear 8",
                ("budgets", _) => "10 us:2 ms",
                ("sketch_rows", _) => "7",
                (_, Kind::List(_)) => "3:4x9",
                (_, Kind::Bool) => "false",
                (_, Kind::Choice(words)) => words[1],
                (_, Kind::Bytes) => "4 KiB",
                (_, Kind::Duration) => "3 us",
                (_, Kind::Rate) => "3 Mb/s",
                _ => "77",
            };
            let mut changed = choice.clone();
            set(&mut changed, &[(name.as_ref(), other)]).unwrap();
            let now = listed(&mut changed).into_iter().find(|now| now.parameter.name == name);
            assert_ne!(now.unwrap().value, one.value, "{} of {}", name, choice.name());
        }
    }
}

/// A built-in scheduler with these parameters.
fn with(scheduler: &str, given: &[(&str, &str)]) -> Choice<dyn PacketScheduler> {
    let mut choice = schedulers().named(scheduler).unwrap().clone();
    set(&mut choice, given).unwrap();
    choice
}

#[test]
fn names_are_unique() {
    let all = schedulers();
    for name in all.names() {
        assert_eq!(all.names().filter(|other| *other == name).count(), 1, "{name}");
    }
}

#[test]
fn what_a_scheduler_does_not_read_is_refused() {
    let mut fifo = with("fifo", &[]);
    assert_eq!(set(&mut fifo, &[("weights", "1:2")]).unwrap_err().name(), "weights");
    let mut pifo = with("sff", &[]);
    assert!(set(&mut pifo, &[("bucket_ranks", "1024")]).is_err());
    set(&mut pifo, &[("bucket_ranks", "1024"), ("quantizer", "linear 100")]).unwrap();
    for wrong in ["linear", "linear 0", "exact 3", "identity x", "log-linear 32", "linear 3 4"] {
        assert!(set(&mut pifo, &[("quantizer", wrong)]).is_err(), "{wrong}");
    }
}

#[test]
fn what_cannot_be_built_is_refused_by_name() {
    for (scheduler, name, value) in [
        ("gearbox", "levels", "8@1:8@3"),
        ("drr", "quantum", "0 B"),
        ("fq-codel", "quantum", "0 B"),
        ("edf", "budgets", ""),
        ("gearbox-auto", "fifos", "2"),
        ("cq-1", "unit_bytes", "0 B"),
        ("pifo-wfq", "unit_bytes", "0 B"),
        ("sff", "bytes", "0 B"),
    ] {
        let error = with(scheduler, &[(name, value)]).build(&shape()).err().unwrap();
        assert_eq!(error.name(), name, "{error}");
    }
    // What could not be built is out of its range already.
    for (scheduler, name, value) in [
        ("afq", "sketch_rows", "17"),
        ("afq", "sketch_columns", "1048577"),
        ("afq", "calendar_granularity", "4294967297"),
        ("pcq", "calendar_queues", "1"),
    ] {
        let error = set(&mut with(scheduler, &[]), &[(name, value)]).unwrap_err();
        assert_eq!(error.name(), name);
        assert!(error.to_string().contains("between"), "{error}");
    }
    // It delays packets: one that may leave would wait behind one of its bucket that may not.
    let mut delaying = with("token-bucket", &[]);
    let error = set(&mut delaying, &[("quantizer", "identity")]).unwrap_err();
    assert_eq!(error.name(), "quantizer");
    let still = SchedulerShape::of_link(Rate::from_bps(0));
    for name in ["wfq", "cake"] {
        assert_eq!(with(name, &[]).build(&still).err().unwrap().name(), "rate");
    }
}

/// One flow that fills the buffer does not keep the others out where the largest rank is dropped.
#[test]
fn drop_largest_lets_others_into_a_full_buffer() {
    let sent = |name| {
        let mut wfq = with(name, &[("bytes", "15 KB")]).build(&shape()).unwrap();
        for flow in [0u32; 20].into_iter().chain(1..=3) {
            let _ = wfq.enqueue(Time::ZERO, Packet { flow, size: 1500, ..Packet::default() });
        }
        assert!(wfq.bytes() <= Bytes::new(15_000), "{name}");
        let left = core::iter::from_fn(|| wfq.dequeue(Time::ZERO)).map(|packet| packet.flow);
        left.take(4).collect::<Vec<_>>()
    };
    assert_eq!(sent("pifo-wfq-drop-largest"), [0, 1, 2, 3]);
    assert_eq!(sent("pifo-wfq"), [0; 4]);
}

#[test]
fn a_strangers_rank_is_a_scheduler_exactly_and_by_buckets() {
    let largest = Choice::<dyn RankFunction>::new("largest", "largest first", (), |(), _| {
        Ok(Box::new(RankBy(|_, packet: &Packet| Rank::new(u64::from(9000 - packet.size)))))
    });
    for quantizer in ["exact", "linear 10"] {
        let mut own = by_rank(largest.clone());
        set(&mut own, &[("packets", "2"), ("quantizer", quantizer)]).unwrap();
        assert_eq!(own.name(), "largest".to_owned());
        let mut own = own.build(&shape()).unwrap();
        for size in [64, 1500, 700] {
            let _ = own.enqueue(Time::ZERO, Packet { size, ..Packet::default() });
        }
        let left = core::iter::from_fn(|| own.dequeue(Time::ZERO)).map(|packet| packet.size);
        assert_eq!(left.collect::<Vec<_>>(), [1500, 64]);
    }
}
