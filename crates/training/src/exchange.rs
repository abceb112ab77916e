//! The messages of a collective: the flows and gates of `forebay-net`'s patterns, in terms of a
//! group's members.
//!
//! All-reduce is a ring, double binary trees or recursive halving; all-gather and reduce-scatter
//! are the second and the first half of the ring's steps; all-to-all is direct; a barrier is an
//! all-reduce by trees of one byte a message. A vector of fewer bytes than its pattern can cut is
//! filled up, and so are the parts of an all-to-all to equal ones.

use forebay_net::workload::{CollectiveConfig, Pattern, Repeat, WorkloadError, collective};
use forebay_parameters::{Configure, Word};
use forebay_units::{Bytes, Duration, Time};

use crate::job::Collective;
use crate::plan::NONE;

/// How an all-reduce is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Word)]
pub enum AllReduce {
    /// On a ring.
    #[default]
    Ring,
    /// By two binary trees.
    Tree,
    /// By recursive halving and doubling.
    Halving,
}

/// How collectives are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Configure)]
pub struct Patterns {
    /// How an all-reduce is done.
    #[parameter(assumed = "usual for large vectors", default = AllReduce::Ring)]
    pub all_reduce: AllReduce,
    /// To how many others a rank sends at a time in an all-to-all; 0 for all of them.
    #[parameter(assumed = "the network decides", range = 0..=1 << 20, default = 0)]
    pub at_once: u32,
}

/// A message of a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// The member that sends it.
    pub(crate) from: u32,
    /// The member that receives it.
    pub(crate) to: u32,
    pub(crate) bytes: Bytes,
    /// The gate that it counts for, or none.
    pub(crate) gate: u32,
}

/// What a member waits for within a collective before it sends more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    /// How many messages and gates open it.
    pub(crate) needs: u32,
    /// The gate that this one counts for, or none.
    pub(crate) then: u32,
}

/// The messages of a collective.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) messages: Vec<Message>,
    pub(crate) gates: Vec<Gate>,
    /// What each member sends first, and what each gate lets it send: the ends of their ranges.
    ends: Vec<u32>,
    sends: Vec<u32>,
    /// How many messages each member sends or receives.
    pub(crate) left: Vec<u32>,
}

impl Exchange {
    /// What the member sends as soon as it takes part.
    pub(crate) fn first(&self, member: u32) -> &[u32] {
        self.range(member as usize)
    }

    /// What is sent when the gate opens.
    pub(crate) fn behind(&self, gate: u32) -> &[u32] {
        self.range(self.left.len() + gate as usize)
    }

    fn range(&self, at: usize) -> &[u32] {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.sends[from as usize..self.ends[at] as usize]
    }
}

/// How many messages a collective of so many members has; saturating.
pub(crate) fn messages(kind: Collective, members: u64, patterns: Patterns) -> u64 {
    let others = members.saturating_sub(1);
    match (kind, patterns.all_reduce) {
        (Collective::AllReduce, AllReduce::Ring) => {
            members.saturating_mul(others).saturating_mul(2)
        }
        (Collective::AllReduce, AllReduce::Tree) | (Collective::Barrier, _) => others * 4,
        (Collective::AllReduce, AllReduce::Halving) => {
            let levels = u64::from(members.max(1).ilog2());
            2 * levels * (1 << levels) + 2 * (members.max(1) - (1 << levels))
        }
        (Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll, _) => {
            members.saturating_mul(others)
        }
    }
}

/// The messages of a collective of so many members, at least 2.
pub(crate) fn exchange(
    kind: Collective,
    members: u32,
    bytes: Bytes,
    patterns: Patterns,
) -> Result<Exchange, WorkloadError> {
    let ranks = u64::from(members);
    let all = (ranks * (ranks - 1)) as usize;
    let vector = bytes.max(Bytes::new(ranks));
    let (pattern, bytes, taken) = match kind {
        Collective::AllReduce => match patterns.all_reduce {
            AllReduce::Ring => (Pattern::RingAllReduce, vector, 0..usize::MAX),
            AllReduce::Tree => (Pattern::TreeAllReduce, vector, 0..usize::MAX),
            AllReduce::Halving => (Pattern::HalvingAllReduce, vector, 0..usize::MAX),
        },
        Collective::ReduceScatter => (Pattern::RingAllReduce, vector, 0..all),
        Collective::AllGather => (Pattern::RingAllReduce, bytes * ranks, all..usize::MAX),
        Collective::AllToAll => {
            (Pattern::AllToAll, Bytes::new(bytes.get().div_ceil(ranks)), 0..usize::MAX)
        }
        Collective::Barrier => (Pattern::TreeAllReduce, Bytes::new(2), 0..usize::MAX),
    };
    let workload = collective(&CollectiveConfig {
        pattern,
        hosts: (0..members).collect(),
        bytes,
        start: Time::ZERO,
        at_once: Some(patterns.at_once).filter(|at_once| *at_once > 0),
        barrier: false,
        delay: Duration::ZERO,
        repeat: Repeat::Times(1),
    })?;
    let flows = workload.flows();
    let taken = taken.start..taken.end.min(flows.len());
    let is_taken = |flow: u32| taken.contains(&(flow as usize));
    let number = |flow: u32| flow - taken.start as u32;
    let mut messages: Vec<Message> = flows[taken.clone()]
        .iter()
        .map(|flow| Message { from: flow.src, to: flow.dst, bytes: flow.bytes, gate: NONE })
        .collect();
    let then = |gate: &forebay_net::workload::Gate| gate.then.unwrap_or(NONE);
    let mut gates: Vec<Gate> =
        workload.gates().iter().map(|gate| Gate { needs: 0, then: then(gate) }).collect();
    for &(flow, gate) in workload.counted().iter().filter(|(flow, _)| is_taken(*flow)) {
        messages[number(flow) as usize].gate = gate;
        gates[gate as usize].needs += 1;
    }
    for gate in workload.gates().iter().filter_map(|gate| gate.then) {
        gates[gate as usize].needs += 1;
    }
    // A gate that counts nothing which is left does not hold anything up.
    let begun = workload
        .begun()
        .iter()
        .filter(|(flow, gate)| is_taken(*flow) && gates[*gate as usize].needs > 0);
    let mut behind = vec![NONE; messages.len()];
    begun.for_each(|(flow, gate)| behind[number(*flow) as usize] = *gate);
    Ok(sorted(messages, gates, &behind, members))
}

