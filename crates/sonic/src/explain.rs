//! A configuration as numbers: how each pool is divided, and what the queues and priority groups of
//! each profile may use as the pool fills.
//!
//! Members with the same profile have the same numbers, so the explanation has one block per
//! profile with a list of its members, however many ports there are. Linear in the members (with a
//! sort).

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::check::{self, Finding, bytes};
use crate::config::{Config, Direction, Headroom, Kind, Member, Mode, Profile, Ramp, Threshold};
use crate::share::{PoolShare, shares};

/// The shares of a pool in use for which thresholds are given.
pub const OCCUPANCIES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// What a configuration comes to, in bytes and with the formulas.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Every pool, with what its settings come to.
    pub pools: Vec<PoolExplained>,
    /// Every profile in use, in the order of pools.
    pub profiles: Vec<ProfileExplained>,
    /// Every profile of early marking and dropping in use.
    pub marking: Vec<Marking>,
    /// Mistakes and oddities.
    pub findings: Vec<Finding>,
    /// Tables and fields that are present but not modelled, each once.
    pub not_modelled: Vec<String>,
    /// What the numbers take for granted where the configuration does not say.
    pub assumptions: Vec<&'static str>,
}

/// How a pool is divided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoolExplained {
    /// The name of its entry in the file.
    pub name: String,
    /// `ingress`, `egress` or `both`.
    pub direction: &'static str,
    /// `dynamic` or `static`.
    pub mode: &'static str,
    /// Its size; none if it is computed at run time.
    pub size_bytes: Option<u64>,
    /// Priority groups and queues that draw from it.
    pub members: u64,
    /// The bytes reserved by its members.
    pub reserved_bytes: u64,
    /// Headroom shared by its lossless members.
    pub shared_headroom_bytes: u64,
    /// Size less reservations and shared headroom.
    pub shared_bytes: Option<u64>,
    /// The sum of alpha over its members.
    pub sum_of_alphas: f64,
    /// Free memory when every member is congested, S / (1 + Σα).
    pub free_when_all_congested_bytes: Option<u64>,
}

/// What a profile gives each of its members.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProfileExplained {
    /// The name of its entry in the file.
    pub name: String,
    /// The pool that it takes its memory from.
    pub pool: String,
    /// Whether it has headroom.
    pub lossless: bool,
    /// The threshold's formula with its numbers.
    pub formula: String,
    /// The reserved bytes of each member.
    pub reserved_bytes: u64,
    /// The threshold on shared memory at the pool uses of [`OCCUPANCIES`]; empty if the size is not
    /// known.
    pub threshold_bytes: Vec<u64>,
    /// What a member takes of the shared part if it is the only congested one.
    pub alone_bytes: Option<u64>,
    /// What each member takes if all members of the pool are congested.
    pub all_congested_bytes: Option<u64>,
    /// Where a pause begins; none for a lossy profile, or if its headroom or the pool's size is not
    /// known.
    pub pause_at: Option<Limit>,
    /// Where packets are dropped; none if its headroom or the pool's size is not known.
    pub drop_at: Option<Limit>,
    /// What happens above the limit, in words.
    pub beyond: String,
    /// The members with this profile.
    pub members: Vec<MembersExplained>,
}

/// A level of a member's use at which something happens: a fixed part plus its use of the shared
/// part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    /// Its formula in the fields of the profile, with T for the threshold.
    pub formula: &'static str,
    /// The bytes at the pool uses of [`OCCUPANCIES`].
    pub bytes: Vec<u64>,
    /// The same if the member is the only congested one.
    pub alone_bytes: Option<u64>,
    /// The same if all members of the pool are congested.
    pub all_congested_bytes: Option<u64>,
}

impl Limit {
    /// A limit `fixed` bytes above each of the shared parts.
    fn new(
        formula: &'static str,
        fixed: u64,
        threshold: &[u64],
        alone: Option<u64>,
        all: Option<u64>,
    ) -> Limit {
        let above = |shared: u64| shared.saturating_add(fixed);
        Limit {
            formula,
            bytes: threshold.iter().map(|shared| above(*shared)).collect(),
            alone_bytes: alone.map(above),
            all_congested_bytes: all.map(above),
        }
    }
}

/// Members of one profile with the same kind, indices and service.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MembersExplained {
    /// `priority group` or `queue`.
    pub kind: &'static str,
    /// Their indices at each port, as `3-4`.
    pub indices: String,
    /// How the ports serve them, if the file says.
    pub service: Option<String>,
    /// Their profile of early marking and dropping, if they have one.
    pub wred: Option<String>,
    /// The ports that have them.
    pub ports: Vec<String>,
}

/// What a WRED profile does as a queue grows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Marking {
    /// The name of its entry in the file.
    pub name: String,
    /// A sentence for each group of colours that are treated alike.
    pub colours: Vec<String>,
}

