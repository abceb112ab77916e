//! The parts of a buffer configuration: pools, profiles, and the priority groups and queues that
//! use them.
//!
//! Source: the fields of SONiC's CONFIG_DB (`config_db.json`) and of SAI behind it, in our own
//! words. An ingress *priority group* and an egress *queue* each have a *profile*; a profile has a
//! reserved part and a threshold on the shared part of a *pool*. References are indices, checked
//! when the file is read.
//!
//! Memory: a few machine words per priority group and queue, [`MEMBERS`] at most.

use std::collections::BTreeMap;

use forebay_units::{Bytes, Rate};

/// The most priority groups and queues of one configuration.
pub const MEMBERS: usize = 1 << 16;
/// The largest accepted size, 1 TiB: sums over all members stay far from overflow.
pub const LARGEST_SIZE: u64 = 1 << 40;

/// On which side of the switch a pool counts packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// As they come in, by priority group.
    Ingress,
    /// As they go out, by queue.
    Egress,
    /// On both sides.
    Both,
}

/// How a pool limits its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Thresholds are multiples of the free memory.
    Dynamic,
    /// Thresholds are in bytes.
    Static,
}

/// Shared packet memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Its key in BUFFER_POOL.
    pub name: String,
    /// The side on which it counts.
    pub direction: Direction,
    /// The meaning of its thresholds.
    pub mode: Mode,
    /// Its size; none if the switch computes it at run time.
    pub size: Option<Bytes>,
    /// The headroom that its lossless members share (`xoff` of the pool); zero if each has its own.
    pub shared_headroom: Bytes,
}

/// A threshold factor: 2 to the power of `dynamic_th`.
///
/// SONiC's model allows exponents from -8 to 7 (sonic-buffer-profile, leaf `dynamic_th`), SAI
/// defines the factor as 2 to that power, and occamy §2.2 says why powers of two: a threshold is a
/// shift of the free size.
///
/// ```
/// use forebay_sonic::AlphaExponent;
/// use forebay_units::Bytes;
///
/// let alpha = AlphaExponent::new(-1).unwrap();
/// assert_eq!(alpha.factor(), 0.5);
/// assert_eq!(alpha.of(Bytes::new(3000)), Bytes::new(1500));
/// assert!(AlphaExponent::new(9).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlphaExponent(i8);

impl AlphaExponent {
    /// The smallest exponent that hardware takes: α = 1/256.
    pub const MIN: i8 = -8;
    /// The largest exponent that hardware takes: α = 128.
    pub const MAX: i8 = 7;

    /// 2 to the power of `exponent`, if that is between [`AlphaExponent::MIN`] and
    /// [`AlphaExponent::MAX`].
    #[must_use]
    pub fn new(exponent: i8) -> Option<AlphaExponent> {
        (AlphaExponent::MIN..=AlphaExponent::MAX)
            .contains(&exponent)
            .then_some(AlphaExponent(exponent))
    }

    /// The exponent, which is `dynamic_th`.
    #[must_use]
    pub fn exponent(self) -> i8 {
        self.0
    }

    /// Alpha: two to the power of the exponent.
    #[must_use]
    pub fn factor(self) -> f64 {
        f64::powi(2.0, i32::from(self.0))
    }

    /// The threshold for this much free memory, rounded down.
    #[must_use]
    pub fn of(self, free: Bytes) -> Bytes {
        let shift = u32::from(self.0.unsigned_abs());
        let free = u128::from(free.get());
        let threshold = if self.0 < 0 { free >> shift } else { free << shift };
        Bytes::new(u64::try_from(threshold).unwrap_or(u64::MAX))
    }
}

/// How much of a pool's shared part a member may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Alpha times the free part of the pool.
    Dynamic(AlphaExponent),
    /// So many bytes, however full the pool is.
    Static(Bytes),
}

/// Room for what still arrives after a pause was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headroom {
    /// The profile is lossy.
    None,
    /// The file gives the headroom.
    Fixed {
        /// How much may still arrive after the pause was asked for.
        xoff: Bytes,
        /// The pause ends below this use …
        xon: Bytes,
        /// … or this far below the limit, whichever is more.
        xon_offset: Bytes,
    },
    /// The switch computes it from speed and cable at run time.
    Computed,
}

/// Limits that members share by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its key in BUFFER_PROFILE.
    pub name: String,
    /// Index of its pool.
    pub pool: usize,
    /// The reserved bytes of each member.
    pub reserved: Bytes,
    /// What each member may take of the shared part.
    pub threshold: Threshold,
    /// Its headroom; [`Headroom::None`] makes it lossy.
    pub headroom: Headroom,
}

impl Profile {
    /// Whether it has headroom, and is therefore meant for lossless traffic.
    #[must_use]
    pub fn lossless(&self) -> bool {
        self.headroom != Headroom::None
    }
}

