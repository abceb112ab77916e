//! Scheduling trees against a naive one, against the allocation they should reach, and against
//! their bounds.
#![allow(clippy::unwrap_used)] // a failed unwrap is a failed test

mod bounds;
mod naive;
mod operations;
mod random;
mod shares;

use forebay_sched::Packet;
use forebay_sched::tree::{LevelQueue, PortTrees, TreeConfig};
use forebay_units::{Bytes, Time};

/// A port that sends whenever it can, until `end`: what left, and when it began to leave. `refill`
/// is called before every packet, with those that left.
fn drive<Q: LevelQueue>(
    trees: &mut PortTrees<Q>,
    config: &TreeConfig,
    end: Time,
    mut refill: impl FnMut(&mut PortTrees<Q>, Time, &[(Time, Packet)]),
) -> Vec<(Time, Packet)> {
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    while now < end {
        refill(trees, now, &sent);
        match trees.dequeue(0, now) {
            Some(packet) => {
                sent.push((now, packet));
                now += config.rate.time_for(Bytes::new(packet.size.into()));
            }
            None => match trees.ready_at(0, now) {
                Some(ready) => now = ready.max(Time::from_ps(now.as_ps() + 1)),
                None => return sent,
            },
        }
    }
    sent
}