/// Explains a configuration.
#[must_use]
pub fn explain(config: &Config) -> Explanation {
    let shares = shares(config);
    let pools = config.pools.iter().zip(&shares).map(|(pool, share)| PoolExplained {
        name: pool.name.clone(),
        direction: direction(pool.direction),
        mode: if pool.mode == Mode::Dynamic { "dynamic" } else { "static" },
        size_bytes: pool.size.map(|size| size.get()),
        members: share.members,
        reserved_bytes: share.reserved.get(),
        shared_headroom_bytes: pool.shared_headroom.get(),
        shared_bytes: share.shared.map(|shared| shared.get()),
        sum_of_alphas: share.alphas,
        free_when_all_congested_bytes: share.free_when_all_congested().map(|free| free.get()),
    });
    Explanation {
        pools: pools.collect(),
        profiles: profiles(config, &shares),
        marking: marking(config),
        findings: check::findings(config),
        not_modelled: config.unmodelled.clone(),
        assumptions: assumptions(config),
    }
}

/// A direction's word.
pub(crate) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Ingress => "ingress",
        Direction::Egress => "egress",
        Direction::Both => "ingress and egress",
    }
}

fn profiles(config: &Config, shares: &[PoolShare]) -> Vec<ProfileExplained> {
    let mut order: Vec<usize> = (0..config.profiles.len()).collect();
    order.sort_by_key(|index| config.profiles[*index].pool);
    let mut explained = Vec::new();
    for index in order {
        let members = members(config, index);
        if members.is_empty() {
            continue;
        }
        let profile = &config.profiles[index];
        let (pool, share) = (&config.pools[profile.pool], &shares[profile.pool]);
        let threshold = |used: &f64| {
            let used = share.shared?.get() as f64 * used;
            share.threshold(profile, forebay_units::Bytes::new(used as u64)).map(|t| t.get())
        };
        let threshold_bytes: Vec<u64> = OCCUPANCIES.iter().filter_map(threshold).collect();
        let alone = share.alone(profile).map(|bytes| bytes.get());
        let all = share.all_congested(profile).map(|bytes| bytes.get());
        let limit = |(formula, fixed)| Limit::new(formula, fixed, &threshold_bytes, alone, all);
        let (pause, drop) = limits(profile, pool.shared_headroom.get());
        explained.push(ProfileExplained {
            name: profile.name.clone(),
            pool: pool.name.clone(),
            lossless: profile.lossless(),
            formula: formula(profile),
            reserved_bytes: profile.reserved.get(),
            alone_bytes: alone,
            all_congested_bytes: all,
            pause_at: pause.filter(|_| share.shared.is_some()).map(limit),
            drop_at: drop.filter(|_| share.shared.is_some()).map(limit),
            threshold_bytes,
            beyond: beyond(profile, pool.shared_headroom.get()),
            members,
        });
    }
    explained
}

fn formula(profile: &Profile) -> String {
    match profile.threshold {
        Threshold::Dynamic(alpha) => {
            let (exponent, factor) = (alpha.exponent(), alpha.factor());
            format!("α · free, with α = 2^{exponent} = {factor} (dynamic_th {exponent})")
        }
        Threshold::Static(limit) => {
            format!("{} whatever is free (static_th)", bytes(limit.get()))
        }
    }
}

