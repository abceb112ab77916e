//! When and where each packet of a capture arrives, with which rank and class.
//!
//! Ports: by the longest prefix that holds the destination address; without any prefix,
//! destinations are dealt to the ports in the order in which they first appear. What no prefix
//! holds is lost as `no-route`.
//!
//! O(destinations · prefixes) to make, 2 bytes an address; O(1) a packet.

use forebay_expression::Expression;
use forebay_parameters::ParameterError;
use forebay_sched::Rank;
use forebay_switch::SwitchConfig;
use forebay_units::{Rate, Time};
use forebay_workload::{RecordedPacket, Recording};

use crate::error::ReplayError;
use crate::fields::values;
use crate::ranking::Ranking;
use crate::routes::{Route, port_of};

/// How fast time passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many times as fast as recorded.
    Speed(f64),
    /// So that the capture offers, from its first packet to its last, this fraction of what all
    /// ports can send; beyond 1 they are overloaded, at most tenfold.
    Load(f64),
}

impl Pace {
    /// What the command and Python call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Pace::Speed(_) => "speed",
            Pace::Load(_) => "load",
        }
    }
}

/// How a capture is replayed.
#[derive(Clone, Debug)]
pub struct PlanConfig {
    /// The rate of each output port.
    pub ports: Vec<Rate>,
    /// Which port an address leads to; empty to deal destinations to ports.
    pub routes: Vec<Route>,
    /// How fast time passes. Default: as recorded.
    pub pace: Pace,
    /// What orders packets in a switch that ranks them. Default: the switch's own rank, and those
    /// by the size of the flow are told that.
    pub rank: Option<Ranking>,
    /// A packet's class, from 0 (the most urgent) to 255; what is beyond counts as the nearest.
    /// Default: 0 for all.
    pub class: Option<Expression>,
    /// Queues by class at each port of an on-chip buffer. Default: those of the switch.
    pub classes: Option<u16>,
}

impl PlanConfig {
    /// Packets as recorded through these ports.
    #[must_use]
    pub fn new(ports: Vec<Rate>) -> Self {
        PlanConfig {
            ports,
            routes: Vec::new(),
            pace: Pace::Speed(1.0),
            rank: None,
            class: None,
            classes: None,
        }
    }
}

/// A packet as it is offered to the switch.
#[derive(Clone, Copy, Debug)]
pub struct Offered<'a> {
    /// Its place among the packets, by time.
    pub index: u32,
    /// When it arrives.
    pub at: Time,
    /// The input that it comes from.
    pub input: u16,
    /// The port that it leaves through; `None` if no route leads to its destination.
    pub port: Option<u16>,
    /// The rank that a rule over header fields gave it, once it has arrived.
    pub rank: Option<Rank>,
    /// Its class, from 0, the most urgent; 0 if no rule over header fields gives classes.
    pub class: u8,
    /// What the capture says.
    pub recorded: &'a RecordedPacket,
}

/// A capture, ready to be replayed.
#[derive(Clone, Debug)]
pub struct ReplayPlan<'a> {
    recording: &'a Recording,
    config: PlanConfig,
    /// The port of each address.
    ports: Vec<Option<u16>>,
    speed: f64,
    first_ns: u64,
}

/// The most that time may be scaled by: packets a second apart then come in one picosecond.
pub(crate) const FASTEST: f64 = 1e12;

/// The largest load. Nothing published overloads ports by more than twice, and a larger number is
/// one of percent.
pub(crate) const MOST_LOAD: f64 = 10.0;

/// Beyond it, a span that is added to a time could run over.
const LAST_PS: f64 = (u64::MAX / 2) as f64;

