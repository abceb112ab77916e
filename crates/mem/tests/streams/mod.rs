//! Random request streams, and what drives a pseudo channel through one.

#![allow(clippy::expect_used, clippy::panic)] // all of this is test code

use forebay_mem::{
    BankAddress, Completion, ControllerConfig, Direction, HbmConfig, PagePolicy, PseudoChannel,
    Refresh, Request, Scheduling, SubmitError, WriteToRead,
};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

/// A request and how long after the one before it is offered.
pub(crate) type Offer = (Duration, Request);

/// Streams of up to `length` requests: bursts and pauses, few or many banks and rows, both
/// directions.
pub(crate) fn streams(length: usize) -> impl Strategy<Value = Vec<Offer>> {
    let shapes = (
        1u8..=4,
        1u8..=4,
        1u32..=6,
        1u16..=32,
        prop_oneof![Just(0u64), Just(40_000), Just(3_000_000)],
    );
    shapes.prop_flat_map(move |(groups, banks, rows, columns, pause)| {
        let one = (0..=pause, any::<bool>(), 0..groups, 0..banks, 0..rows, 1..=columns, 0u16..32);
        prop::collection::vec(one, 1..=length).prop_map(|raw| {
            let request = |(id, (gap, write, group, bank, row, columns, start))| {
                let direction = if write { Direction::Write } else { Direction::Read };
                let mut request = Request::new(
                    id as u64,
                    direction,
                    BankAddress { group, bank },
                    row,
                    columns,
                    Bytes::new(32),
                );
                request.column = start % (33 - columns);
                (Duration::from_ps(gap), request)
            };
            raw.into_iter().enumerate().map(request).collect()
        })
    })
}

/// The default part or a variation with other distances, under every refresh.
pub(crate) fn memories() -> impl Strategy<Value = HbmConfig> {
    let refresh = prop_oneof![Just(Refresh::Off), Just(Refresh::AllBank), Just(Refresh::PerBank)];
    (refresh, 0u32..3, any::<bool>()).prop_map(|(refresh, variant, jedec)| {
        let mut hbm = HbmConfig { refresh, ..HbmConfig::samsung_hbm2e() };
        if jedec {
            hbm.timing.write_to_read = WriteToRead::FromDataEnd;
        }
        if variant == 1 {
            hbm.timing.t_rrd_l = 10;
            hbm.timing.t_faw = 60;
            hbm.timing.t_ccd_l = 7;
        }
        if variant == 2 {
            hbm.timing.t_rc = 120;
            hbm.timing.t_rrd_s = 1;
            hbm.timing.t_rrd_l = 3;
            hbm.timing.t_faw = 9;
            hbm.timing.t_ccd_s = 3;
            hbm.timing.t_refi = 3600;
        }
        hbm
    })
}

/// Every scheduling and page policy, with small and large queues.
pub(crate) fn controllers() -> impl Strategy<Value = ControllerConfig> {
    let scheduling = prop_oneof![
        (0usize..5).prop_map(|lookahead| Scheduling::InOrder { lookahead }),
        (1u32..70, 0u32..20)
            .prop_map(|(group_limit, hit_limit)| Scheduling::FrFcfs { group_limit, hit_limit }),
    ];
    let page = prop_oneof![Just(PagePolicy::Open), Just(PagePolicy::Closed)];
    (1usize..=64, scheduling, page).prop_map(|(queue_depth, scheduling, page)| ControllerConfig {
        queue_depth,
        scheduling,
        page,
    })
}

/// A stream whose last request a queue of two refuses, although something was due by then.
pub(crate) fn refused_at_the_end() -> Vec<Offer> {
    use Direction::{Read, Write};
    let raw = [
        (7042, Read, 3, 2, 5, 23),
        (5141, Write, 2, 2, 0, 21),
        (22945, Read, 3, 1, 3, 8),
        (19298, Write, 0, 0, 6, 12),
        (7592, Read, 2, 1, 0, 30),
        (10694, Read, 0, 0, 20, 3),
        (13550, Read, 3, 0, 2, 29),
    ];
    let offer = |(id, (gap, direction, bank, row, column, columns))| {
        let bank = BankAddress { group: 0, bank };
        let mut request = Request::new(id as u64, direction, bank, row, columns, Bytes::new(32));
        request.column = column;
        (Duration::from_ps(gap), request)
    };
    raw.into_iter().enumerate().map(offer).collect()
}

/// Offers every request in turn, waiting for room where the queue is full, and drains. Returns when
/// each was taken, in order, and all completions.
pub(crate) fn drive(channel: &mut PseudoChannel, offers: &[Offer]) -> (Vec<Time>, Vec<Completion>) {
    let mut now = Time::ZERO;
    let mut taken = Vec::new();
    let mut completions = Vec::new();
    for &(gap, request) in offers {
        now += gap;
        channel.advance(now, &mut |c| completions.push(c));
        loop {
            match channel.submit(now, request) {
                Ok(()) => break,
                Err(SubmitError::QueueFull { .. }) => {
                    let next = channel.next_event().expect("a full queue has a next event");
                    assert!(next > now, "the next event does not lie ahead");
                    now = next;
                    channel.advance(now, &mut |c| completions.push(c));
                }
                Err(error) => panic!("{error}"),
            }
        }
        taken.push(now);
    }
    while let Some(next) = channel.next_event() {
        channel.advance(next, &mut |c| {
            assert_eq!(c.at, next, "a completion before the next event");
            completions.push(c);
        });
    }
    (taken, completions)
}
