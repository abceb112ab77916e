use super::*;
use crate::flow::Flow;
use crate::workload::Gate;
use alloc::string::ToString;
use forebay_units::{Bytes, Time};

fn flow(src: u32, dst: u32) -> Flow {
    Flow::new(src, dst, Bytes::new(1), Time::ZERO)
}

/// Flow 0 from host 0 to 1, counted by gate 0, which begins flow 1 back.
fn answer() -> Workload {
    let mut workload = Workload::from(alloc::vec![flow(0, 1), flow(1, 0)]);
    let gate = workload.add_gate(Gate::at(1));
    workload.count(0, gate);
    workload.begin_at(1, gate);
    workload
}

#[test]
fn what_cannot_run_is_named() {
    let message = |change: fn(&mut Workload)| {
        let mut workload = answer();
        assert_eq!(workload.check(2), Ok(()));
        change(&mut workload);
        workload.check(2).unwrap_err().to_string()
    };
    let text = message(|w| w.flows[1].dst = 1);
    assert_eq!(text, "flow 1: the flow leads from host 1 to itself: name two hosts");
    let text = message(|w| w.flows[1].dst = 2);
    assert!(text.starts_with("flow 1: host 2 is not in the topology"), "{text}");
    let text = message(|w| w.count(7, 0));
    assert!(text.starts_with("gate 0 does not exist, or names a flow"), "{text}");
    let text = message(|w| w.begin_at(1, 9));
    assert!(text.starts_with("gate 9 does not exist"), "{text}");
    let text = message(|w| w.gates[0].then = Some(5));
    assert!(text.starts_with("gate 0 does not exist, or"), "{text}");
    let text = message(|w| w.count(1, 0));
    assert!(text.starts_with("gate 0 counts flow 1, which its host does not"), "{text}");
    let text = message(|w| w.begin_at(0, 0));
    assert!(text.starts_with("gate 0 begins flow 0, which its host does not"), "{text}");
    let text = message(|w| w.count(0, 0));
    assert!(text.starts_with("flow 0 is counted or begun twice"), "{text}");
    let text = message(|w| w.gates[0].then = Some(w.gates.len() as u32 - 1));
    assert!(text.starts_with("gate 0 waits for nothing or for itself"), "{text}");
    let text = message(|w| {
        w.add_gate(Gate::at(0));
    });
    assert!(text.starts_with("gate 1 waits for nothing"), "{text}");
    let text = message(|w| {
        w.gates[0].then = Some(1);
        w.add_gate(Gate::at(0));
    });
    assert!(text.starts_with("gate 0 is followed by a gate of another host"), "{text}");
}

#[test]
fn circles_are_found() {
    let mut workload = answer();
    let back = workload.add_gate(Gate::at(0));
    workload.count(1, back);
    assert_eq!(workload.check(2), Ok(()));
    workload.begin_at(0, back);
    assert_eq!(workload.check(2), Err(WorkloadProblem::NeverOpens { gate: 0 }));
}

#[test]
fn what_is_appended_keeps_its_gates() {
    let mut all = answer();
    assert_eq!(all.append(answer()), 2..4);
    assert_eq!(all.check(2), Ok(()));
    assert_eq!((all.counted(), all.begun()), (&[(0, 0), (2, 1)][..], &[(1, 0), (3, 1)][..]));
    assert_eq!(all.awaited(), [1, 1]);
    assert_eq!((all.begins().of(0), all.begins().of(1)), (&[1][..], &[3][..]));
}
