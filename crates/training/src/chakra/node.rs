//! What a node of a trace does.

use forebay_units::{Bytes, Duration};

use super::attributes::{is_true, name_of, needed, number, rank as rank_of, truths};
use super::error::ChakraProblem;
use super::{ALL, Traces, schema};
use crate::job::{Collective, Operation, Processor};

const PS_PER_S: u128 = 1_000_000_000_000;

/// The operation of a rank's node.
pub(super) fn operation(
    traces: &mut Traces<'_>,
    rank: u32,
    node: &schema::Node,
) -> Result<Operation, ChakraProblem> {
    match node.kind {
        1 => Ok(Operation::Compute { time: Duration::ZERO, on: Processor::Host }),
        2 | 3 => {
            let time = Duration::from_us(node.duration_micros);
            Ok(Operation::Compute { time, on: Processor::Accelerator })
        }
        4 => computation(traces.config.ops_per_second, node),
        5..=7 if is_true(node, "is_cpu_op")? => Err(ChakraProblem::OnHost),
        5 => {
            let (to, tag, bytes) = message(rank, node, ["comm_src", "comm_dst"])?;
            Ok(Operation::Send { to, tag, bytes })
        }
        6 => {
            let (from, tag, bytes) = message(rank, node, ["comm_dst", "comm_src"])?;
            Ok(Operation::Receive { from, tag, bytes })
        }
        7 => collective(traces, node),
        kind => Err(ChakraProblem::Kind(kind)),
    }
}

fn computation(
    ops_per_second: Option<u64>,
    node: &schema::Node,
) -> Result<Operation, ChakraProblem> {
    let on = match is_true(node, "is_cpu_op")? {
        true => Processor::Host,
        false => Processor::Accelerator,
    };
    let time = match (node.duration_micros, number(node, "num_ops")?.unwrap_or(0)) {
        (0, 0) => Duration::ZERO,
        (0, operations) => {
            let speed = ops_per_second.filter(|speed| *speed > 0);
            let speed = u128::from(speed.ok_or(ChakraProblem::NoSpeed)?);
            let ps = (u128::from(operations) * PS_PER_S).div_ceil(speed);
            Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
        }
        (us, _) => Duration::from_us(us),
    };
    Ok(Operation::Compute { time, on })
}

/// A message: the other rank, the tag and the size. `sides` are the attributes that name its own
/// rank and the other.
fn message(
    rank: u32,
    node: &schema::Node,
    sides: [&'static str; 2],
) -> Result<(u32, u64, Bytes), ChakraProblem> {
    let own = rank_of(node, sides[0])?;
    if let Some(other) = own.filter(|own| *own != rank) {
        return Err(ChakraProblem::OtherRank { name: sides[0], rank: other });
    }
    let other = rank_of(node, sides[1])?.ok_or(ChakraProblem::NoAttribute(sides[1]))?;
    let bytes = Bytes::new(needed(node, "comm_size")?);
    Ok((other, number(node, "comm_tag")?.unwrap_or(0), bytes))
}

fn collective(traces: &mut Traces<'_>, node: &schema::Node) -> Result<Operation, ChakraProblem> {
    let kind = match needed(node, "comm_type")? {
        0 => Collective::AllReduce,
        2 => Collective::AllGather,
        6 => Collective::AllToAll,
        7 | 8 => Collective::ReduceScatter,
        9 => Collective::Barrier,
        other => return Err(ChakraProblem::Collective(other)),
    };
    let bytes = match kind {
        Collective::Barrier => 0,
        Collective::AllReduce
        | Collective::AllGather
        | Collective::AllToAll
        | Collective::ReduceScatter => needed(node, "comm_size")?,
    };
    for name in ["involved_dim", "involve_dims"] {
        if truths(node, name)?.is_some_and(|dims| dims.contains(&false)) {
            return Err(ChakraProblem::Dimensions);
        }
    }
    let name = name_of(node, "pg_name")?;
    let name = name.map_or_else(|| name_of(node, "comm_group"), |name| Ok(Some(name)))?;
    let group = name.map_or(Ok(ALL), |name| traces.group(&name))?;
    Ok(Operation::Collective { kind, group, bytes: Bytes::new(bytes) })
}
