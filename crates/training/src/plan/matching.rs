//! Which send belongs to which receive, and which nodes are one collective.

use super::{NONE, Together};
use crate::error::{JobError, NodeName, NodeProblem};
use crate::job::{Collective, Job, Node, Operation};
use forebay_units::Bytes;

/// A send or a receive: sender, receiver, tag, number, size.
type Message = (u32, u32, u64, u32, Bytes);

/// Who belongs together.
pub(super) struct Matched {
    /// Of a send its receive, of a receive its send, of a collective its number.
    pub(super) partner: Vec<u32>,
    /// Of a collective, which member of its group it is.
    pub(super) member: Vec<u32>,
    pub(super) together: Vec<Together>,
}

pub(super) fn matched(job: &Job, first: &[u32]) -> Result<Matched, JobError> {
    let nodes = first.last().map_or(0, |last| *last as usize);
    let (mut partner, mut member) = (vec![NONE; nodes], vec![NONE; nodes]);
    messages(job, first, &mut partner)?;
    let together = collectives(job, first)?;
    for (number, one) in (0..).zip(&together) {
        for (place, node) in (0..).zip(&one.members) {
            partner[*node as usize] = number;
            member[*node as usize] = place;
        }
    }
    Ok(Matched { partner, member, together })
}

/// Every node with its rank and number.
fn numbered<'a>(job: &'a Job, first: &'a [u32]) -> impl Iterator<Item = (u32, u32, &'a Node)> {
    (0..).zip(&job.ranks).zip(first).flat_map(|((rank, nodes), &first)| {
        (first..).zip(nodes).map(move |(number, node)| (rank, number, node))
    })
}

fn messages(job: &Job, first: &[u32], partner: &mut [u32]) -> Result<(), JobError> {
    let (mut sends, mut receives): (Vec<Message>, Vec<Message>) = (Vec::new(), Vec::new());
    for (rank, number, node) in numbered(job, first) {
        match node.operation {
            Operation::Send { to, tag, bytes } => sends.push((rank, to, tag, number, bytes)),
            Operation::Receive { from, tag, bytes } => {
                receives.push((from, rank, tag, number, bytes));
            }
            Operation::Compute { .. } | Operation::Collective { .. } => {}
        }
    }
    sends.sort_unstable();
    receives.sort_unstable();
    let named = |rank: u32, number: u32| {
        (rank, &job.ranks[rank as usize][(number - first[rank as usize]) as usize])
    };
    let address = |message: Option<&Message>| message.map(|m| (m.0, m.1, m.2));
    for at in 0..sends.len().max(receives.len()) {
        let (send, receive) = (sends.get(at), receives.get(at));
        let (sent, received) = (address(send), address(receive));
        // The smaller of two different addresses has no partner.
        if let Some(&(from, to, tag, number, _)) = send
            && (received.is_none() || sent < received)
        {
            let (rank, node) = named(from, number);
            return Err(JobError::node(rank, node, NodeProblem::NotReceived { to, tag }));
        }
        let Some(&(from, to, tag, receiver, size)) = receive else { continue };
        let (rank, node) = named(to, receiver);
        let Some(&(.., sender, bytes)) = send.filter(|_| sent == received) else {
            return Err(JobError::node(rank, node, NodeProblem::NotSent { from, tag }));
        };
        if size != bytes {
            let (sender, send) = named(from, sender);
            let by = NodeName::new(sender, send);
            let problem = NodeProblem::Size { received: size, sent: bytes, by };
            return Err(JobError::node(rank, node, problem));
        }
        partner[sender as usize] = receiver;
        partner[receiver as usize] = sender;
    }
    Ok(())
}

/// A collective of a rank: its number, what it is.
type Part<'a> = (u32, (Collective, Bytes), &'a Node);

fn collectives(job: &Job, first: &[u32]) -> Result<Vec<Together>, JobError> {
    // The rank's place in each group, by rank.
    let places: Vec<Vec<(u32, u32)>> = job
        .groups
        .iter()
        .map(|group| {
            let mut places: Vec<_> = group.ranks.iter().copied().zip(0..).collect();
            places.sort_unstable();
            places
        })
        .collect();
    let mut parts: Vec<Vec<Vec<Part<'_>>>> =
        job.groups.iter().map(|group| vec![Vec::new(); group.ranks.len()]).collect();
    for (rank, number, node) in numbered(job, first) {
        let Operation::Collective { kind, group, bytes } = node.operation else { continue };
        let of_group = &places[group as usize];
        let Ok(found) = of_group.binary_search_by_key(&rank, |(rank, _)| *rank) else {
            let name = job.groups[group as usize].name.clone();
            return Err(JobError::node(rank, node, NodeProblem::NotInGroup(name)));
        };
        let place = of_group[found].1 as usize;
        parts[group as usize][place].push((number, (kind, bytes), node));
    }
    let mut all = Vec::new();
    for (group, parts) in (0..).zip(&parts) {
        for round in 0..parts.iter().map(Vec::len).max().unwrap_or(0) {
            all.push(together(job, group, parts, round)?);
        }
    }
    Ok(all)
}

/// The collective of a group that is the `round`-th at each rank.
fn together(
    job: &Job,
    group: u32,
    parts: &[Vec<Part<'_>>],
    round: usize,
) -> Result<Together, JobError> {
    let of = &job.groups[group as usize];
    let here = || parts.iter().zip(&of.ranks).map(|(parts, rank)| (parts.get(round), *rank));
    let mut members = Vec::with_capacity(of.ranks.len());
    let mut begun: Option<(u32, Part<'_>)> = None;
    let mut missing = None;
    for (part, rank) in here() {
        let Some(&part) = part else {
            missing = missing.or(Some(rank));
            continue;
        };
        let (rank_of_first, first) = *begun.get_or_insert((rank, part));
        if first.1 != part.1 {
            let other = NodeName::new(rank_of_first, first.2);
            let problem = NodeProblem::Differs { here: part.1, there: first.1, other };
            return Err(JobError::node(rank, part.2, problem));
        }
        members.push(part.0);
    }
    match (begun, missing) {
        (Some((rank, part)), Some(missing)) => {
            let problem = NodeProblem::Alone { group: of.name.clone(), missing };
            Err(JobError::node(rank, part.2, problem))
        }
        (Some((_, (_, (kind, bytes), _))), None) => Ok(Together { kind, bytes, group, members }),
        // There is a round only if some rank has it.
        (None, _) => Ok(Together { kind: Collective::Barrier, bytes: Bytes::ZERO, group, members }),
    }
}