impl<'a> ReplayPlan<'a> {
    /// The plan to replay `recording`.
    ///
    /// # Errors
    /// A parameter that does not fit.
    pub fn new(recording: &'a Recording, config: PlanConfig) -> Result<Self, ReplayError> {
        check(&config)?;
        let speed = match config.pace {
            Pace::Speed(speed) => speed,
            Pace::Load(load) => load * unit_load_speed(recording, &config.ports)?,
        };
        if recording.span_ns() as f64 * 1000.0 / speed > LAST_PS {
            return Err(too_long(recording, config.pace, speed));
        }
        let ports = ports(recording, &config);
        let first_ns = recording.packets().first().map_or(0, |packet| packet.at_ns);
        Ok(ReplayPlan { recording, config, ports, speed, first_ns })
    }

    /// The capture whose packets it plans.
    #[must_use]
    pub fn recording(&self) -> &'a Recording {
        self.recording
    }

    /// The rate of each port.
    #[must_use]
    pub fn ports(&self) -> &[Rate] {
        &self.config.ports
    }

    /// How many times as fast as recorded time passes.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// When the capture began, by its own clock, in nanoseconds since the epoch: the time of
    /// instant 0.
    #[must_use]
    pub fn first_ns(&self) -> u64 {
        self.first_ns
    }

    /// How many packets are offered.
    #[must_use]
    pub fn packets(&self) -> u32 {
        self.recording.packets().len().min(u32::MAX as usize) as u32
    }

    /// A packet; `None` beyond the last. O(1), and what the rule for classes takes.
    #[must_use]
    pub fn offered(&self, index: u32) -> Option<Offered<'a>> {
        let recorded = self.recording.packets().get(index as usize)?;
        let port = self.ports[recorded.destination as usize];
        let input = (recorded.source % self.ports().len() as u32) as u16;
        let at = self.at(recorded);
        let mut offered = Offered { index, at, input, port, rank: None, class: 0, recorded };
        if let Some(rule) = &self.config.class {
            let class = rule.evaluate(&values(self.recording, &offered));
            offered.class = class.clamp(0, u8::MAX.into()) as u8;
        }
        Some(offered)
    }

    /// The rank that a rule over header fields gives a packet; `None` without such a rule.
    pub(crate) fn rank(&self, offered: &Offered<'_>) -> Option<Rank> {
        match self.config.rank.as_ref()? {
            Ranking::Function(_) => None,
            Ranking::Rule { rule, .. } => Some(rule(&values(self.recording, offered))),
        }
    }

    /// What orders packets, if something was given.
    pub(crate) fn ranking(&self) -> Option<&Ranking> {
        self.config.rank.as_ref()
    }

    /// The same switch, with room for the capture's largest packet where it can have that, with the
    /// queues by class of this plan, and made to order by its rank if it has one.
    ///
    /// # Errors
    /// [`ReplayError::Switch`] if there is a rank and the switch does not take a rank;
    /// [`ReplayError::NoClasses`] if it has no queues by class, and what [`check_class`] refuses.
    pub fn switch(&self, config: SwitchConfig) -> Result<SwitchConfig, ReplayError> {
        let sizes = || self.recording.packets().iter().map(|packet| packet.bytes);
        let (smallest, largest) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        if config.check_packets_of(smallest).is_err() {
            let problem = format!(
                "no packet of the capture fits, since the smallest has {smallest} B: give more room"
            );
            return Err(ReplayError::Switch(ParameterError::value("buffer", problem)));
        }
        if let Err(error) = config.check_lossy() {
            return Err(ReplayError::of_switch(&config, &error.into()));
        }
        let is_capable = |packet: &RecordedPacket| packet.ecn() != 0;
        if config.marks() && !self.recording.packets().iter().any(is_capable) {
            return Err(ReplayError::Unmarkable);
        }
        let mut config = with_room(config, largest);
        if let Some(classes) = self.config.classes {
            config = with_classes(config, classes)?;
        }
        let PlanConfig { rank, class, classes, .. } = &self.config;
        let config = match rank {
            None => config,
            Some(rank) => rank
                .applied_to(config.clone())
                .map_err(|error| ReplayError::of_switch(&config, &error))?,
        };
        check_class(&config, rank.as_ref(), class.is_some(), *classes)?;
        Ok(config)
    }

    /// Settings that are allowed but probably unintended, with the switch that `config` describes.
    #[must_use]
    pub fn notes(&self, config: &SwitchConfig) -> Option<String> {
        let switch = self.switch(config.clone()).ok()?;
        classless(&switch, self.config.rank.as_ref(), self.config.class.is_some())
    }

    /// Speed scales what is exact at speed 1; elsewhere times are rounded to a part in 10^15.
    fn at(&self, packet: &RecordedPacket) -> Time {
        let after_ns = packet.at_ns - self.first_ns;
        if self.speed == 1.0 {
            return Time::from_ps(after_ns * 1000);
        }
        Time::from_ps((after_ns as f64 * 1000.0 / self.speed) as u64)
    }
}

