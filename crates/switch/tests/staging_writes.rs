//! When the staging buffer of a scheme that stores batches is written, and whether it takes packets
//! meanwhile.
#![allow(clippy::unwrap_used)]

use forebay_buffer::{
    BufferView, Descriptor, DropCause, HybridPolicy, Move, MoveRoom, Placement, Pressure,
};
use forebay_parameters::Choice;
use forebay_pifo::TieredExact;
use forebay_sched::{Fifo, Packet};
use forebay_switch::manager::{ManagerConfig, StagingWrites, TrafficManager, Verdict};
use forebay_units::{Bytes, Time};

/// Every packet goes to HBM, in batches.
struct AllToHbm;

impl HybridPolicy for AllToHbm {
    fn place(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Placement {
        Placement::Hbm
    }

    fn sram_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropArriving
    }

    fn staging_full(&mut self, _buffer: &dyn BufferView, _arriving: &Descriptor) -> Pressure {
        Pressure::DropArriving
    }

    fn next_move(&mut self, _buffer: &dyn BufferView, _room: MoveRoom) -> Option<Move> {
        None
    }

    fn batches(&self) -> bool {
        true
    }
}

const REFUSED: Verdict = Verdict::Dropped(DropCause::StagingFull);

/// A manager whose staging buffer holds `staging`, and a packet of 1500 B as it is taken or refused
/// there.
fn manager(staging: u64, staging_writes: StagingWrites) -> TrafficManager<TieredExact> {
    let staging = Bytes::new(staging);
    let config = ManagerConfig { staging, staging_writes, ..ManagerConfig::default() };
    let all = Choice::new("all", "to HBM", (), |(): &(), _| Ok(Box::new(AllToHbm) as _));
    TrafficManager::new(&config, &all, Box::new(Fifo), |_| Ok(TieredExact::new())).unwrap()
}

fn arrive(manager: &mut TrafficManager<TieredExact>, at: Time) -> Verdict {
    manager.enqueue(at, 0, Packet { size: 1500, ..Packet::default() })
}

#[test]
fn a_closed_buffer_takes_nothing_while_it_is_written() {
    for (writes, second) in
        [(StagingWrites::Merged, Verdict::Hbm), (StagingWrites::Closed, REFUSED)]
    {
        let mut manager = manager(64 << 10, writes);
        assert_eq!(arrive(&mut manager, Time::ZERO), Verdict::Hbm);
        assert_eq!(arrive(&mut manager, Time::ZERO), second);
        let written = manager.next_event().unwrap();
        manager.advance(written);
        assert_eq!(arrive(&mut manager, written), Verdict::Hbm);
    }
}

#[test]
fn a_whole_batch_is_collected_before_it_is_written() {
    let mut manager = manager(16 << 10, StagingWrites::Whole);
    for _ in 0..9 {
        assert_eq!(arrive(&mut manager, Time::ZERO), Verdict::Hbm);
        assert_eq!(manager.next_event(), None, "there is room for another");
    }
    assert_eq!(arrive(&mut manager, Time::ZERO), Verdict::Hbm);
    let written = manager.next_event().unwrap();
    assert_eq!(arrive(&mut manager, Time::ZERO), REFUSED);
    manager.advance(written);
    assert_eq!(arrive(&mut manager, written), Verdict::Hbm);
}

#[test]
fn a_port_that_waits_for_a_staged_packet_has_the_batch_written() {
    let mut manager = manager(16 << 10, StagingWrites::Whole);
    arrive(&mut manager, Time::ZERO);
    assert!(manager.dequeue(Time::ZERO, 0).is_none());
    assert_eq!(arrive(&mut manager, Time::ZERO), REFUSED, "it is being written");
    let mut left = None;
    while let (None, Some(at)) = (left, manager.next_event()) {
        manager.advance(at);
        left = manager.dequeue(at, 0);
    }
    assert!(left.is_some_and(|departure| !departure.from_sram));
    assert_eq!(arrive(&mut manager, Time::from_ps(1_000_000_000)), Verdict::Hbm);
    assert_eq!(manager.next_event(), None, "the next one waits for a whole batch again");
}
