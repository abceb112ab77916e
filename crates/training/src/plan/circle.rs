//! Whether nodes wait for each other in a circle, across ranks.

use super::{Plan, Together};
use crate::job::Operation;

/// A node of a circle, if there is one. O(nodes + waits).
pub(super) fn find(plan: &Plan) -> Option<u32> {
    let done = done(plan);
    let start = (0..plan.nodes()).find(|node| !done[*node as usize])?;
    // Whoever is not done waits for one that is not done: some node comes twice.
    let mut seen = vec![false; done.len()];
    let mut node = start;
    while !std::mem::replace(&mut seen[node as usize], true) {
        node = awaited(plan, &done, node)?;
    }
    Some(node)
}

/// Which nodes can be done.
fn done(plan: &Plan) -> Vec<bool> {
    let mut waits = plan.waits.clone();
    let mut absent: Vec<u32> = plan.together.iter().map(|one| one.members.len() as u32).collect();
    let mut done = vec![false; waits.len()];
    for (number, waits) in (0..).zip(&mut waits) {
        if let Operation::Receive { .. } = plan.node(number).operation {
            *waits += 1;
        }
    }
    let mut ready: Vec<u32> = (0..plan.nodes()).filter(|node| waits[*node as usize] == 0).collect();
    while let Some(node) = ready.pop() {
        let partner = plan.partner[node as usize];
        let mut ended: &[u32] = &[node];
        match plan.node(node).operation {
            Operation::Compute { .. } | Operation::Receive { .. } => {}
            Operation::Send { .. } => count(&mut waits, partner, &mut ready),
            Operation::Collective { .. } => {
                absent[partner as usize] -= 1;
                let all = &plan.together[partner as usize].members;
                ended = if absent[partner as usize] == 0 { all } else { &[] };
            }
        }
        for &node in ended {
            done[node as usize] = true;
            plan.followers(node).iter().for_each(|next| count(&mut waits, *next, &mut ready));
        }
    }
    done
}

fn count(waits: &mut [u32], node: u32, ready: &mut Vec<u32>) {
    waits[node as usize] -= 1;
    if waits[node as usize] == 0 {
        ready.push(node);
    }
}

/// One that a node waits for which is not done.
fn awaited(plan: &Plan, done: &[bool], node: u32) -> Option<u32> {
    let own = |node: u32| plan.before(node).find(|before| !done[*before as usize]);
    let partner = plan.partner[node as usize];
    own(node).or_else(|| match plan.node(node).operation {
        Operation::Compute { .. } | Operation::Send { .. } => None,
        Operation::Receive { .. } => Some(partner).filter(|send| !done[*send as usize]),
        Operation::Collective { .. } => {
            let Together { members, .. } = &plan.together[partner as usize];
            members.iter().find_map(|member| own(*member))
        }
    })
}
