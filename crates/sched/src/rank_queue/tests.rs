use alloc::vec;
use alloc::vec::Vec;

use forebay_pifo::{CircularWindow, ExactQueue, ReferenceQueue, SampleQueue, WindowPolicy};
use forebay_units::Rate;
use proptest::prelude::*;

use super::*;
use crate::configured_rank_function;
use crate::functions::RankConfig;
use crate::functions::WfqRank;
use crate::gps::{FluidServer, PICOBITS_PER_BYTE};
use crate::scheduler::Weights;
use crate::{rank_function, rank_functions};

/// One byte per nanosecond, so that every packet's time is exact.
const RATE: Rate = Rate::from_gbps(8);

fn packet(flow: u32, size: u32, tag: u32) -> Packet {
    Packet { flow, size, tag, flow_size: u64::from(flow) * 1000, ..Packet::default() }
}

/// A port at `RATE` over `scheduler`: each packet with the instant at which its last byte has left.
fn serve(
    scheduler: &mut impl PacketScheduler,
    arrivals: &[(u64, usize, u32)],
) -> Vec<(Packet, Time)> {
    let (mut sent, mut free_at, mut arrived) = (Vec::new(), Time::ZERO, 0);
    let mut pending = arrivals
        .iter()
        .zip(0..)
        .map(|(&(pause, flow, size), tag)| {
            arrived += pause;
            (Time::from_ps(arrived), packet(flow as u32, size, tag))
        })
        .peekable();
    loop {
        if scheduler.is_empty() {
            let Some((at, _)) = pending.peek() else { return sent };
            free_at = free_at.max(*at);
        }
        while let Some((at, packet)) = pending.next_if(|(at, _)| *at <= free_at) {
            scheduler.enqueue(at, packet).unwrap();
        }
        let packet = scheduler.dequeue(free_at).unwrap();
        free_at += RATE.time_for(Bytes::new(u64::from(packet.size)));
        sent.push((packet, free_at));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Parekh and Gallager: a packet leaves no later than its finish in the fluid server + Lmax /
    /// rate. A rank is a finish time rounded to a step, which may swap packets that finish within
    /// one: each session's worth of a step is allowed for that.
    #[test]
    fn wfq_keeps_the_bound_of_pgps(
        arrivals in prop::collection::vec((0u64..2_000_000, 0usize..4, 64u32..1501), 1..150),
        weights in prop::collection::vec(1u32..100, 4),
    ) {
        let config = RankConfig {
            rate: RATE,
            weights: Weights::new(1, weights.clone()).unwrap(),
            ..RankConfig::default()
        };
        let function = Box::new(WfqRank::new(&config));
        let mut wfq = RankQueue::new(function, ExactQueue::new(1000));
        let sent = serve(&mut wfq, &arrivals);
        prop_assert_eq!(sent.len(), arrivals.len());

        let mut fluid = FluidServer::new(RATE, &weights);
        let (mut now, mut done) = (0, Vec::new());
        for &(pause, session, size) in &arrivals {
            now += pause;
            done.extend(fluid.arrive(Time::from_ps(now), session, size));
        }
        done.extend(fluid.advance(Time::MAX));
        let weight: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let slack = 1500 * PICOBITS_PER_BYTE + weight * (PICOBITS_PER_BYTE >> 12);
        for (session, tags) in per_flow(&sent).into_iter().enumerate() {
            prop_assert!(tags.is_sorted(), "a flow's packets changed their order");
            for (tag, number) in tags.into_iter().zip(0u64..) {
                let left = sent.iter().find(|(packet, _)| packet.tag == tag).unwrap().1;
                let fluid_finish = done
                    .iter()
                    .find(|done| (done.session, done.packet) == (session, number))
                    .unwrap()
                    .at_work;
                let left_work = u128::from(left.as_ps()) * u128::from(RATE.as_bps());
                prop_assert!(left_work <= fluid_finish + slack);
            }
        }
    }

    /// Any exact queue gives the same order, and every packet is accounted for at every step.
    #[test]
    fn every_queue_gives_the_same_order(
        ops in prop::collection::vec((0u32..3, 0u32..5, 1u32..1501), 1..200),
        function in 0..rank_functions().iter().len(),
    ) {
        let functions = rank_functions();
        let name = functions.names().nth(function).unwrap();
        let build = || rank_function(name).unwrap();
        let mut schedulers: Vec<Box<dyn PacketScheduler>> = vec![
            Box::new(RankQueue::new(build(), ExactQueue::new(20))),
            Box::new(RankQueue::new(build(), ReferenceQueue::new(20))),
            Box::new(RankQueue::new(build(), SampleQueue::<u64, Ranked>::new(20))),
        ];
        let (mut inside, mut bytes) = (0, 0);
        for (step, &(op, flow, size)) in (0u32..).zip(&ops) {
            let now = Time::from_ps(u64::from(step) * 10_000_000_000);
            if op > 0 {
                let results: Vec<_> = schedulers
                    .iter_mut()
                    .map(|scheduler| scheduler.enqueue(now, packet(flow, size, step)))
                    .collect();
                prop_assert!(results.iter().all(|result| *result == results[0]));
                prop_assert_eq!(results[0].is_ok(), inside < 20);
                if results[0].is_ok() {
                    (inside, bytes) = (inside + 1, bytes + u64::from(size));
                }
            } else {
                let sent: Vec<_> = schedulers.iter_mut().map(|s| s.dequeue(now)).collect();
                prop_assert!(sent.iter().all(|packet| *packet == sent[0]), "{}", name);
                prop_assert_eq!(sent[0].is_some(), inside > 0);
                if let Some(packet) = sent[0] {
                    (inside, bytes) = (inside - 1, bytes - u64::from(packet.size));
                }
            }
            for scheduler in &schedulers {
                prop_assert_eq!((scheduler.len(), scheduler.bytes().get()), (inside, bytes));
            }
        }
    }

    /// Drop-largest: the ranks that are kept are the smallest ones, and nothing is lost.
    #[test]
    fn drop_largest_keeps_the_smallest(sizes in prop::collection::vec(0u32..30, 1..100)) {
        let (function, queue) = (rank_function("sff").unwrap(), ExactQueue::new(8));
        let mut queue = RankQueue::with_overflow(function, queue, Quantizer::Identity, DropLargest);
        let mut model: Vec<(u32, u32)> = Vec::new();
        for (&flow, tag) in sizes.iter().zip(0..) {
            prop_assert!(queue.enqueue(Time::ZERO, packet(flow, 100, tag)).is_ok());
            model.push((flow, tag));
            model.sort_unstable();
            let victim = if model.len() > 8 { model.pop() } else { None };
            let dropped = queue.take_dropped().map(|(packet, _)| (packet.flow, packet.tag));
            prop_assert_eq!(dropped, victim);
        }
        let kept: Vec<_> = core::iter::from_fn(|| queue.dequeue(Time::ZERO))
            .map(|packet| (packet.flow, packet.tag))
            .collect();
        prop_assert_eq!(kept, model);
        prop_assert_eq!(queue.bytes(), Bytes::ZERO);
    }
}

/// The tags of each flow's packets in order of departure.
fn per_flow(sent: &[(Packet, Time)]) -> Vec<Vec<u32>> {
    let mut flows = vec![Vec::new(); 4];
    for (packet, _) in sent {
        flows[packet.flow as usize].push(packet.tag);
    }
    flows
}

/// The rank function called `name` over an exact queue.
fn exact(name: &str, config: &RankConfig, capacity: usize) -> impl PacketScheduler {
    RankQueue::new(configured_rank_function(name, config).unwrap(), ExactQueue::new(capacity))
}

#[test]
fn weighted_shares_are_the_allocation() {
    for name in ["wfq", "scfq", "stfq"] {
        let weights = [1, 2, 5];
        let config = RankConfig {
            rate: RATE,
            weights: Weights::new(1, weights.to_vec()).unwrap(),
            ..RankConfig::default()
        };
        let mut queue = exact(name, &config, 100);
        for flow in 0..3 {
            (0..10).for_each(|_| queue.enqueue(Time::ZERO, packet(flow, 1000, 0)).unwrap());
        }
        // All stay backlogged: what leaves is replaced at once.
        let (mut now, mut sent) = (Time::ZERO, [0u64; 3]);
        for _ in 0..8_000 {
            let packet = queue.dequeue(now).unwrap();
            sent[packet.flow as usize] += 1000;
            now += RATE.time_for(Bytes::new(1000));
            queue.enqueue(now, packet).unwrap();
        }
        let expected = crate::gps::max_min(8_000_000, &[u64::MAX >> 1; 3], &weights);
        for (sent, expected) in sent.iter().zip(expected) {
            assert!(sent.abs_diff(expected) <= 2_000, "{name}: {sent} B of {expected} B");
        }
    }
}

#[test]
fn a_shaper_holds_its_packets() {
    let config = RankConfig {
        shaper_rate: Rate::from_gbps(1),
        shaper_burst: Bytes::new(1500),
        ..RankConfig::default()
    };
    let mut queue = exact("token-bucket", &config, 10);
    (0..3).for_each(|tag| queue.enqueue(Time::ZERO, packet(0, 1500, tag)).unwrap());
    assert!(queue.dequeue(Time::ZERO).is_some());
    let ready = queue.ready_at(Time::ZERO).unwrap();
    assert_eq!(ready.as_ps(), 12_000_000);
    assert_eq!(queue.dequeue(Time::from_ps(11_999_999)), None);
    assert!(queue.dequeue(ready).is_some());
    assert_eq!(queue.len(), 1);
}

#[test]
fn ranks_that_the_queue_cannot_hold_are_refused_and_forgotten() {
    let window = CircularWindow::<Ranked>::new(64, 10, WindowPolicy::default()).unwrap();
    let mut queue = RankQueue::new(rank_function("sff").unwrap(), window);
    assert_eq!(queue.enqueue(Time::ZERO, packet(0, 10, 0)), Ok(()));
    assert_eq!(queue.enqueue(Time::ZERO, packet(9, 10, 1)), Err(DropCause::Horizon));
    assert_eq!((queue.len(), queue.bytes().get()), (1, 10));
}

/// A flow that offers again and again what lies beyond the window is where it was when the window
/// has moved.
#[test]
fn what_is_refused_for_its_rank_counts_for_nothing() {
    for name in ["stfq", "scfq", "wfq"] {
        // 64 buckets of 128 bytes of virtual time: 8192 bytes.
        let window = CircularWindow::<Ranked>::new(64, 100, WindowPolicy::default()).unwrap();
        let step = Quantizer::Linear { step: 128 << 12 };
        let config = RankConfig { rate: RATE, ..RankConfig::default() };
        let function = configured_rank_function(name, &config).unwrap();
        let mut queue = RankQueue::with_overflow(function, window, step, TailDrop);
        let offers = (0..100).map(|tag| queue.enqueue(Time::ZERO, packet(1, 1000, tag)));
        let taken = offers.filter(Result::is_ok).count();
        assert!((8..10).contains(&taken), "{name}: {taken} packets of 1000 B in 8192 B");
        let now = Time::ZERO + RATE.time_for(Bytes::new(10_000));
        // Not the last: an empty window takes any rank.
        (1..taken).for_each(|_| assert!(queue.dequeue(now).is_some()));
        let again = (100..200).filter(|tag| queue.enqueue(now, packet(1, 1000, *tag)).is_ok());
        let again = again.count();
        assert!(again + 2 >= taken, "{name}: {again} packets of {taken}");
    }
}
