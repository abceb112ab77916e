//! What happened, by the names of the configuration: who was paused first, who lost first, and how
//! much of the headroom was ever used.

use forebay_buffer::onchip::MemoryConfig;
use forebay_parameters::Entry;
use forebay_sched::DropCause;
use forebay_sonic::play::PlayedGroup;
use forebay_units::{Bytes, Duration, Rate, Time};

use super::build::Switch;
use super::metrics::Notes;
use super::params::SonicSetup;

/// A neighbour that was paused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    /// The port that it is behind.
    pub port: String,
    /// The priority that was paused, and its priority group there.
    pub priority: u8,
    /// From the burst's begin on.
    pub after: Duration,
    /// Senders of the burst behind that port.
    pub senders: u32,
}

/// The first packet of the burst that was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstLoss {
    /// Which sender, from 1.
    pub sender: u32,
    /// The port that it came through.
    pub port: String,
    /// Whether it was of the lossless class.
    pub lossless: bool,
    /// From the burst's begin on.
    pub after: Duration,
    /// Why.
    pub cause: DropCause,
    /// The profile whose headroom was full, if that is why.
    pub profile: Option<String>,
}

/// Headroom of the group that used most of it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadroomUse {
    /// The port of the group.
    pub port: String,
    /// Its profile.
    pub profile: String,
    /// The most that was in use, in whole cells.
    pub used: Bytes,
    /// What the configuration gives it (`xoff`).
    pub configured: Bytes,
    /// The most of the shared headroom that was in use, and what there is; none if each group has
    /// its own.
    pub pool: Option<(Bytes, Bytes)>,
}

/// What is set aside for headroom, and what would be needed.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadroomNeed {
    /// For whom.
    pub of: HeadroomOf,
    /// What the configuration gives (`xoff`).
    pub configured: Bytes,
    /// What is needed for the packets that are played, in whole cells.
    pub needed: Bytes,
    /// The largest packet of the configuration, and what is needed for packets of any size up to
    /// that.
    pub needed_at_most: (Bytes, Bytes),
}

/// Whose headroom.
#[derive(Clone, Debug, PartialEq)]
pub enum HeadroomOf {
    /// A group's, at the port of the profile whose link needs most.
    Profile {
        /// Its key in BUFFER_PROFILE.
        name: String,
        /// The port.
        port: String,
        /// The rate of the port, and the length of its cable in metres.
        link: (Rate, u32),
    },
    /// What groups share, when all of them are paused at once.
    Pool {
        /// Its key in BUFFER_POOL.
        name: String,
        /// How many ports draw on it.
        ports: usize,
    },
}

/// What happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The scheme.
    pub policy: String,
    /// Who was paused first.
    pub first_paused: Option<Paused>,
    /// Calls for pauses, and ports that were paused.
    pub pauses: (u64, u32),
    /// Who was paused for longest, and for how long.
    pub longest: Option<(String, Duration)>,
    /// Who lost first.
    pub first_loss: Option<FirstLoss>,
    /// How the headroom fared, if the burst has a lossless part.
    pub headroom: Option<HeadroomUse>,
    /// What every lossless profile and every pool with headroom needs.
    pub needs: Vec<HeadroomNeed>,
    /// Of the lossy and the lossless burst the bytes that were lost, and that arrived.
    pub lost: [(Bytes, Bytes); 2],
    /// Bytes of the burst that arrived before the run ended, and that were to be sent.
    pub arrived: (Bytes, Bytes),
    /// Packets of the burst that were marked, and that arrived.
    pub marked: (u64, u64),
    /// When the burst was complete, from its begin on, if all of it left.
    pub completed: Option<Duration>,
}

/// The largest packet if the file does not say: SONiC's default MTU.
const MTU: Bytes = Bytes::new(9_100);
/// Ethernet's smallest frame.
const SMALLEST: u32 = 64;