/// The same switch, with room for packets of so many bytes where it can have that: one has to fit
/// in a row of the HBM. Larger ones are lost.
#[must_use]
pub fn with_room(switch: SwitchConfig, largest: u32) -> SwitchConfig {
    let room = match &switch {
        SwitchConfig::Hybrid(hybrid) => hybrid.memory.row_bytes().get().min(largest.into()) as u32,
        SwitchConfig::DropTail(_) | SwitchConfig::OnChip(_) | SwitchConfig::Scheduled(_) => largest,
    };
    switch.with_packets_of(room)
}

/// The same switch, with so many queues by class at each port.
///
/// # Errors
/// [`ReplayError::NoClasses`] if it has no queues by class.
pub fn with_classes(mut switch: SwitchConfig, classes: u16) -> Result<SwitchConfig, ReplayError> {
    match &mut switch {
        SwitchConfig::OnChip(chip) => chip.queues = classes,
        SwitchConfig::DropTail(_) | SwitchConfig::Hybrid(_) | SwitchConfig::Scheduled(_) => {
            return Err(ReplayError::NoClasses);
        }
    }
    Ok(switch)
}

/// That the class of packets is read, if a rule gives it, and that one does, if queues go by it;
/// `switch` has its queues and its rank already.
///
/// # Errors
/// [`ReplayError::ClassUnread`], [`ReplayError::NoClass`].
pub fn check_class(
    switch: &SwitchConfig,
    rank: Option<&Ranking>,
    has_class: bool,
    classes: Option<u16>,
) -> Result<(), ReplayError> {
    let by_rule = matches!(rank, Some(Ranking::Rule { reads_class: true, .. }));
    match (has_class, classes) {
        (true, _) if !by_rule && !switch.reads_class() => Err(ReplayError::ClassUnread),
        (false, Some(_)) => Err(ReplayError::NoClass),
        (true | false, _) => Ok(()),
    }
}

/// What there is to say if no rule gives packets classes, and the rank or the switch goes by them.
#[must_use]
pub fn classless(switch: &SwitchConfig, rank: Option<&Ranking>, has_class: bool) -> Option<String> {
    match rank {
        _ if has_class => None,
        Some(Ranking::Rule { reads_class: true, .. }) => Some(
            "the rank goes by the class of a packet, and without a rule for classes every packet \
             has class 0"
                .to_owned(),
        ),
        Some(Ranking::Rule { reads_class: false, .. } | Ranking::Function(_)) | None => {
            switch.without_classes()
        }
    }
}

fn check(config: &PlanConfig) -> Result<(), ReplayError> {
    let ports = config.ports.len();
    if ports == 0 || ports > usize::from(u16::MAX) {
        return Err(ReplayError::NoPorts);
    }
    if let Some(port) = config.ports.iter().position(|rate| rate.as_bps() == 0) {
        return Err(ReplayError::NoRate(port));
    }
    if let Some(route) = config.routes.iter().find(|route| usize::from(route.port) >= ports) {
        return Err(ReplayError::NoSuchPort { port: route.port, ports });
    }
    for (place, route) in config.routes.iter().enumerate() {
        if config.routes[..place].iter().any(|other| other.is_of_prefix(route)) {
            return Err(ReplayError::TwoRoutes(*route));
        }
    }
    if let Some(classes) = config.classes.filter(|classes| !(1..=256).contains(classes)) {
        return Err(ReplayError::Classes(classes));
    }
    let (factor, most) = match config.pace {
        Pace::Speed(factor) => (factor, FASTEST),
        Pace::Load(load) => (load, MOST_LOAD),
    };
    if !(factor > 0.0 && factor <= most) {
        return Err(ReplayError::Pace(config.pace));
    }
    Ok(())
}

