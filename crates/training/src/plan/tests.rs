use forebay_units::{Bytes, Duration};
use proptest::prelude::*;

use super::*;
use crate::job::{Group, Processor};

fn send(to: u32, tag: u64, bytes: u64) -> Operation {
    Operation::Send { to, tag, bytes: Bytes::new(bytes) }
}

fn receive(from: u32, tag: u64, bytes: u64) -> Operation {
    Operation::Receive { from, tag, bytes: Bytes::new(bytes) }
}

fn collective(kind: Collective, group: u32, bytes: u64) -> Operation {
    Operation::Collective { kind, group, bytes: Bytes::new(bytes) }
}

/// A node with what it waits for.
type Line = (u64, Operation, Vec<u64>);

fn job(ranks: Vec<Vec<Line>>) -> Job {
    let node = |(id, operation, after): Line| {
        let name = format!("n{id}").into();
        Node { id, name, operation, after, iteration: 0 }
    };
    let all = (0..ranks.len() as u32).collect();
    Job {
        ranks: ranks.into_iter().map(|nodes| nodes.into_iter().map(node).collect()).collect(),
        groups: vec![Group { name: "all".to_owned(), ranks: all }],
    }
}

fn refused(ranks: Vec<Vec<Line>>) -> String {
    Plan::new(job(ranks)).unwrap_err().to_string()
}

