//! What of a configuration a simulation plays: the queues and priority groups of two classes of
//! traffic, one that may lose packets and one that may not, at every port.
//!
//! [`Played::new`] finds the classes and everything that limits them, on both sides; or it says
//! what in the file keeps it from being played, where, and what to do ([`Unplayable`]). Sizes stay
//! in bytes as in the file; which cells they are is the simulation's business.
//!
//! What SONiC and SAI leave open is decided here, and described in `docs/sonic.md`:
//!
//! - a traffic class without a map has the queue of its number; its priority group is that of its
//!   number if the port has one, else group 0;
//! - headroom (`xoff`) is part of `size` if it fits into it and the pool has no shared headroom;
//!   otherwise it lies beside;
//! - a static threshold of 0 is none at all, as SONiC's profiles for unused ports mean it;
//! - without `xon_offset` a pause ends at `xon`; without either, at the limit.
//!
//! O(ports + members · log members).

mod find;

use std::fmt;

use forebay_units::{Bytes, Rate};

use self::find::Members;
use crate::config::{Config, Direction, Headroom, Kind, Member, Port, Service, Threshold, Wred};
use crate::share::{PoolShare, shares};

/// The speed of a port for which the file has none.
pub const SPEED: Rate = Rate::from_gbps(100);
/// The length of a cable in metres for which the file has none: between the 5 m and the 300 m that
/// vendors' templates have as their defaults.
pub const CABLE: u32 = 40;

/// What keeps a configuration from being played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Unplayable {
    /// The place, as SONiC writes it: `TABLE|key.field`.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
    /// What to do about it.
    pub fix: String,
}

impl fmt::Display for Unplayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.problem, self.fix)
    }
}

fn refuse(
    path: impl Into<String>,
    problem: impl Into<String>,
    fix: impl Into<String>,
) -> Unplayable {
    Unplayable { path: path.into(), problem: problem.into(), fix: fix.into() }
}

/// Which classes get a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Burst {
    /// A queue that may lose packets.
    Lossy,
    /// A queue that may not: its senders are paused.
    Lossless,
    /// Both, at the same port.
    Both,
}

impl Burst {
    /// Whether a burst comes in the lossy class.
    #[must_use]
    pub fn lossy(self) -> bool {
        self != Burst::Lossless
    }

    /// Whether one comes in the lossless class.
    #[must_use]
    pub fn lossless(self) -> bool {
        self != Burst::Lossy
    }
}

/// What to play.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The port that receives the burst; none for the first that has the queues.
    pub port: Option<&'a str>,
    /// The queue of the lossy class; none for the first.
    pub lossy: Option<u8>,
    /// The queue of the lossless class; none for the first.
    pub lossless: Option<u8>,
    /// Where the burst goes.
    pub burst: Burst,
}

/// A pool, and what of it members share.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedPool {
    /// Its key in BUFFER_POOL.
    pub name: String,
    /// Its size less all reservations and shared headroom.
    pub shared: Bytes,
    /// Headroom that its groups share; none if each has its own.
    pub headroom: Option<Bytes>,
}

/// A queue of a port.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedQueue {
    /// Index of its egress pool in [`Played::egress`].
    pub pool: usize,
    /// What only it can use.
    pub reserved: Bytes,
    /// What it may take of the shared part.
    pub threshold: Threshold,
    /// Its profile's key in BUFFER_PROFILE.
    pub profile: String,
    /// Its early marks and drops.
    pub wred: Option<Wred>,
    /// How its port serves it, if the file says.
    pub service: Option<Service>,
}

/// A priority group of a port.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGroup {
    /// Index of its ingress pool in [`Played::ingress`].
    pub pool: usize,
    /// What only it can use, without its headroom.
    pub reserved: Bytes,
    /// What it may take of the shared part.
    pub threshold: Threshold,
    /// The headroom that it may take.
    pub headroom: Bytes,
    /// What of its headroom is part of its profile's `size`; the rest lies beside the pool, unless
    /// groups share it.
    pub inside: Bytes,
    /// The priority that it pauses, if any.
    pub pauses: Option<u8>,
    /// The pause ends when it holds no more than this …
    pub xon: Bytes,
    /// … or is this far below its limit; `None` if that ends no pause.
    pub xon_offset: Option<Bytes>,
    /// Its profile's key in BUFFER_PROFILE.
    pub profile: String,
}

/// A class of traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedClass {
    /// Whether its packets must not be lost.
    pub lossless: bool,
    /// Its queue at every port.
    pub queue: u8,
    /// Its traffic class.
    pub traffic_class: u8,
    /// The DSCPs that are sorted into it, if the file says.
    pub dscps: Vec<u8>,
    /// Its priority group at the burst's port, by which inputs without maps have it, too.
    pub group: u8,
    /// Its queue at each port, if that has it.
    pub queues: Vec<Option<PlayedQueue>>,
    /// The priority group of its packets at each port as they come in; none if they are not
    /// counted there.
    pub groups: Vec<Option<PlayedGroup>>,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedPort {
    /// Its name.
    pub name: String,
    /// Its rate.
    pub speed: Rate,
    /// The length of its cable in metres, if the file has it.
    pub cable_metres: Option<u32>,
    /// Whether the file has its rate.
    pub known_speed: bool,
}

