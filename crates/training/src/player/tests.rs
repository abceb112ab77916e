use forebay_net_run::network;
use forebay_units::Duration;
use proptest::prelude::*;

use super::*;
use crate::exchange::AllReduce;
use crate::job::Job;
use crate::report::Report;

/// A link's time for so many bytes, with the 52 bytes of headers, at 10 Gb/s, in ps.
fn on_wire(bytes: u64) -> u64 {
    (bytes + 52) * 800
}

const US: u64 = 1_000_000;

/// The 64 bytes of an acknowledgement: what is sent as a message arrives goes behind it.
const ACK: u64 = 64 * 800;

fn played(job: Job, topology: &str, patterns: Patterns) -> Report {
    let net = network(topology, &[]).unwrap();
    let mut player = Player::new(Plan::new(job).unwrap(), net, patterns).unwrap();
    assert!(player.advance(Time::MAX).unwrap());
    player.report()
}

fn us(ps: u64) -> f64 {
    ps as f64 / 1e6
}

fn collective(kind: Collective, bytes: u64) -> Operation {
    Operation::Collective { kind, group: 0, bytes: Bytes::new(bytes) }
}

/// Ranks that compute so many µs each, and then do this together.
fn together(kind: Collective, bytes: u64, computed: &[u64]) -> Job {
    let ranks = computed.len() as u32;
    let mut job = Job::of(ranks);
    job.group("all", (0..ranks).collect());
    for (rank, us) in (0..).zip(computed) {
        let mut script = job.rank(rank).unwrap();
        let worked = script.compute("work", Duration::from_us(*us), &[]);
        script.add("together", collective(kind, bytes), &[worked]);
    }
    job
}

#[test]
fn a_ring_takes_its_steps_after_the_last_rank_has_come() {
    // Three ranks of a star, 300 bytes: parts of 100, four steps of two hops each. The ring is held
    // up by the rank that comes last: by then the others have sent what they can.
    let step = 2 * (US + on_wire(100));
    let report = played(
        together(Collective::AllReduce, 300, &[0, 0, 0]),
        "star:3,10G,1us",
        Patterns::default(),
    );
    assert_eq!(report.end_us, us(4 * step + 3 * ACK));
    assert_eq!(report.messages, 12);
    assert!(report.ranks.iter().all(|rank| rank.sent_bytes == 400 && rank.compute_us == 0.0));
    let late = played(
        together(Collective::AllReduce, 300, &[50, 0, 0]),
        "star:3,10G,1us",
        Patterns::default(),
    );
    assert_eq!(late.end_us, us(50 * US + 4 * step + 3 * ACK));
    assert_eq!((late.ranks[0].compute_us, late.ranks[1].compute_us), (50.0, 0.0));
    assert_eq!(late.ranks[0].exposed_us, us(4 * step + 3 * ACK));
    let halves = [Collective::ReduceScatter, Collective::AllGather];
    for (kind, bytes) in halves.into_iter().zip([300, 100]) {
        let report =
            played(together(kind, bytes, &[0, 0, 0]), "star:3,10G,1us", Patterns::default());
        assert_eq!(report.end_us, us(2 * step + ACK), "{kind}");
    }
}

#[test]
fn a_rank_sends_nothing_of_a_collective_before_it_takes_part() {
    for (kind, bytes) in [(Collective::AllReduce, 300), (Collective::Barrier, 0)] {
        for all_reduce in [AllReduce::Ring, AllReduce::Tree, AllReduce::Halving] {
            let plan = Plan::new(together(kind, bytes, &[50, 50, 50, 0])).unwrap();
            let patterns = Patterns { all_reduce, at_once: 0 };
            let net = network("star:4,10G,1us", &[]).unwrap();
            let mut player = Player::new(plan, net, patterns).unwrap();
            assert!(!player.advance(Time::ZERO + Duration::from_us(49)).unwrap());
            let sent = player.report().ranks.iter().map(|rank| rank.sent_bytes).collect::<Vec<_>>();
            assert_eq!(sent[..3], [0; 3], "{kind}, {patterns:?}");
            assert!(player.advance(Time::MAX).unwrap());
        }
    }
}