#[test]
fn impossible_nodes_are_refused_by_rank_number_and_name() {
    let work = Operation::Compute { time: Duration::from_us(1), on: Processor::Host };
    let of_first = |lines| refused(vec![lines, vec![]]);
    for (lines, said) in [
        (vec![(3, work, vec![]), (3, work, vec![])], "rank 0, node 3 (n3): give it a larger"),
        (vec![(3, work, vec![4])], "rank 0, node 3 (n3): it waits for node 4, which"),
        (vec![(0, send(2, 0, 1), vec![])], "rank 0, node 0 (n0): there is no rank 2"),
        (vec![(0, send(0, 0, 1), vec![])], "rank 0, node 0 (n0): a message to oneself"),
        (vec![(0, send(1, 0, 0), vec![])], "rank 0, node 0 (n0): it has no bytes"),
        (vec![(0, send(1, 9, 1), vec![])], "rank 0, node 0 (n0): rank 1 does not receive it"),
        (vec![(0, receive(1, 9, 1), vec![])], "rank 0, node 0 (n0): rank 1 does not send it"),
        (vec![(0, collective(Collective::Barrier, 1, 0), vec![])], "there is no group 1"),
        (vec![(0, collective(Collective::AllReduce, 0, 0), vec![])], "it has no bytes"),
        (vec![(0, collective(Collective::Barrier, 0, 0), vec![])], "rank 1 has fewer collectives"),
        (vec![(0, work, vec![0])], "rank 0, node 0 (n0): it waits, in the end, for itself"),
    ] {
        let error = of_first(lines);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn messages_and_collectives_must_agree() {
    let error =
        refused(vec![vec![(0, send(1, 0, 5), vec![])], vec![(7, receive(0, 0, 6), vec![])]]);
    assert!(error.starts_with("rank 1, node 7 (n7): it receives 6 B, but rank 0, node 0 (n0)"));
    let parts = |bytes| vec![(0, collective(Collective::AllReduce, 0, bytes), vec![])];
    let error = refused(vec![parts(8), parts(8), parts(9)]);
    assert!(error.starts_with("rank 2, node 0 (n0): all-reduce of 9 B is all-reduce of 8 B at"));
    assert!(Plan::new(job(vec![parts(8), parts(8), parts(8)])).is_ok());
}

#[test]
fn groups_have_ranks_each_once() {
    for ranks in [vec![], vec![0, 0], vec![0, 2]] {
        let mut one = job(vec![vec![], vec![]]);
        one.groups[0].ranks = ranks;
        assert!(matches!(Plan::new(one), Err(JobError::Group { .. })));
    }
    let mut one = job(vec![vec![], vec![(0, collective(Collective::Barrier, 0, 0), vec![])]]);
    one.groups[0].ranks = vec![0];
    let error = Plan::new(one).unwrap_err().to_string();
    assert!(error.contains("the rank is not in group all"), "{error}");
    assert!(matches!(Plan::new(Job::default()), Err(JobError::Ranks(0))));
}

#[test]
fn circles_across_ranks_are_found() {
    // Two collectives that two ranks begin in different orders.
    let order = |first: u64, second: u64| {
        vec![
            (
                0,
                collective(Collective::Barrier, 0, 0),
                if first == 0 { vec![] } else { vec![first] },
            ),
            (1, collective(Collective::Barrier, 0, 0), if second == 0 { vec![] } else { vec![0] }),
        ]
    };
    assert!(Plan::new(job(vec![order(0, 1), order(0, 1)])).is_ok());
    let error = refused(vec![order(0, 1), order(1, 0)]);
    assert!(error.contains("it waits, in the end, for itself"), "{error}");
    // A message after a barrier that the other enters when it has the message.
    let error = refused(vec![
        vec![(0, collective(Collective::Barrier, 0, 0), vec![]), (1, send(1, 0, 1), vec![0])],
        vec![(0, receive(0, 0, 1), vec![]), (1, collective(Collective::Barrier, 0, 0), vec![0])],
    ]);
    assert!(error.contains("it waits, in the end, for itself"), "{error}");
}

#[test]
fn a_long_chain_takes_no_stack() {
    let work = Operation::Compute { time: Duration::ZERO, on: Processor::Host };
    let waits = |id: u64| id.checked_sub(1).into_iter().collect();
    let mut chain: Vec<Line> = (0..300_000).map(|id| (id, work, waits(id))).collect();
    assert!(Plan::new(job(vec![chain.clone()])).is_ok());
    chain[0].2.push(299_999);
    assert!(refused(vec![chain]).contains("it waits, in the end, for itself"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The check is right about circles: a naive closure of all waits says the same.
    #[test]
    fn circles_are_those_of_a_naive_closure(
        waits in proptest::collection::vec((0u32..3, 0u64..6, 0u64..6), 0..12),
    ) {
        // Each rank: sends to both others, receives from both, and two barriers.
        let lines = |rank: u32| -> Vec<Line> {
            let others = [(rank + 1) % 3, (rank + 2) % 3];
            let operations = [
                send(others[0], 0, 1), send(others[1], 0, 1),
                receive(others[0], 0, 1), receive(others[1], 0, 1),
                collective(Collective::Barrier, 0, 0), collective(Collective::Barrier, 0, 0),
            ];
            (0..).zip(operations).map(|(id, operation)| {
                let of = waits.iter().filter(|wait| (wait.0, wait.1) == (rank, id));
                (id, operation, of.map(|wait| wait.2).collect())
            }).collect()
        };
        let made = job((0..3).map(lines).collect());
        // Which of the 18 must be done before each is done.
        let mut before = [[false; 18]; 18];
        let at = |rank: u32, id: u64| rank as usize * 6 + id as usize;
        for &(rank, id, after) in &waits {
            let parts = if id < 4 { rank..rank + 1 } else { 0..3 };
            parts.for_each(|rank_of_part| before[at(rank_of_part, id)][at(rank, after)] = true);
        }
        for rank in 0..3 {
            // The receive from a rank waits for its send to this one.
            before[at(rank, 2)][at((rank + 1) % 3, 1)] = true;
            before[at(rank, 3)][at((rank + 2) % 3, 0)] = true;
        }
        for (by, x, y) in (0..18).flat_map(|by| (0..18 * 18).map(move |n| (by, n / 18, n % 18))) {
            before[x][y] |= before[x][by] && before[by][y];
        }
        let is_circle = (0..18).any(|node| before[node][node]);
        prop_assert_eq!(Plan::new(made).is_err(), is_circle);
    }
}
