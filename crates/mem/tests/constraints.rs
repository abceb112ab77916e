//! Random streams under every policy: no command breaks a constraint, every request completes once,
//! no byte is lost, and nothing is faster than the memory allows or idler than work allows.

use crate::streams::{controllers, drive, memories, streams};
use forebay_mem::check::check_commands;
use forebay_mem::{Direction, PseudoChannel, Refresh, Scheduling};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn traces_keep_every_constraint(
        hbm in memories(),
        controller in controllers(),
        offers in streams(120),
    ) {
        let mut channel = PseudoChannel::new(&hbm, &controller).unwrap();
        channel.record_commands();
        let (taken, completions) = drive(&mut channel, &offers);
        let commands = channel.take_commands();
        if let Err(violation) = check_commands(&hbm, &commands) {
            prop_assert!(false, "{violation}");
        }
        prop_assert!(commands.is_sorted_by_key(|c| c.tick));

        let mut ids: Vec<u64> = completions.iter().map(|c| c.id).collect();
        ids.sort_unstable();
        prop_assert!(ids.iter().copied().eq(0..offers.len() as u64), "each completes exactly once");
        prop_assert!(completions.is_sorted_by_key(|c| c.at));

        let t = &hbm.timing;
        for completion in &completions {
            let request = &offers[completion.id as usize].1;
            let latency = match request.direction {
                Direction::Read => t.cl,
                Direction::Write => t.cwl,
            };
            let clocks = u64::from(u32::from(request.columns - 1) * t.t_ccd_l + latency + t.burst);
            let least = taken[completion.id as usize] + t.t_ck * clocks;
            prop_assert!(completion.at >= least, "{completion:?} before {least}");
        }

        let stats = channel.stats();
        let bytes = |direction| -> Bytes {
            let of = offers.iter().filter(|(_, r)| r.direction == direction);
            of.map(|(_, r)| Bytes::new(32 * u64::from(r.columns))).sum()
        };
        prop_assert_eq!(stats.bytes_read, bytes(Direction::Read));
        prop_assert_eq!(stats.bytes_written, bytes(Direction::Write));
        prop_assert_eq!(stats.useful_read, stats.bytes_read);
        prop_assert_eq!(stats.requests, offers.len() as u64);
        let end = completions.last().unwrap().at;
        prop_assert_eq!(stats.busy + stats.idle, end - Time::ZERO);
        prop_assert_eq!(stats.busy, busy_by_hand(&taken, &completions));
    }

    #[test]
    fn the_bus_is_never_needlessly_idle(
        controller in controllers(),
        offers in streams(60),
    ) {
        // One request after the other is the slowest sane schedule; a small group limit adds
        // turnarounds.
        let hbm = forebay_mem::HbmConfig { refresh: Refresh::Off, ..Default::default() };
        let mut channel = PseudoChannel::new(&hbm, &controller).unwrap();
        let (taken, completions) = drive(&mut channel, &offers);
        let t = &hbm.timing;
        let turnarounds = match controller.scheduling {
            Scheduling::FrFcfs { group_limit, .. } => t.t_rtw / group_limit,
            Scheduling::InOrder { .. } => 0,
        };
        let mut bound = Time::ZERO;
        for (at, (_, request)) in taken.iter().zip(&offers) {
            let row = t.t_rc + t.cwl + t.burst + t.t_wr + t.t_rp + t.t_rcd_rd + t.t_faw + t.t_rtw;
            let clocks = row + u32::from(request.columns) * (t.t_ccd_l + turnarounds) + t.cl + t.burst;
            bound = bound.max(*at) + t.t_ck * u64::from(clocks);
        }
        prop_assert!(completions.last().unwrap().at <= bound);
    }

    #[test]
    fn driving_more_often_changes_nothing(
        hbm in memories(),
        controller in controllers(),
        offers in streams(60),
        step in 1u64..200_000,
    ) {
        let mut often = PseudoChannel::new(&hbm, &controller).unwrap();
        let mut rarely = often.clone();
        let (mut now, mut a, mut b) = (Time::ZERO, Vec::new(), Vec::new());
        for &(gap, request) in &offers {
            let target = now + gap;
            while now < target {
                now = (now + Duration::from_ps(step)).min(target);
                often.advance(now, &mut |c| a.push(c));
            }
            prop_assert_eq!(often.submit(now, request), rarely.submit(now, request));
            often.advance(now, &mut |c| a.push(c));
        }
        let end = now + Duration::from_ms(1);
        while let Some(next) = often.next_event() {
            often.advance(next, &mut |c| a.push(c));
        }
        often.advance(end, &mut |c| a.push(c));
        rarely.advance(end, &mut |c| b.push(c));
        prop_assert_eq!(a, b);
        prop_assert_eq!(often.stats(), rarely.stats());
    }
}

/// The union of the intervals from a request's arrival to its completion.
fn busy_by_hand(taken: &[Time], completions: &[forebay_mem::Completion]) -> Duration {
    let mut intervals: Vec<(Time, Time)> =
        completions.iter().map(|c| (taken[c.id as usize], c.at)).collect();
    intervals.sort();
    let (mut covered, mut busy) = (Time::ZERO, Duration::ZERO);
    for (from, to) in intervals {
        busy += to.since(from.max(covered));
        covered = covered.max(to);
    }
    busy
}

#[test]
fn the_checker_finds_what_is_wrong() {
    use forebay_mem::{Command, CommandKind, HbmConfig};
    let mut hbm = HbmConfig::samsung_hbm2e();
    hbm.timing.t_faw = 29;
    let activate = |tick, bank| Command { tick, bank, kind: CommandKind::Activate { row: 1 } };
    let read = |tick, bank| Command {
        tick,
        bank,
        kind: CommandKind::Column {
            direction: Direction::Read,
            row: 1,
            column: 0,
            auto_precharge: false,
        },
    };
    let good = [activate(0, 0), activate(7, 4), read(22, 0), read(29, 4), read(33, 4)];
    assert_eq!(check_commands(&hbm, &good), Ok(()));
    for (bad, expected) in [
        (vec![activate(0, 0), activate(6, 4)], "tRRD_S"),
        (vec![activate(0, 0), read(21, 0)], "tRCDRD"),
        (vec![activate(0, 0), read(22, 0), read(25, 0)], "tCCD_L"),
        (vec![activate(0, 0), activate(7, 4), read(29, 0), read(30, 4)], "tCCD_S"),
        ((0..5).map(|n| activate(n * 7, n as usize)).collect(), "tFAW"),
        (vec![read(5, 3)], "not open"),
    ] {
        let found = check_commands(&hbm, &bad).unwrap_err().to_string();
        assert!(found.contains(expected), "{found} should name {expected}");
    }
}
