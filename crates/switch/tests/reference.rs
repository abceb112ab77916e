//! The same traffic through the same switch over different ranked queues: the departures must not
//! depend on the structure, only on the ranks.

#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use forebay_buffer::policies;
use forebay_mem::ControllerConfig;
use forebay_parameters::ParameterError;
use forebay_pifo::{TieredBuckets, TieredExact, TieredQueue, TieredReference};
use forebay_sched::{Packet, Quantizer, ShortestFlowFirst};
use forebay_switch::manager::{Departure, ManagerConfig, TrafficManager};
use forebay_units::{Bytes, Duration, Time};
use proptest::prelude::*;

const RANKS: u64 = 1 << 12;

fn departures<Q: TieredQueue>(
    policy: &str,
    steps: &[(u64, u32, u32)],
    queue: impl FnMut(u16) -> Result<Q, ParameterError>,
) -> Vec<(Time, Departure)> {
    let config = ManagerConfig {
        sram: Bytes::new(40_000),
        staging: Bytes::new(4_000),
        queues: 5,
        controller: ControllerConfig { queue_depth: 2, ..ControllerConfig::in_order(1) },
        quantizer: Quantizer::log_linear(6),
        ..ManagerConfig::default()
    };
    let mut tm = TrafficManager::new(
        &config,
        policies().named(policy).unwrap(),
        Box::new(ShortestFlowFirst),
        queue,
    )
    .unwrap();
    let mut left = Vec::new();
    let mut now = Time::ZERO;
    for (tag, (gap, flow, size)) in (0u32..).zip(steps) {
        now += Duration::from_ps(*gap);
        tm.advance(now);
        let flow_size = u64::from(*flow).pow(5) + 10;
        tm.enqueue(
            now,
            0,
            Packet { flow: *flow, size: *size, flow_size, tag, ..Packet::default() },
        );
        if tag % 3 == 0 {
            left.extend(tm.dequeue(now, 0).map(|departure| (now, departure)));
        }
    }
    while tm.backlog(0) > 0 {
        match tm.dequeue(now, 0) {
            Some(departure) => left.push((now, departure)),
            None => {
                now = tm.next_event().expect("packets wait, so something is under way");
                tm.advance(now);
            }
        }
    }
    left
}

proptest! {
    #[test]
    fn departures_depend_on_ranks_alone(
        policy in prop::sample::select(vec!["greedy-hybrid", "dt-hybrid", "occamy-hybrid", "themis"]),
        steps in prop::collection::vec((0u64..40_000, 0u32..20, 64u32..1500), 1..300),
    ) {
        let naive = departures(policy, &steps, |_| Ok(TieredReference::new(RANKS - 1)));
        let buckets = departures(policy, &steps, |_| Ok(TieredBuckets::new(RANKS).unwrap()));
        prop_assert_eq!(&naive, &buckets);
        let exact = departures(policy, &steps, |_| Ok(TieredExact::new()));
        prop_assert_eq!(&naive, &exact);
    }
}