/// What of a configuration is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The ports.
    pub ports: Vec<PlayedPort>,
    /// The index of the port that receives the burst.
    pub output: usize,
    /// The lossy class, if the file has one.
    pub lossy: Option<PlayedClass>,
    /// The lossless class, if a burst goes to it.
    pub lossless: Option<PlayedClass>,
    /// Ingress pools that groups draw on.
    pub ingress: Vec<PlayedPool>,
    /// Egress pools that queues draw on.
    pub egress: Vec<PlayedPool>,
    /// The largest packet of lossless traffic, if the file says.
    pub mtu: Option<Bytes>,
}

impl Played {
    /// Finds what is played.
    ///
    /// # Errors
    /// What keeps it from being played.
    pub fn new(config: &Config, wanted: &Wanted<'_>) -> Result<Played, Unplayable> {
        let members = Members::of(config);
        let places = find::places(&members, wanted)?;
        let mut building = Building::of(config, members, places.output);
        let lossy = places.lossy.map(|queue| building.class(queue, false)).transpose()?;
        let lossless = places.lossless.map(|queue| building.class(queue, true)).transpose()?;
        Ok(building.finish(lossy, lossless))
    }

    /// The classes that are played, lossy first.
    pub fn classes(&self) -> impl Iterator<Item = &PlayedClass> {
        self.lossy.iter().chain(&self.lossless)
    }

    /// The ports that can send packets of a class to the burst's port: of a lossless class, those
    /// whose group pauses them.
    pub fn inputs<'a>(&'a self, class: &'a PlayedClass) -> impl Iterator<Item = usize> + 'a {
        let sends = |port: &usize| {
            let group = class.groups[*port].as_ref();
            !class.lossless || group.is_some_and(|group| group.pauses.is_some())
        };
        (0..self.ports.len()).filter(|port| *port != self.output).filter(sends)
    }

    /// The ports whose queue of the lossy class draws on the same pool as the burst's port's.
    pub fn congestible(&self) -> Vec<usize> {
        let Some(lossy) = &self.lossy else { return Vec::new() };
        let pool = |port: usize| lossy.queues[port].as_ref().map(|queue| queue.pool);
        let own = pool(self.output);
        (0..self.ports.len()).filter(|port| *port != self.output && pool(*port) == own).collect()
    }
}

/// Pools by the index that the configuration has them under.
struct Pools {
    indices: Vec<Option<usize>>,
    played: Vec<PlayedPool>,
}

impl Pools {
    fn index(
        &mut self,
        config: &Config,
        shares: &[PoolShare],
        pool: usize,
    ) -> Result<usize, Unplayable> {
        if let Some(index) = self.indices[pool] {
            return Ok(index);
        }
        let found = &config.pools[pool];
        let path = format!("BUFFER_POOL|{}.size", found.name);
        let Some(shared) = shares[pool].shared else {
            let fix = "give it, as `show buffer_pool` has it";
            return Err(refuse(path, "the pool's size is not in the file", fix));
        };
        if shared == Bytes::ZERO {
            let problem = "reservations and headroom leave nothing of the pool to share";
            return Err(refuse(path, problem, "give it a larger size, or lower them"));
        }
        let headroom = (found.shared_headroom.get() > 0).then_some(found.shared_headroom);
        self.played.push(PlayedPool { name: found.name.clone(), shared, headroom });
        self.indices[pool] = Some(self.played.len() - 1);
        Ok(self.played.len() - 1)
    }
}

struct Building<'a> {
    config: &'a Config,
    members: Members<'a>,
    shares: Vec<PoolShare>,
    /// The ports of the same kind as the burst's, as indices.
    ports: Vec<usize>,
    output: usize,
    ingress: Pools,
    egress: Pools,
}

impl<'a> Building<'a> {
    fn of(config: &'a Config, members: Members<'a>, output: usize) -> Self {
        let of_chassis = config.ports[output].of_chassis();
        let alike = |port: &usize| config.ports[*port].of_chassis() == of_chassis;
        let pools = || Pools { indices: vec![None; config.pools.len()], played: Vec::new() };
        Building {
            config,
            members,
            shares: shares(config),
            ports: (0..config.ports.len()).filter(alike).collect(),
            output,
            ingress: pools(),
            egress: pools(),
        }
    }

    fn class(&mut self, queue: u8, lossless: bool) -> Result<PlayedClass, Unplayable> {
        let config = self.config;
        let out = &config.ports[self.output];
        let traffic_class = find::traffic_class(out, queue);
        let group = self.members.group(self.output, traffic_class);
        let of_dscp = out.classes.of_dscp.iter().flatten();
        let dscps = of_dscp.filter(|(_, class)| **class == traffic_class).map(|(dscp, _)| *dscp);
        let mut class = PlayedClass {
            lossless,
            queue,
            traffic_class,
            dscps: dscps.collect(),
            group,
            queues: Vec::new(),
            groups: Vec::new(),
        };
        for port in self.ports.clone() {
            class.queues.push(self.queue(port, queue)?);
            class.groups.push(self.group(port, traffic_class, lossless)?);
        }
        if lossless && !self.is_paused(&class) {
            let path = format!("PORT_QOS_MAP|{}.pfc_enable", out.name);
            let problem = format!(
                "no other port has a priority group for priority {group} that pauses its neighbour"
            );
            let fix = "give the ports BUFFER_PG entries with xoff, and the priority in pfc_enable, \
                       as the running configuration of the switch has them";
            return Err(refuse(path, problem, fix));
        }
        Ok(class)
    }

