//! A scheduling tree as TOML: a tree that builds, gives no more than it has and keeps every packet,
//! or an error that says something.

use forebay_sched::Packet;
use forebay_sched::scheduler::PacketScheduler;
use forebay_sched::tree::{SchedulingTree, SeparateQueues, TreeConfig};
use forebay_units::{Bytes, Time};

/// Trees above these are lawful but too large for a fuzzer's patience.
const NODES: usize = 200;
const CAPACITY: usize = 1_000;

/// Whether a text is a tree that keeps its promises, or is refused. Panics if it does not.
pub fn check(text: &str) {
    let mut config = match TreeConfig::from_toml(text) {
        Ok(config) => config,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    if config.nodes.len() > NODES {
        return;
    }
    config.capacity = config.capacity.min(CAPACITY);
    let demands = vec![config.rate; config.nodes.len()];
    let rates = config.allocation(&demands).expect("it has been checked");
    let leaves = config.nodes.iter().zip(&rates).filter(|(node, _)| !node.rules.is_empty());
    let sum: u128 = leaves.map(|(_, rate)| u128::from(rate.as_bps())).sum();
    assert!(sum <= u128::from(config.rate.as_bps()));
    let Ok(mut tree) = SchedulingTree::<SeparateQueues>::new(&config) else { return };
    let mut held = 0;
    for number in 0u32..100 {
        let packet = Packet {
            flow: number % 7,
            class: (number % 5) as u8,
            input: (number % 3) as u16,
            size: number * 97 % 1500,
            ..Packet::default()
        };
        let taken = tree.enqueue(Time::ZERO, packet).is_ok();
        assert!(!taken || config.leaf_of(&packet).is_some());
        held += usize::from(taken);
    }
    assert_eq!(tree.len(), held);
    let mut now = Time::ZERO;
    while let Some(ready) = tree.ready_at(now) {
        match tree.dequeue(now) {
            Some(packet) => {
                held -= 1;
                now += config.rate.time_for(Bytes::new(packet.size.into()));
            }
            // A shaper of a bit a second may take longer than time lasts.
            None if ready == Time::MAX => return,
            None => now = ready.max(Time::from_ps(now.as_ps() + 1)),
        }
    }
    assert_eq!(held, 0);
}
