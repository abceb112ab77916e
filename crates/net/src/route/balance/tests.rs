use std::collections::BTreeMap;
use std::vec::Vec;

use super::*;

extern crate std;

const CHANNELS: &[ChannelId] = &[10, 12, 14, 16];

fn asked(us: u64, hash: u32) -> Asked<'static> {
    let now = Time::ZERO + Duration::from_us(us);
    Asked { now, switch: 1, hash, back: false, set: 0, channels: CHANNELS }
}

fn balancer(config: BalanceConfig) -> Box<dyn Balancer> {
    config.balancer(3, 7).unwrap()
}

fn idle(_: ChannelId) -> u64 {
    0
}

#[test]
fn by_flow_nothing_is_kept() {
    assert!(BalanceConfig::default().balancer(3, 7).is_none());
}

#[test]
fn sprayed_packets_of_one_flow_are_even() {
    let mut spray = balancer(BalanceConfig { balance: Balance::Spray, ..Default::default() });
    let mut counts = BTreeMap::new();
    for _ in 0..4_000 {
        *counts.entry(spray.pick(&asked(0, 5), &idle)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 4);
    // Three standard deviations of 1,000.
    assert!(counts.values().all(|&count| (918..1_082).contains(&count)), "{counts:?}");
}

#[test]
fn each_link_has_its_turn_in_another_order() {
    let mut permuted = balancer(BalanceConfig { balance: Balance::Permuted, ..Default::default() });
    let mut orders = BTreeMap::new();
    for round in 0..240 {
        // What goes back has turns of its own.
        let back = Asked { back: true, ..asked(0, 5) };
        let other = (0..round % 3).map(|_| permuted.pick(&back, &idle)).count();
        let order: Vec<_> = (0..4).map(|_| permuted.pick(&asked(0, 5), &idle)).collect();
        assert!(CHANNELS.iter().all(|channel| order.contains(channel)), "{order:?} {other}");
        *orders.entry(order).or_insert(0) += 1;
    }
    assert_eq!(orders.len(), 24, "{orders:?}");
}

fn flowlets(entries: u32) -> Box<dyn Balancer> {
    let balance = Balance::Flowlet;
    balancer(BalanceConfig { balance, flowlet_entries: entries, ..Default::default() })
}

#[test]
fn a_flowlet_lasts_until_a_gap() {
    let mut flowlets = flowlets(65_536);
    let first = flowlets.pick(&asked(0, 5), &idle);
    // As long as no packet comes more than 100 us after the last.
    for step in 1..50 {
        assert_eq!(flowlets.pick(&asked(100 * step, 5), &idle), first);
    }
    let after: Vec<_> = (1..50).map(|n| flowlets.pick(&asked(5_000 + 101 * n, 5), &idle)).collect();
    assert!(CHANNELS.iter().all(|channel| after.contains(channel)), "{after:?}");
}

#[test]
fn flows_that_share_an_entry_are_one_flowlet() {
    let picks = |entries| {
        let mut flowlets = flowlets(entries);
        (0..64).map(|hash| flowlets.pick(&asked(1, hash << 20), &idle)).collect::<Vec<_>>()
    };
    let shared = picks(1);
    assert!(shared.iter().all(|&pick| pick == shared[0]));
    assert!(CHANNELS.iter().all(|channel| picks(65_536).contains(channel)));
}

#[test]
fn a_flowlet_leaves_a_link_that_is_no_way_any_more() {
    let mut flowlets = flowlets(65_536);
    let first = flowlets.pick(&asked(0, 5), &idle);
    let others: Vec<_> = CHANNELS.iter().copied().filter(|&other| other != first).collect();
    let asked = Asked { channels: &others, ..asked(1, 5) };
    assert!(others.contains(&flowlets.pick(&asked, &idle)));
}

fn adaptive(samples: u32, memory: u32) -> Box<dyn Balancer> {
    let balance = Balance::Adaptive;
    let (adaptive_samples, adaptive_memory) = (samples, memory);
    balancer(BalanceConfig { balance, adaptive_samples, adaptive_memory, ..Default::default() })
}

#[test]
fn with_all_links_drawn_the_shortest_queue_is_taken() {
    let mut adaptive = adaptive(4, 0);
    for shortest in CHANNELS.iter().copied() {
        for _ in 0..20 {
            let pick = adaptive.pick(&asked(0, 5), &|c| if c == shortest { 3 } else { 4 });
            assert_eq!(pick, shortest);
        }
    }
    let ties: Vec<_> = (0..64).map(|_| adaptive.pick(&asked(0, 5), &idle)).collect();
    assert!(CHANNELS.iter().all(|channel| ties.contains(channel)), "{ties:?}");
}

#[test]
fn a_short_queue_is_remembered_until_a_shorter_one_is_drawn() {
    let mut with = adaptive(1, 1);
    let best = |c| if c == 14 { 0 } else { 9 };
    let picks: Vec<_> = (0..64).map(|_| with.pick(&asked(0, 5), &best)).collect();
    let found = picks.iter().position(|&pick| pick == 14).unwrap();
    assert!(picks[found..].iter().all(|&pick| pick == 14), "{picks:?}");
    // It grows, and is left.
    let now = |c| if c == 14 { 99 } else { 9 };
    assert_ne!((0..9).map(|_| with.pick(&asked(0, 5), &now)).next_back(), Some(14));
    let mut without = adaptive(1, 0);
    let picks: Vec<_> = (0..64).map(|_| without.pick(&asked(0, 5), &best)).collect();
    assert!(picks.iter().filter(|&&pick| pick == 14).count() < 32, "{picks:?}");
}

#[test]
fn what_is_forgotten_is_not_looked_at() {
    let mut adaptive = adaptive(1, 1);
    let best = |c| if c == 14 { 0 } else { 9 };
    (0..64).for_each(|_| {
        adaptive.pick(&asked(0, 5), &best);
    });
    adaptive.forget();
    let others = Asked { channels: &[20, 22], ..asked(0, 5) };
    assert!([20, 22].contains(&adaptive.pick(&others, &best)));
    assert!(adaptive.reads_loads());
}
