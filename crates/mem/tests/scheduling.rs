//! What the scheduling and page policies are for.

// Helpers of tests unwrap as tests do.
#![allow(clippy::unwrap_used)]

use forebay_mem::{
    BankAddress, Completion, ControllerConfig, Direction, HbmConfig, MemoryStats, PagePolicy,
    PseudoChannel, Request, Scheduling,
};
use forebay_units::{Bytes, Time};

/// Submits all at time zero and drains.
fn run(controller: ControllerConfig, requests: &[Request]) -> (Vec<Completion>, MemoryStats) {
    let mut channel = PseudoChannel::new(&HbmConfig::samsung_hbm2e(), &controller).unwrap();
    let mut done = Vec::new();
    for &request in requests {
        channel.submit(Time::ZERO, request).unwrap();
    }
    while let Some(next) = channel.next_event() {
        channel.advance(next, &mut |c| done.push(c));
    }
    (done, channel.stats())
}

fn one(id: u64, direction: Direction, row: u32) -> Request {
    Request::new(id, direction, BankAddress::default(), row, 1, Bytes::new(32))
}

fn fr_fcfs(group_limit: u32, hit_limit: u32) -> ControllerConfig {
    let scheduling = Scheduling::FrFcfs { group_limit, hit_limit };
    ControllerConfig { scheduling, ..ControllerConfig::fr_fcfs() }
}

#[test]
fn hits_overtake_but_not_for_ever() {
    // The first opens row 0; the second wants row 1; ten more want row 0.
    let rows = [0, 1].into_iter().chain([0; 10]);
    let requests: Vec<Request> =
        rows.enumerate().map(|(id, row)| one(id as u64, Direction::Read, row)).collect();
    for (hit_limit, place) in [(0, 1), (3, 4), (100, 11)] {
        let (done, stats) = run(fr_fcfs(64, hit_limit), &requests);
        assert_eq!(done.iter().position(|c| c.id == 1), Some(place), "hit limit {hit_limit}");
        let activations = if place == 11 { 2 } else { 3 };
        assert_eq!(stats.activations, activations);
        assert_eq!(stats.row_hits, 12 - activations);
    }
}

#[test]
fn directions_are_grouped() {
    let way = |id| if id % 2 == 0 { Direction::Read } else { Direction::Write };
    let requests: Vec<Request> = (0..24).map(|id| one(id, way(id), 0)).collect();
    let turnarounds = |controller| run(controller, &requests).1.turnarounds;
    assert_eq!(turnarounds(ControllerConfig::in_order(0)), 23);
    assert_eq!(turnarounds(fr_fcfs(64, 64)), 1);
    assert_eq!(turnarounds(fr_fcfs(4, 64)), 5);
}

#[test]
fn closed_pages_close_only_rows_that_nobody_wants() {
    let requests: Vec<Request> = [0, 0, 1, 0]
        .into_iter()
        .enumerate()
        .map(|(id, row)| one(id as u64, Direction::Read, row))
        .collect();
    for (scheduling, activations) in [
        (Scheduling::InOrder { lookahead: 0 }, 3),
        (Scheduling::FrFcfs { group_limit: 64, hit_limit: 16 }, 2),
    ] {
        let controller = ControllerConfig { queue_depth: 8, scheduling, page: PagePolicy::Closed };
        let (done, stats) = run(controller, &requests);
        assert_eq!((done.len(), stats.activations), (4, activations));
    }
    // With the row closed at once, a later request for another row need not wait for a precharge.
    let later = |page| {
        let controller = ControllerConfig { page, ..ControllerConfig::fr_fcfs() };
        let mut channel = PseudoChannel::new(&HbmConfig::samsung_hbm2e(), &controller).unwrap();
        channel.submit(Time::ZERO, one(0, Direction::Read, 0)).unwrap();
        let start = Time::from_ps(1_000_000);
        channel.submit(start, one(1, Direction::Read, 1)).unwrap();
        let mut at = Time::ZERO;
        channel.advance(Time::from_ps(2_000_000), &mut |c| at = c.at);
        (at - start).as_ps() / 625
    };
    assert_eq!(later(PagePolicy::Open), 22 + 22 + 24);
    assert_eq!(later(PagePolicy::Closed), 22 + 24);
}

#[test]
fn a_full_queue_refuses_and_recovers() {
    let controller = ControllerConfig { queue_depth: 2, ..ControllerConfig::in_order(0) };
    let mut channel = PseudoChannel::new(&HbmConfig::samsung_hbm2e(), &controller).unwrap();
    channel.submit(Time::ZERO, one(0, Direction::Write, 0)).unwrap();
    channel.submit(Time::ZERO, one(1, Direction::Write, 0)).unwrap();
    assert!(!channel.has_room());
    let refused = channel.submit(Time::ZERO, one(2, Direction::Write, 0)).unwrap_err();
    assert!(refused.to_string().contains("request 2: the command queue is full"), "{refused}");
    let outside = channel.submit(Time::ZERO, one(2, Direction::Write, 70_000)).unwrap_err();
    assert!(outside.to_string().contains("`row` is outside"), "{outside}");
    let next = channel.next_event().unwrap();
    channel.submit(next, one(2, Direction::Write, 0)).unwrap();
}