/// Tells what the notes of a run say.
#[must_use]
pub fn tell(setup: &SonicSetup, switch: &Switch, notes: &Notes) -> Story {
    let name = |port: usize| switch.played.ports[port].name.clone();
    let start = Time::ZERO + setup.burst_start;
    let after = |at: Time| if at > start { at.since(start) } else { Duration::ZERO };
    let senders = |port: usize| {
        let own = switch.flows.iter().filter(|flow| flow.input == port && flow.lossless);
        own.filter(|flow| flow.sender.is_some()).count() as u32
    };
    let longest =
        (0..notes.paused.len()).max_by_key(|port| (notes.paused[*port], std::cmp::Reverse(*port)));
    let longest = longest.filter(|port| notes.paused[*port] > Duration::ZERO);
    let paused = notes.paused.iter().filter(|span| **span > Duration::ZERO).count() as u32;
    let [lossy, lossless, _] = notes.tallies;
    let lost = [lossy, lossless].map(|one| (Bytes::new(one.lost), Bytes::new(one.arrived.1)));
    Story {
        policy: setup.policy.label().to_owned(),
        first_paused: notes.first_pause.map(|call| Paused {
            port: name(call.input.into()),
            priority: call.priority,
            after: after(call.at),
            senders: senders(call.input.into()),
        }),
        pauses: (notes.pauses, paused),
        longest: longest.map(|port| (name(port), notes.paused[port])),
        first_loss: notes.first_loss.map(|loss| {
            let flow = &switch.flows[loss.flow as usize];
            FirstLoss {
                sender: flow.sender.map_or(0, |sender| sender + 1),
                port: name(flow.input),
                lossless: flow.lossless,
                after: after(loss.at),
                cause: loss.cause,
                profile: (loss.cause == DropCause::HeadroomFull)
                    .then(|| switch.lossless_group(flow.input))
                    .flatten()
                    .map(|group| group.profile.clone()),
            }
        }),
        headroom: headroom(setup, switch, notes),
        needs: needs(setup, switch),
        lost,
        arrived: (Bytes::new(lossy.arrived.1 + lossless.arrived.1), Bytes::new(notes.expected)),
        marked: (lossy.marked + lossless.marked, lossy.arrived.0 + lossless.arrived.0),
        completed: notes.completed.map(after),
    }
}

fn headroom(setup: &SonicSetup, switch: &Switch, notes: &Notes) -> Option<HeadroomUse> {
    let used = notes.headroom?;
    let group = switch.lossless_group(used.input)?;
    let port = &switch.played.ports[used.input];
    let cell = Bytes::new(setup.cell.into());
    let pool = switch.played.ingress[group.pool].headroom;
    Some(HeadroomUse {
        port: port.name.clone(),
        profile: group.profile.clone(),
        used: cell * u64::from(used.most),
        configured: group.headroom,
        pool: pool.map(|all| (cell * u64::from(notes.pool_most), all)),
    })
}

/// What the links behind lossless groups need: for each profile the most that one of its ports
/// does, for each pool with headroom what all do.
fn needs(setup: &SonicSetup, switch: &Switch) -> Vec<HeadroomNeed> {
    let Some(class) = &switch.played.lossless else { return Vec::new() };
    let cell = Bytes::new(setup.cell.into());
    let largest = switch.played.mtu.unwrap_or(MTU);
    let most = u32::try_from(largest.get()).unwrap_or(u32::MAX);
    let played = setup.packet_bytes;
    let mut profiles: Vec<(&PlayedGroup, usize, [u64; 2])> = Vec::new();
    let mut pools = vec![(0, [0u64; 2]); switch.played.ingress.len()];
    for port in switch.played.inputs(class) {
        let Some(group) = &class.groups[port] else { continue };
        let own = [(played, played), (most, SMALLEST)];
        let own = own.map(|(largest, smallest)| needed(setup, switch, port, largest, smallest));
        let (ports, all) = &mut pools[group.pool];
        *ports += 1;
        *all = [0, 1].map(|which| all[which].saturating_add(own[which]));
        match profiles.iter_mut().find(|(other, ..)| other.profile == group.profile) {
            // Of equals the first.
            Some(found) if own > found.2 => *found = (group, port, own),
            Some(_) => {}
            None => profiles.push((group, port, own)),
        }
    }
    let need = |of, configured, [needed, at_most]: [u64; 2]| HeadroomNeed {
        of,
        configured,
        needed: cell * needed,
        needed_at_most: (largest, cell * at_most),
    };
    let of_profiles = profiles.into_iter().map(|(group, input, cells)| {
        let port = &switch.played.ports[input];
        let link = (port.speed, port.cable_metres.unwrap_or(setup.cable));
        let name = group.profile.clone();
        let of = HeadroomOf::Profile { name, port: port.name.clone(), link };
        need(of, group.headroom, cells)
    });
    let of_pools = switch.played.ingress.iter().zip(&pools).filter_map(|(pool, (ports, cells))| {
        let of = HeadroomOf::Pool { name: pool.name.clone(), ports: *ports };
        pool.headroom.filter(|_| *ports > 0).map(|all| need(of, all, *cells))
    });
    of_profiles.chain(of_pools).collect()
}

/// The headroom, in cells, that a port's link needs for packets from `smallest` to `largest`.
#[must_use]
pub fn needed(
    setup: &SonicSetup,
    switch: &Switch,
    port: usize,
    largest: u32,
    smallest: u32,
) -> u64 {
    let memory = MemoryConfig { cell: setup.cell, ..MemoryConfig::default() };
    let reaction = switch.reaction(setup, port, Bytes::new(largest.into()));
    let in_flight = memory.most_cells(reaction.in_flight().get(), &(smallest..=largest));
    // The packet that calls for the pause is one, whatever the others are.
    in_flight.saturating_add(memory.cells(largest).into())
}