/// The error for a replay that is `speed` times as fast as recorded, which is too slow.
fn too_long(recording: &Recording, pace: Pace, speed: f64) -> ReplayError {
    let (Pace::Speed(given) | Pace::Load(given)) = pace;
    let least = given / speed * (recording.span_ns() as f64 * 1000.0 / LAST_PS);
    // Three digits, upwards.
    let rounded = format!("{:.2e}", least * 1.005).parse().unwrap_or(least);
    ReplayError::TooLong { pace, least: rounded }
}

/// How fast time must pass for the capture to offer what the ports can send.
fn unit_load_speed(recording: &Recording, ports: &[Rate]) -> Result<f64, ReplayError> {
    let span = recording.span_ns() as f64 / 1e9;
    if span == 0.0 {
        return Err(ReplayError::NoDuration { packets: recording.packets().len() });
    }
    let recorded = recording.bytes() as f64 * 8.0 / span;
    let all: f64 = ports.iter().map(|rate| rate.as_bps() as f64).sum();
    Ok(all / recorded)
}

/// The port of each address.
fn ports(recording: &Recording, config: &PlanConfig) -> Vec<Option<u16>> {
    let addresses = recording.addresses();
    if !config.routes.is_empty() {
        return addresses.iter().map(|address| port_of(&config.routes, *address)).collect();
    }
    let mut ports = vec![None; addresses.len()];
    let mut dealt = 0usize;
    for packet in recording.packets() {
        ports[packet.destination as usize].get_or_insert_with(|| {
            dealt += 1;
            ((dealt - 1) % config.ports.len()) as u16
        });
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::class_rule;
    use crate::testing::{Made, capture, recording};
    use forebay_parameters::Entry;
    use forebay_switch::Catalogue;

    fn made() -> Recording {
        let packet =
            |time_us, destination, bytes| Made { time_us, destination, bytes, ..Made::default() };
        recording(&capture(&[
            packet(10, 5, 100),
            packet(20, 9, 200),
            packet(50, 5, 100),
            packet(50, 7, 1000),
        ]))
    }

    fn plan<'a>(recording: &'a Recording, change: impl FnOnce(&mut PlanConfig)) -> ReplayPlan<'a> {
        let mut config = PlanConfig::new(vec![Rate::from_gbps(1); 2]);
        change(&mut config);
        ReplayPlan::new(recording, config).unwrap()
    }

    fn times(plan: &ReplayPlan<'_>) -> Vec<u64> {
        (0..plan.packets()).filter_map(|i| plan.offered(i)).map(|o| o.at.as_ps()).collect()
    }

    #[test]
    fn time_begins_at_the_first_packet_and_is_scaled() {
        let recording = made();
        assert_eq!(times(&plan(&recording, |_| {})), [0, 10_000_000, 40_000_000, 40_000_000]);
        let faster = plan(&recording, |config| config.pace = Pace::Speed(4.0));
        assert_eq!(times(&faster), [0, 2_500_000, 10_000_000, 10_000_000]);
        // 1400 bytes at half of 2 Gb/s.
        let loaded = plan(&recording, |config| config.pace = Pace::Load(0.5));
        assert_eq!(times(&loaded)[3], 11_200_000);
    }

    #[test]
    fn destinations_are_dealt_or_routed() {
        let recording = made();
        let ports = |plan: &ReplayPlan<'_>| -> Vec<_> {
            (0..plan.packets()).filter_map(|i| plan.offered(i)).map(|o| o.port).collect()
        };
        assert_eq!(ports(&plan(&recording, |_| {})), [Some(0), Some(1), Some(0), Some(0)]);
        let routed = plan(&recording, |config| {
            config.routes = vec!["10.1.0.0/29=1".parse().unwrap(), "10.1.0.7=0".parse().unwrap()];
        });
        assert_eq!(ports(&routed), [Some(1), None, Some(1), Some(0)]);
    }

    #[test]
    fn ranks_and_classes_come_from_the_rules() {
        let recording = made();
        let ruled = plan(&recording, |config| {
            let rank = Ranking::read("size > 500 ? 0 - 1 : size + class", &Catalogue::default());
            config.rank = Some(rank.unwrap());
            config.class = Some(class_rule("size * 2").unwrap());
        });
        let all = (0..4).filter_map(|i| ruled.offered(i));
        let all: Vec<_> = all.map(|o| (ruled.rank(&o).map(Rank::get), o.class, o.input)).collect();
        assert_eq!(all[1..], [(Some(455), 255, 0), (Some(300), 200, 0), (Some(0), 255, 0)]);
        let config = ruled.switch(SwitchConfig::named("themis").unwrap()).unwrap();
        assert!(matches!(config, SwitchConfig::Hybrid(hybrid) if hybrid.rank.name() == "sff"));
        let error = ruled.switch(SwitchConfig::named("drr").unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("rank: switch drr does not take a rank"), "{error}");
    }

    #[test]
    fn a_rank_may_be_the_name_of_a_function() {
        let recording = made();
        let named = plan(&recording, |config| {
            config.rank = Some(Ranking::read("lstf", &Catalogue::default()).unwrap());
        });
        let config = named.switch(SwitchConfig::named("themis").unwrap()).unwrap();
        assert!(matches!(config, SwitchConfig::Hybrid(hybrid) if hybrid.rank.name() == "lstf"));
        assert_eq!(named.offered(0).and_then(|offered| named.rank(&offered)), None);
        let error = Ranking::read("dcsp", &Catalogue::default()).unwrap_err().to_string();
        assert!(error.starts_with("there is no rank function or field `dcsp`; "), "{error}");
        assert!(error.contains("dscp"), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let recording = made();
        let refused = |change: &dyn Fn(&mut PlanConfig)| {
            let mut config = PlanConfig::new(vec![Rate::from_gbps(1); 2]);
            change(&mut config);
            ReplayPlan::new(&recording, config).unwrap_err()
        };
        assert_eq!(refused(&|config| config.ports.clear()), ReplayError::NoPorts);
        assert_eq!(refused(&|config| config.ports[1] = Rate::from_bps(0)), ReplayError::NoRate(1));
        assert_eq!(
            refused(&|config| config.pace = Pace::Speed(0.0)),
            ReplayError::Pace(Pace::Speed(0.0))
        );
        assert!(matches!(refused(&|c| c.pace = Pace::Load(f64::NAN)), ReplayError::Pace(_)));
        for pace in [Pace::Load(1e308), Pace::Load(90.0), Pace::Speed(1.1e12)] {
            let error = refused(&|c| c.pace = pace);
            assert_eq!(error, ReplayError::Pace(pace));
            assert!(error.to_string().len() < 140, "{error}");
        }
        let slow = Pace::Speed(1e-15);
        let ReplayError::TooLong { pace, least, .. } = refused(&|config| config.pace = slow) else {
            panic!("time would run out");
        };
        assert_eq!(pace, slow);
        for (factor, fits) in [(1.0, true), (0.98, false)] {
            let mut config = PlanConfig::new(vec![Rate::from_gbps(1); 2]);
            config.pace = Pace::Speed(least * factor);
            assert_eq!(ReplayPlan::new(&recording, config).is_ok(), fits, "{factor} of {least}");
        }
        for classes in [0, 257] {
            let error = refused(&|config| config.classes = Some(classes));
            assert_eq!(error, ReplayError::Classes(classes));
        }
        let far = |config: &mut PlanConfig| config.routes = vec!["::/0=2".parse().unwrap()];
        assert_eq!(refused(&far), ReplayError::NoSuchPort { port: 2, ports: 2 });
    }
}