#[test]
fn all_to_all_and_barriers_take_what_is_computed_by_hand() {
    // Two ranks: one message each way of half of the bytes.
    let report = played(
        together(Collective::AllToAll, 2000, &[0, 7]),
        "star:2,10G,1us",
        Patterns::default(),
    );
    assert_eq!(report.end_us, us(7 * US + 2 * (US + on_wire(1000))));
    // Nobody leaves a barrier before the last has come; each tree of two goes up and down.
    let report =
        played(together(Collective::Barrier, 0, &[0, 9]), "star:2,10G,1us", Patterns::default());
    assert!(report.ranks.iter().all(|rank| rank.end_us > Some(9.0)), "{report:?}");
    assert_eq!(report.messages, 4);
    // A group of one has nothing to say.
    let report =
        played(together(Collective::AllReduce, 8, &[3]), "star:2,10G,1us", Patterns::default());
    assert_eq!((report.end_us, report.messages), (3.0, 0));
}

#[test]
fn a_processor_takes_one_node_at_a_time_and_the_smallest_number_first() {
    let mut job = Job::of(1);
    let mut script = job.rank(0).unwrap();
    let compute = |us, on| Operation::Compute { time: Duration::from_us(us), on };
    let first = script.add("first", compute(2, Processor::Accelerator), &[]);
    script.add("host", compute(3, Processor::Host), &[]);
    let next = script.add("next", compute(4, Processor::Accelerator), &[first]);
    let mut script = script.in_iteration(1);
    script.add("also", compute(5, Processor::Accelerator), &[]);
    script.add("none", compute(0, Processor::Accelerator), &[next]);
    let report = played(job, "star:2,10G,1us", Patterns::default());
    // 2, 4 and 5 in turn; `next` has the smaller number when the first is over.
    assert_eq!(
        (report.end_us, report.iteration_ends_us.clone()),
        (11.0, vec![Some(6.0), Some(11.0)])
    );
    assert_eq!((report.ranks[0].compute_us, report.ranks[0].exposed_us), (11.0, 0.0));
}

#[test]
fn the_nth_send_is_for_the_nth_receive_whatever_arrives_first() {
    let mut job = Job::of(2);
    let message = |bytes| (Bytes::new(bytes), 5);
    let mut sender = job.rank(0).unwrap();
    for bytes in [1_000_000, 10] {
        let (bytes, tag) = message(bytes);
        sender.add("send", Operation::Send { to: 1, tag, bytes }, &[]);
    }
    let mut receiver = job.rank(1).unwrap();
    let (bytes, tag) = message(1_000_000);
    let large = receiver.add("large", Operation::Receive { from: 0, tag, bytes }, &[]);
    let (bytes, tag) = message(10);
    let small = receiver.add("small", Operation::Receive { from: 0, tag, bytes }, &[]);
    receiver.compute("after small", Duration::from_us(1), &[small]);
    let mut receiver = receiver.in_iteration(1);
    receiver.compute("after large", Duration::from_us(1), &[large]);
    let report = played(job, "star:2,10G,1us", Patterns::default());
    assert!(report.ranks[1].end_us > Some(800.0), "a megabyte at 10 Gb/s takes 800 µs: {report:?}");
    assert_eq!(report.ranks[1].compute_us, 2.0);
}

#[test]
fn a_run_stops_where_it_is_told_and_says_what_it_lacks() {
    let mut player = Player::new(
        Plan::new(together(Collective::AllReduce, 1_000_000, &[10, 10])).unwrap(),
        network("star:2,10G,1us", &[]).unwrap(),
        Patterns::default(),
    )
    .unwrap();
    assert!(!player.advance(Time::ZERO + Duration::from_us(5)).unwrap());
    assert_eq!(player.report().done, 0);
    assert!(!player.advance(Time::ZERO + Duration::from_us(20)).unwrap());
    assert_eq!((player.report().done, player.report().nodes), (2, 4));
    assert!(player.advance(Time::MAX).unwrap());
    let few = network("star:2,10G,1us", &[]).unwrap();
    let plan = Plan::new(together(Collective::Barrier, 0, &[0, 0, 0])).unwrap();
    let error = Player::new(plan, few, Patterns::default()).unwrap_err();
    assert_eq!(error.to_string(), "the job has 3 ranks, the network 2 hosts: give a network of 3");
}