/// Lists the messages by what they begin with.
fn sorted(messages: Vec<Message>, gates: Vec<Gate>, behind: &[u32], members: u32) -> Exchange {
    let key = |message: u32| match behind[message as usize] {
        NONE => messages[message as usize].from,
        gate => members + gate,
    };
    let mut sends: Vec<u32> = (0..messages.len() as u32).collect();
    sends.sort_by_key(|message| key(*message));
    let mut ends = vec![0; members as usize + gates.len()];
    let mut left = vec![0; members as usize];
    for message in &sends {
        ends[key(*message) as usize] += 1;
    }
    for at in 1..ends.len() {
        ends[at] += ends[at - 1];
    }
    for message in &messages {
        left[message.from as usize] += 1;
        left[message.to as usize] += 1;
    }
    Exchange { messages, gates, ends, sends, left }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Collective; 5] = [
        Collective::AllReduce,
        Collective::AllGather,
        Collective::ReduceScatter,
        Collective::AllToAll,
        Collective::Barrier,
    ];

    /// The messages in an order in which they can be sent.
    fn played(exchange: &Exchange, members: u32) -> Vec<Message> {
        let mut needs: Vec<u32> = exchange.gates.iter().map(|gate| gate.needs).collect();
        let mut ready: Vec<u32> =
            (0..members).flat_map(|member| exchange.first(member)).copied().collect();
        let mut order = Vec::new();
        while order.len() < ready.len() {
            let message = exchange.messages[ready[order.len()] as usize];
            order.push(message);
            let mut gate = message.gate;
            while gate != NONE {
                needs[gate as usize] -= 1;
                if needs[gate as usize] > 0 {
                    break;
                }
                ready.extend(exchange.behind(gate));
                gate = exchange.gates[gate as usize].then;
            }
        }
        order
    }

    #[test]
    fn every_message_of_every_pattern_is_sent_once_and_counted_before() {
        for (kind, members) in KINDS.into_iter().flat_map(|kind| (2..20).map(move |n| (kind, n))) {
            for all_reduce in [AllReduce::Ring, AllReduce::Tree, AllReduce::Halving] {
                for at_once in [0, 1, 3] {
                    let patterns = Patterns { all_reduce, at_once };
                    let one = exchange(kind, members, Bytes::new(1000), patterns).unwrap();
                    let what = format!("{kind} of {members}, {patterns:?}");
                    assert_eq!(played(&one, members).len(), one.messages.len(), "{what}");
                    let known = messages(kind, members.into(), patterns);
                    assert_eq!(one.messages.len() as u64, known, "{what}");
                    assert!(one.left.iter().all(|left| *left > 0), "{what}");
                }
            }
        }
    }

    #[test]
    fn bytes_are_those_of_the_textbook() {
        let total = |kind, bytes| {
            let one = exchange(kind, 4, Bytes::new(bytes), Patterns::default()).unwrap();
            one.messages.iter().map(|message| message.bytes.get()).sum::<u64>()
        };
        assert_eq!(total(Collective::AllReduce, 4000), 4 * 6 * 1000);
        assert_eq!(total(Collective::ReduceScatter, 4000), 4 * 3 * 1000);
        assert_eq!(total(Collective::AllGather, 1000), 4 * 3 * 1000);
        assert_eq!(total(Collective::AllToAll, 4000), 4 * 3 * 1000);
        assert_eq!(total(Collective::Barrier, 0), 3 * 4);
        // Filled up to a byte a part.
        assert_eq!(total(Collective::AllReduce, 1), 4 * 6);
    }
}