/// What is counted against a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An ingress priority group (BUFFER_PG).
    PriorityGroup,
    /// An egress queue (BUFFER_QUEUE).
    Queue,
}

/// One priority group or queue of one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Index of its profile.
    pub profile: usize,
    /// What it is.
    pub kind: Kind,
    /// Index of its port.
    pub port: usize,
    /// Its index at the port.
    pub index: u8,
}

/// A profile that limits a whole port (BUFFER_PORT_…_PROFILE_LIST).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortLimit {
    /// Index of the port.
    pub port: usize,
    /// Index of the profile.
    pub profile: usize,
}

/// How a port serves a queue (SCHEDULER).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// `STRICT`, `DWRR` or `WRR`, as in the file.
    pub discipline: String,
    /// Its weight among others of its kind.
    pub weight: Option<u32>,
}

/// When a queue's packets are marked or dropped before it is full (WRED_PROFILE), for one colour.
///
/// From `min` bytes on, a packet is marked (if ECN is on for its colour and the packet says that
/// its ends know ECN) or dropped with a probability that grows linearly and reaches `percent` at
/// `max`; above that, always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ramp {
    /// Where it begins.
    pub min: Bytes,
    /// Where it ends.
    pub max: Bytes,
    /// The probability there, in percent.
    pub percent: u8,
    /// Whether packets are marked.
    pub ecn: bool,
    /// Whether packets that cannot be marked are dropped; otherwise nothing happens to them.
    pub drops: bool,
}

/// A profile of early marking and dropping (WRED_PROFILE).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wred {
    /// Its key in WRED_PROFILE.
    pub name: String,
    /// What happens to green, yellow and red packets; nothing early where there is none.
    pub ramps: [Option<Ramp>; 3],
}

/// How a port sorts packets: from DSCP to traffic class, and from there to queue and priority group
/// (PORT_QOS_MAP and the maps that it names). Empty maps: the file does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// The traffic class of a DSCP (DSCP_TO_TC_MAP); none if the port has no such map.
    pub of_dscp: Option<BTreeMap<u8, u8>>,
    /// The queue of a traffic class (TC_TO_QUEUE_MAP).
    pub queue: BTreeMap<u8, u8>,
    /// The priority group of a traffic class (TC_TO_PRIORITY_GROUP_MAP).
    pub group: BTreeMap<u8, u8>,
    /// The priority group that pauses of a priority speak of
    /// (PFC_PRIORITY_TO_PRIORITY_GROUP_MAP).
    pub group_of_priority: BTreeMap<u8, u8>,
}

/// What the file says about a port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Port {
    /// Its name, as `Ethernet0`; in a chassis with virtual output queues, as `host|asic|Ethernet0`.
    pub name: String,
    /// Its rate, if the file has a PORT table.
    pub speed: Option<Rate>,
    /// Length of its cable in metres (CABLE_LENGTH).
    pub cable_metres: Option<u32>,
    /// Priorities with flow control, one bit each (`pfc_enable`); none if the file does not say.
    pub pfc: Option<u8>,
    /// How queues are served.
    pub service: BTreeMap<u8, Service>,
    /// How queues mark and drop early, by index of [`Config::wreds`].
    pub wred: BTreeMap<u8, usize>,
    /// How packets are sorted.
    pub classes: Classes,
}

impl Port {
    /// Whether it is the port of a whole chassis, for which each card has queues.
    #[must_use]
    pub fn of_chassis(&self) -> bool {
        self.name.contains('|')
    }
}

/// A buffer configuration whose references are valid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// BUFFER_POOL.
    pub pools: Vec<Pool>,
    /// BUFFER_PROFILE.
    pub profiles: Vec<Profile>,
    /// BUFFER_PG and BUFFER_QUEUE, sorted.
    pub members: Vec<Member>,
    /// BUFFER_PORT_INGRESS_PROFILE_LIST and BUFFER_PORT_EGRESS_PROFILE_LIST.
    pub port_limits: Vec<PortLimit>,
    /// Every port that is named, in the natural order of names.
    pub ports: Vec<Port>,
    /// The largest packet of lossless traffic in bytes (LOSSLESS_TRAFFIC_PATTERN), if given.
    pub mtu: Option<Bytes>,
    /// WRED_PROFILE.
    pub wreds: Vec<Wred>,
    /// Keys of priority groups and queues that have a form which is not read.
    pub unread: Vec<String>,
    /// Tables, and fields of modelled tables as `PORT.alias`, that are present but not modelled;
    /// each once.
    pub unmodelled: Vec<String>,
}

impl Config {
    /// The profile of a member.
    #[must_use]
    pub fn profile_of(&self, member: &Member) -> &Profile {
        &self.profiles[member.profile]
    }

    /// The pool of a member.
    #[must_use]
    pub fn pool_of(&self, member: &Member) -> &Pool {
        &self.pools[self.profile_of(member).pool]
    }
}