#[test]
fn what_is_not_done_has_no_end_and_waits_until_the_run_ends() {
    let mut job = together(Collective::AllReduce, 1_000_000, &[10, 10]);
    let compute = |us| Operation::Compute { time: Duration::from_us(us), on: Processor::Host };
    let mut script = job.rank(1).unwrap().in_iteration(1);
    script.add("long", compute(200), &[]);
    // A third rank takes no part.
    job.ranks.push(Vec::new());
    job.rank(2).unwrap().add("short", compute(3), &[]);
    let net = network("star:3,10G,1us", &[]).unwrap();
    let mut player = Player::new(Plan::new(job).unwrap(), net, Patterns::default()).unwrap();
    assert!(!player.advance(Time::ZERO + Duration::from_us(50)).unwrap());
    let report = player.report();
    let ends: Vec<_> = report.ranks.iter().map(|rank| rank.end_us).collect();
    assert_eq!((report.end_us, ends), (50.0, vec![None, None, Some(3.0)]));
    assert_eq!(report.iteration_ends_us, [None, None]);
    assert_eq!(report.ranks[1].iteration_ends_us, [None, None]);
    let times = |at: usize| (report.ranks[at].compute_us, report.ranks[at].exposed_us);
    assert_eq!([times(0), times(1), times(2)], [(10.0, 40.0), (50.0, 0.0), (3.0, 0.0)]);
    assert!(player.advance(Time::MAX).unwrap());
    let report = player.report();
    assert!(report.ranks.iter().all(|rank| rank.end_us.is_some()));
    assert!(report.iteration_ends_us.iter().all(Option::is_some));
}

/// A job whose ranks send, compute and meet in any order.
fn any_job() -> impl Strategy<Value = Job> {
    let step = (0u8..9, 0u32..4, 0u32..4, 1u64..3000, any::<bool>());
    proptest::collection::vec(step, 0..30).prop_map(|steps| {
        let mut job = Job::of(4);
        let groups = [job.group("all", vec![2, 0, 3, 1]), job.group("some", vec![1, 3])];
        let mut last: [Option<u64>; 4] = [None; 4];
        for (what, one, other, size, waits) in steps {
            let bytes = Bytes::new(size);
            let mut add = |rank: u32, operation| {
                let after: Vec<u64> = last[rank as usize].filter(|_| waits).into_iter().collect();
                let mut script = job.rank(rank).unwrap();
                last[rank as usize] = Some(script.add("step", operation, &after));
            };
            match what {
                0..=2 => {
                    let on = if what == 0 { Processor::Host } else { Processor::Accelerator };
                    add(one, Operation::Compute { time: Duration::from_ns(size), on });
                }
                3..=5 if one != other => {
                    let tag = size % 2;
                    add(one, Operation::Send { to: other, tag, bytes });
                    add(other, Operation::Receive { from: one, tag, bytes });
                }
                3..=5 => {}
                _ => {
                    let kinds = [
                        Collective::AllReduce,
                        Collective::AllGather,
                        Collective::ReduceScatter,
                        Collective::AllToAll,
                        Collective::Barrier,
                    ];
                    let kind = kinds[(size % 5) as usize];
                    let group = usize::from(what == 6);
                    let ranks: Vec<u32> = if group == 0 { (0..4).collect() } else { vec![1, 3] };
                    for rank in ranks {
                        add(rank, Operation::Collective { kind, group: groups[group], bytes });
                    }
                }
            }
        }
        job
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever passes the check runs to its end, and twice to the same.
    #[test]
    fn no_checked_job_hangs(job in any_job(), pattern in 0usize..3) {
        let all_reduce = [AllReduce::Ring, AllReduce::Tree, AllReduce::Halving][pattern];
        let patterns = Patterns { all_reduce, at_once: pattern as u32 };
        let nodes = job.ranks.iter().map(Vec::len).sum::<usize>();
        let report = played(job.clone(), "star:4,10G,1us", patterns);
        prop_assert_eq!(report.done as usize, nodes);
        prop_assert_eq!(played(job, "star:4,10G,1us", patterns), report);
    }
}
