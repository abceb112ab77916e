//! Weighted max-min shares against the exact allocation.

use forebay_sched::Packet;
use forebay_sched::scheduler::{SchedulerShape, schedulers};
use forebay_units::{Rate, Time};
use proptest::prelude::*;

/// A flow: its weight, and its demand as a share of the link (above 1: always backlogged).
#[derive(Clone, Copy, Debug)]
struct Flow {
    weight: u32,
    demand: f64,
    size: u32,
}

/// The exact weighted max-min allocation of a link of 1: who wants less than its part gets what it
/// wants, the others share the rest.
fn exact(flows: &[Flow]) -> Vec<f64> {
    let mut share = vec![None; flows.len()];
    loop {
        let given: f64 = share.iter().flatten().sum();
        let open = || flows.iter().enumerate().filter(|(n, _)| share[*n].is_none());
        let weight: f64 = open().map(|(_, flow)| f64::from(flow.weight)).sum();
        let part = |flow: &Flow| (1.0 - given) * f64::from(flow.weight) / weight;
        let modest: Vec<usize> =
            open().filter(|(_, flow)| flow.demand <= part(flow)).map(|(n, _)| n).collect();
        if modest.is_empty() {
            return flows
                .iter()
                .zip(&share)
                .map(|(flow, share)| share.unwrap_or_else(|| part(flow)))
                .collect();
        }
        for n in modest {
            share[n] = Some(flows[n].demand);
        }
    }
}

/// The shares of the bytes sent, after a start that is not counted. Backlogged flows have 8 packets
/// waiting.
fn measured(name: &str, flows: &[Flow]) -> Vec<f64> {
    let weights: Vec<_> = flows.iter().map(|flow| flow.weight.to_string()).collect();
    let total: u32 = flows.iter().map(|flow| flow.weight).sum();
    let mut choice = schedulers().named(name).unwrap().clone();
    let given = [
        ("weights", weights.join(":")),
        ("total_weight", total.to_string()),
        ("codel_target", "1000 s".to_owned()),
    ];
    crate::fair::set_known(
        &mut choice,
        &given.each_ref().map(|(name, text)| (*name, text.as_str())),
    );
    let mut scheduler = choice.build(&SchedulerShape::of_link(Rate::from_gbps(10))).unwrap();
    let mut credit: Vec<f64> = flows.iter().map(|flow| f64::from(flow.size)).collect();
    let (mut waiting, mut sent) = (vec![0u32; flows.len()], vec![0u64; flows.len()]);
    for step in 0..24_000 {
        for (n, flow) in flows.iter().enumerate() {
            while if flow.demand > 1.0 { waiting[n] < 8 } else { credit[n] >= f64::from(flow.size) }
            {
                let packet = Packet { flow: n as u32, size: flow.size, ..Packet::default() };
                if scheduler.enqueue(Time::ZERO, packet).is_err() {
                    break;
                }
                credit[n] -= f64::from(flow.size);
                waiting[n] += 1;
            }
        }
        let packet = scheduler.dequeue(Time::ZERO).unwrap();
        waiting[packet.flow as usize] -= 1;
        if step >= 4_000 {
            sent[packet.flow as usize] += u64::from(packet.size);
        }
        for (credit, flow) in credit.iter_mut().zip(flows) {
            *credit += flow.demand * f64::from(packet.size);
        }
    }
    let all: u64 = sent.iter().sum();
    sent.into_iter().map(|bytes| bytes as f64 / all as f64).collect()
}

/// Ten flows or fewer, one of them always backlogged.
fn any_flows() -> impl Strategy<Value = Vec<Flow>> {
    let demand = prop_oneof![Just(2.0), 0.01f64..0.3];
    let flow = (1u32..5, demand, 200u32..=1500).prop_map(|(weight, demand, size)| Flow {
        weight,
        demand,
        size,
    });
    let backlogged =
        (1u32..5, 200u32..=1500).prop_map(|(weight, size)| Flow { weight, demand: 2.0, size });
    (backlogged, prop::collection::vec(flow, 1..6)).prop_map(|(first, mut flows)| {
        flows.push(first);
        flows
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Exact and approximate fair queues give each flow its max-min share to 2 % of it and a few
    /// packets.
    #[test]
    fn shares_are_weighted_max_min(flows in any_flows()) {
        let exact = exact(&flows);
        for name in ["pifo-wfq", "wfq-bucket", "gearbox", "drr", "cq-10", "pcq", "afq"] {
            for (n, (share, exact)) in measured(name, &flows).into_iter().zip(&exact).enumerate() {
                let few = 8.0 * f64::from(flows[n].size) / (20_000.0 * 200.0);
                let allowed = 0.02 * exact + few;
                prop_assert!((share - exact).abs() < allowed, "{name}, flow {n}: {share} of {exact}");
            }
        }
    }
}

#[test]
fn the_paper_s_weights_are_kept_where_the_calendar_is_too_short() {
    // gearbox Table 3, set 4: 404 units for a packet of weight 1 are beyond CQ-1's 56.
    let flow = |weight| Flow { weight, demand: 2.0, size: 1500 };
    let flows = [flow(100), flow(100), flow(1), flow(1)];
    let exact = exact(&flows);
    let error = |name| {
        let shares = measured(name, &flows).into_iter().zip(&exact);
        shares.map(|(share, exact)| (share / exact - 1.0).abs()).fold(0.0, f64::max)
    };
    assert!(error("pifo-wfq") < 0.02, "{}", error("pifo-wfq"));
    assert!(error("gearbox") < 0.05, "{}", error("gearbox"));
    assert!(error("cq-1") > 0.9, "{}", error("cq-1"));
    assert!(error("drop-tail") > 0.9);
}

#[test]
fn fq_codel_and_cake_are_fair_without_weights() {
    let flow = |size| Flow { weight: 1, demand: 2.0, size };
    for name in ["fq-codel", "cake"] {
        let shares = measured(name, &[flow(200), flow(1500), flow(700)]);
        let fair = |share: &f64| (share - 1.0 / 3.0).abs() < 0.01;
        assert!(shares.iter().all(fair), "{name}: {shares:?}");
    }
}