    /// Whether any port but the burst's is ever paused for a class.
    fn is_paused(&self, class: &PlayedClass) -> bool {
        self.ports.iter().zip(&class.groups).any(|(port, group)| {
            *port != self.output && group.as_ref().is_some_and(|group| group.pauses.is_some())
        })
    }

    fn queue(&mut self, port: usize, index: u8) -> Result<Option<PlayedQueue>, Unplayable> {
        let config = self.config;
        let Some(member) = self.members.get(Kind::Queue, port, index) else { return Ok(None) };
        let profile = config.profile_of(member);
        if config.pool_of(member).direction == Direction::Ingress {
            let path = format!("BUFFER_PROFILE|{}.pool", profile.name);
            let problem = format!("`{}` is an ingress pool", config.pool_of(member).name);
            return Err(refuse(path, problem, "play a queue of an egress pool"));
        }
        let pool = self.egress.index(config, &self.shares, profile.pool)?;
        let wred = config.ports[port].wred.get(&index).map(|wred| config.wreds[*wred].clone());
        Ok(Some(PlayedQueue {
            pool,
            reserved: profile.reserved,
            threshold: profile.threshold,
            profile: profile.name.clone(),
            wred,
            service: config.ports[port].service.get(&index).cloned(),
        }))
    }

    fn group(
        &mut self,
        port: usize,
        traffic_class: u8,
        lossless: bool,
    ) -> Result<Option<PlayedGroup>, Unplayable> {
        let config = self.config;
        let index = self.members.group(port, traffic_class);
        let Some(member) = self.members.get(Kind::PriorityGroup, port, index) else {
            return Ok(None);
        };
        let profile = config.profile_of(member);
        let pool = self.ingress.index(config, &self.shares, profile.pool)?;
        let priority = find::priority(&config.ports[port], index);
        let pauses = find::is_flow_controlled(&config.ports[port], priority).then_some(priority);
        let path = || format!("BUFFER_PROFILE|{}.xoff", profile.name);
        let (headroom, xon, offset) = match profile.headroom {
            Headroom::None => (Bytes::ZERO, Bytes::ZERO, Bytes::ZERO),
            Headroom::Fixed { xoff, xon, xon_offset } => (xoff, xon, xon_offset),
            Headroom::Computed if !lossless => (Bytes::ZERO, Bytes::ZERO, Bytes::ZERO),
            Headroom::Computed => {
                let problem = "the switch computes the headroom by speed and cable";
                let fix = "give size, xon and xoff, as `show buffer information` has them";
                return Err(refuse(path(), problem, fix));
            }
        };
        let own = self.ingress.played[pool].headroom.is_none();
        let inside = if own && headroom <= profile.reserved { headroom } else { Bytes::ZERO };
        let by_limit = offset > Bytes::ZERO || xon == Bytes::ZERO;
        Ok(Some(PlayedGroup {
            pool,
            reserved: Bytes::new(profile.reserved.get() - inside.get()),
            threshold: profile.threshold,
            headroom,
            inside,
            pauses,
            xon,
            xon_offset: by_limit.then_some(offset),
            profile: profile.name.clone(),
        }))
    }

    fn finish(self, lossy: Option<PlayedClass>, lossless: Option<PlayedClass>) -> Played {
        let of = |port: &Port| PlayedPort {
            name: port.name.clone(),
            speed: port.speed.unwrap_or(SPEED),
            cable_metres: port.cable_metres,
            known_speed: port.speed.is_some(),
        };
        let ports = self.ports.iter().map(|port| of(&self.config.ports[*port]));
        Played {
            ports: ports.collect(),
            output: self.ports.iter().position(|port| *port == self.output).unwrap_or(0),
            lossy,
            lossless,
            ingress: self.ingress.played,
            egress: self.egress.played,
            mtu: self.config.mtu,
        }
    }
}

impl Config {
    /// Whether the packets of a queue must not be lost: flow control is on for the priority of its
    /// traffic class, as the queue's own port has it.
    #[must_use]
    pub fn is_lossless(&self, port: usize, queue: u8) -> bool {
        self.ports.get(port).is_some() && find::is_lossless(self, port, queue)
    }
}

/// A member of the file, for whoever names it in a message.
pub(crate) fn place(config: &Config, member: &Member) -> String {
    let table = match member.kind {
        Kind::PriorityGroup => "BUFFER_PG",
        Kind::Queue => "BUFFER_QUEUE",
    };
    format!("{table}|{}|{}", config.ports[member.port].name, member.index)
}
