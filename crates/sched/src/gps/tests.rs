use alloc::vec;
use alloc::vec::Vec;

use forebay_units::{Rate, Time};
use proptest::prelude::*;

use super::*;
use crate::scheduler::Weights;

/// Arrivals: picoseconds since the one before, session, size.
fn arrivals() -> impl Strategy<Value = Vec<(u64, usize, u32)>> {
    prop::collection::vec((0u64..3_000_000, 0usize..4, 1u32..1501), 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The heap and the plain server tell the same virtual time, whatever happens and however often
    /// they are asked; and the plain server keeps to the definition.
    #[test]
    fn clock_and_server_agree(
        arrivals in arrivals(),
        weights in prop::collection::vec(1u32..1000, 4),
        rate in 1u64..20_000_000_000,
    ) {
        let rate = Rate::from_bps(rate);
        let mut clock = GpsClock::new(rate, Weights::new(1, weights.clone()).unwrap(), 4);
        let mut server = FluidServer::new(rate, &weights);
        let (mut now, mut done, mut offered) = (0, 0, 0);
        for &(pause, session, size) in &arrivals {
            now += pause;
            let time = Time::from_ps(now);
            clock.advance(Time::from_ps(now - pause / 2));
            done += server.arrive(time, session, size).len();
            let stamp = clock.arrive(time, session as u32, size);
            prop_assert_eq!(stamp.finish, server.last_finish(session));
            prop_assert_eq!(clock.advance(time), server.virtual_time());
            offered += u128::from(size) * PICOBITS_PER_BYTE;
        }
        let end = Time::from_ps(u64::MAX);
        done += server.advance(end).len();
        clock.advance(end);
        prop_assert!(clock.is_idle() && done == arrivals.len());
        let served: u128 = (0..4).map(|session| server.served(session)).sum();
        // A packet's virtual span is rounded up, by less than its weight in pico-bits.
        prop_assert!(served >= offered && served < offered + 1000 * arrivals.len() as u128);
    }

    /// While two sessions are backlogged their services stand in the ratio of their weights,
    /// exactly, and a server with backlog does all the work that time allows.
    #[test]
    fn service_is_by_weight(
        weights in prop::collection::vec(1u32..1000, 1..8),
        instants in prop::collection::vec(1u64..5_000_000_000, 1..10),
    ) {
        let rate = Rate::from_gbps(8);
        let mut server = FluidServer::new(rate, &weights);
        for session in 0..weights.len() {
            server.arrive(Time::ZERO, session, u32::MAX);
        }
        let mut instants = instants;
        instants.sort_unstable();
        for now in instants {
            prop_assert!(server.advance(Time::from_ps(now)).is_empty(), "all are backlogged");
            let per_weight: Vec<u128> = weights
                .iter()
                .enumerate()
                .map(|(session, &weight)| server.served(session) / u128::from(weight))
                .collect();
            prop_assert!(per_weight.iter().all(|share| *share == per_weight[0]));
            let total: u128 = (0..weights.len()).map(|session| server.served(session)).sum();
            let offered = u128::from(now) * u128::from(rate.as_bps());
            let weight: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
            prop_assert!(total <= offered && total + weight > offered);
        }
    }
}

#[test]
fn the_long_run_is_the_max_min_allocation() {
    // Packets of 100 B at constant rates, one second of a server of 80 Mb/s: 10^7 bytes.
    let (weights, demands) = ([1, 2, 5, 3], [3_000_000u64, 1_000_000, 9_000_000, 20_000_000]);
    let mut server = FluidServer::new(Rate::from_bps(80_000_000), &weights);
    let mut arrivals: Vec<(u64, usize)> = Vec::new();
    for (session, demand) in demands.iter().enumerate() {
        let period = 1_000_000_000_000 / (demand / 100);
        arrivals.extend((0..demand / 100).map(|k| (k * period, session)));
    }
    arrivals.sort_unstable();
    for (at, session) in arrivals {
        server.arrive(Time::from_ps(at), session, 100);
    }
    server.advance(Time::from_ps(1_000_000_000_000));
    let expected = max_min(10_000_000, &demands, &weights);
    assert_eq!(expected, vec![1_000_000, 1_000_000, 5_000_000, 3_000_000]);
    for (session, expected) in expected.iter().enumerate() {
        let served = server.served(session) / PICOBITS_PER_BYTE;
        let difference = served.abs_diff(u128::from(*expected));
        assert!(difference <= 400, "session {session}: {served} B of {expected} B");
    }
}

#[test]
fn extremes_do_not_panic() {
    let weights = Weights::new(u32::MAX, vec![1]).unwrap();
    let mut clock = GpsClock::new(Rate::from_bps(u64::MAX), weights, 3);
    let mut server = FluidServer::new(Rate::from_bps(0), &[0, u32::MAX]);
    for now in [0, u64::MAX, 5] {
        for session in [0, 1, 2, u32::MAX] {
            clock.arrive(Time::from_ps(now), session, u32::MAX);
            server.arrive(Time::from_ps(now), session as usize, u32::MAX);
        }
    }
    assert!(server.advance(Time::MAX).is_empty(), "a server without a rate");
}