/// A limit's formula, and the part of it that does not depend on the pool's use.
type Fixed = (&'static str, u64);

/// Where a pause begins and where packets are dropped. A member's own headroom is part of `size`
/// (SAI), so the pause comes before `size` is full; shared headroom comes on top of it.
fn limits(profile: &Profile, shared_headroom: u64) -> (Option<Fixed>, Option<Fixed>) {
    let size = profile.reserved.get();
    match profile.headroom {
        Headroom::None => (None, Some(("size + T", size))),
        Headroom::Computed => (None, None),
        Headroom::Fixed { xoff, .. } if shared_headroom > 0 => {
            (Some(("size + T", size)), Some(("size + T + xoff", size.saturating_add(xoff.get()))))
        }
        Headroom::Fixed { xoff, .. } => {
            // A headroom above `size` has its own check; the pause then begins with the shared
            // part.
            let before = size.saturating_sub(xoff.get());
            (Some(("size - xoff + T", before)), Some(("size + T", size)))
        }
    }
}

fn beyond(profile: &Profile, shared_headroom: u64) -> String {
    match profile.headroom {
        Headroom::None => "no headroom: a packet beyond size + T is dropped".to_owned(),
        Headroom::Computed => {
            "lossless: the switch computes the headroom from speed, cable and MTU, and with it \
                               where a pause begins"
                .to_owned()
        }
        Headroom::Fixed { xoff, xon, xon_offset } => {
            let room = if shared_headroom > 0 {
                let shared = bytes(shared_headroom);
                format!("the pool's shared headroom of {shared}, as long as that lasts")
            } else {
                "its own `size`".to_owned()
            };
            format!(
                "lossless: a pause is sent, after which up to {} more (xoff) fit in {room}; the \
                 pause ends below {} or {} below where it began, whichever is more (xon, \
                 xon_offset)",
                bytes(xoff.get()),
                bytes(xon.get()),
                bytes(xon_offset.get())
            )
        }
    }
}

/// How a queue is served, and which profile marks its packets.
type Treatment = (Option<String>, Option<usize>);

/// The members of a profile, equal ones together.
fn members(config: &Config, profile: usize) -> Vec<MembersExplained> {
    let from = config.members.partition_point(|member| member.profile < profile);
    let to = config.members.partition_point(|member| member.profile <= profile);
    // Indices of each port, by kind and service.
    let mut by_port: BTreeMap<(Kind, usize, Treatment), Vec<u8>> = BTreeMap::new();
    for member in &config.members[from..to] {
        let port = &config.ports[member.port];
        let served = port.service.get(&member.index).filter(|_| member.kind == Kind::Queue);
        let service = served.map(|service| match service.weight {
            Some(weight) => format!("{}, weight {weight}", service.discipline),
            None => service.discipline.clone(),
        });
        let wred = port.wred.get(&member.index).filter(|_| member.kind == Kind::Queue).copied();
        by_port.entry((member.kind, member.port, (service, wred))).or_default().push(member.index);
    }
    let mut alike: BTreeMap<(Kind, String, Treatment), Vec<String>> = BTreeMap::new();
    for ((kind, port, treatment), indices) in by_port {
        let name = config.ports[port].name.clone();
        alike.entry((kind, ranges(&indices), treatment)).or_default().push(name);
    }
    let explained =
        alike.into_iter().map(|((kind, indices, (service, wred)), ports)| MembersExplained {
            kind: if kind == Kind::Queue { "queue" } else { "priority group" },
            indices,
            service,
            wred: wred.map(|wred| config.wreds[wred].name.clone()),
            ports,
        });
    explained.collect()
}

/// The profiles of early marking that queues have.
fn marking(config: &Config) -> Vec<Marking> {
    let used: BTreeSet<usize> =
        config.ports.iter().flat_map(|p| p.wred.values().copied()).collect();
    let explained = used.into_iter().map(|index| {
        let wred = &config.wreds[index];
        let mut alike: Vec<(Option<Ramp>, Vec<&str>)> = Vec::new();
        for (ramp, colour) in wred.ramps.iter().zip(["green", "yellow", "red"]) {
            match alike.iter_mut().find(|(other, _)| other == ramp) {
                Some((_, colours)) => colours.push(colour),
                None => alike.push((*ramp, vec![colour])),
            }
        }
        let sentences = alike.iter().map(|(ramp, colours)| ramp_text(*ramp, &colours.join(", ")));
        Marking { name: wred.name.clone(), colours: sentences.collect() }
    });
    explained.collect()
}

/// What happens to packets of some colours.
fn ramp_text(ramp: Option<Ramp>, colours: &str) -> String {
    let Some(Ramp { min, max, percent, ecn, drops }) = ramp else {
        return format!("{colours}: nothing before the queue is full");
    };
    let what = match (ecn, drops) {
        (true, true) => "marked (ECN), or dropped if its ends do not know ECN,",
        (true, false) => "marked (ECN) if its ends know ECN",
        (false, _) => "dropped (WRED)",
    };
    format!(
        "{colours}: a packet is {what} from {} in the queue on, with a probability that grows to \
         {percent} % at {}, and always above",
        bytes(min.get()),
        bytes(max.get())
    )
}

/// Ascending indices as `0-2,5`.
fn ranges(indices: &[u8]) -> String {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for index in indices {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => runs.push((*index, *index)),
        }
    }
    let text = |(first, last): &(u8, u8)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(text).collect::<Vec<_>>().join(",")
}

fn assumptions(config: &Config) -> Vec<&'static str> {
    let mut assumed = vec![
        "the shared part of a pool is its size less reservations and shared headroom (SAI); a \
         switch whose `size` is the shared part alone has more to share",
    ];
    if config.members.iter().any(|member| member.kind == Kind::PriorityGroup) {
        assumed
            .push("priority n uses priority group n and queue n (only `compare` follows the maps)");
    }
    let both = |member: &Member, kind| {
        member.kind == kind && config.pool_of(member).direction == Direction::Both
    };
    let has_both = |kind| config.members.iter().any(|member| both(member, kind));
    if has_both(Kind::PriorityGroup) && has_both(Kind::Queue) {
        assumed.push(
            "where a pool counts both sides, priority groups and queues are members like any \
             other: with all of them congested, each holds packets of its own",
        );
    }
    if config.profiles.iter().any(
        |p| matches!(p.threshold, Threshold::Dynamic(a) if a.exponent() >= 7 || a.exponent() == -8),
    ) {
        assumed.push(
            "alpha is 2^dynamic_th even at -8 and 7, which some switches take as none and \
                      unlimited",
        );
    }
    assumed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_short() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(ranges(&[]), "");
    }
}
