//! Rule matching as a [`Trial`]: how long its packets take, and the payload of the attack.
//!
//! Source: thesis §3.6.1: every attack packet carries the payload that takes longest; here payloads
//! are crafted at several sizes, and the one that takes longest per byte is sent. O(packets) to
//! measure.

use std::rc::Rc;

use forebay_surge::ProtectConfig;
use forebay_surge::model::{Recorded, RecordedJob, Shot};
use forebay_units::{Duration, Time};

use super::reassembly::{FlowNumbers, REPEATS};
use super::trial::ran;
use super::{
    Clock, MatchingStation, MeasureError, Offered, Paced, Ran, Repeated, RuleRatios, Span, Suspect,
    Trial, merged, suspects,
};
use crate::error::ProcessorError;
use crate::packet::Packet;
use crate::rules::{Matcher, backtracking_payload};

/// Rule matching.
pub struct MatchingTrial {
    matcher: Rc<Matcher>,
    /// Innocent packets with candidates.
    suspects: Vec<Suspect>,
    bullet: Suspect,
    recorded: Recorded,
    half_life: u64,
    clock: Clock,
}

impl MatchingTrial {
    /// Measures the matcher on these packets; those without candidates are left out. The attack's
    /// payload is the one that takes longest per byte among those that [`backtracking_payload`]
    /// finds at several sizes. What a run learns about rules has a half-life counted in jobs; 0 for
    /// none, as in the paper.
    ///
    /// # Errors
    /// No rule has an expression, no TCP segment reaches one, or no packet has candidates.
    pub fn new(
        packets: &[Packet],
        matcher: Rc<Matcher>,
        half_life: u64,
        clock: &Clock,
    ) -> Result<Self, MeasureError> {
        if matcher.rules().iter().all(|rule| rule.pcres.is_empty()) {
            return Err(ProcessorError::NoExpression.into());
        }
        let suspects = suspects(&matcher, packets);
        let none = || MeasureError::from(ProcessorError::NoWork("the capture"));
        let like = packets.iter().find(|packet| packet.segment().is_some()).ok_or_else(none)?;
        let bullet = bullet(&matcher, like, clock).ok_or(ProcessorError::NotReached)?;
        let recorded = record(&matcher, &suspects, &bullet, clock);
        if recorded.innocent.is_empty() {
            return Err(none());
        }
        Ok(MatchingTrial { matcher, suspects, bullet, recorded, half_life, clock: clock.clone() })
    }

    /// The attack's packet.
    #[must_use]
    pub fn attack(&self) -> &Packet {
        &self.bullet.packet
    }

    /// Innocent packets that have candidates.
    #[must_use]
    pub fn suspects(&self) -> &[Suspect] {
        &self.suspects
    }
}

/// The payload that takes longest per byte.
fn bullet(matcher: &Matcher, like: &Packet, clock: &Clock) -> Option<Suspect> {
    let crafted = |bytes| {
        let read = clock.clone();
        backtracking_payload(matcher, like, bytes, move || read.now())
    };
    let ratio = |(packet, took): &(Packet, Duration)| took.as_secs_f64() / packet.size.get() as f64;
    let tried = [10, 30, 60, 100, 200, 500, 1000].into_iter().filter_map(crafted);
    let (best, _) = tried.max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    Suspect::of(matcher, &best)
}

/// What each packet takes, and its estimate once all have been seen, including the attack.
fn record(matcher: &Matcher, list: &[Suspect], bullet: &Suspect, clock: &Clock) -> Recorded {
    let mut ratios = RuleRatios::new(matcher.rules().len(), 0.0, 0);
    let mut timed = |suspect: &Suspect| {
        let once = |_| {
            let before = clock.now();
            matcher.full_match(&suspect.packet, &suspect.candidates, || Time::ZERO);
            clock.net(clock.now().since(before), 1)
        };
        let mut times: Vec<Duration> = (0..=REPEATS).map(once).skip(1).collect();
        times.sort_unstable();
        let mut verdict = matcher.full_match(&suspect.packet, &suspect.candidates, || clock.now());
        verdict.tried.iter_mut().for_each(|(_, took)| *took = clock.net(*took, 1));
        ratios.observe(&verdict, suspect.packet.size);
        times.get(REPEATS / 2).copied().unwrap_or(Duration::ZERO)
    };
    let works: Vec<Duration> = list.iter().map(&mut timed).collect();
    let longest = timed(bullet);
    let numbers = FlowNumbers::default();
    let row = |flow: u32, suspect: &Suspect, work: Duration| {
        let size = suspect.packet.size;
        let ratio: f64 = suspect.candidates.iter().map(|rule| ratios.ratio(*rule)).sum();
        let seconds = ratio * size.get() as f64;
        let estimate = Duration::from_ps((seconds * 1e12) as u64);
        RecordedJob { flow, shot: Shot { size, work, estimate } }
    };
    let innocent = list.iter().zip(works);
    let innocent = innocent.map(|(suspect, work)| row(numbers.of(&suspect.packet), suspect, work));
    Recorded { innocent: innocent.collect(), attack: vec![row(0, bullet, longest)] }
}

impl Trial for MatchingTrial {
    fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    fn run(
        &self,
        protect: &ProtectConfig,
        offered: Offered,
        span: Span,
    ) -> Result<Ran, MeasureError> {
        let joint = self.recorded.joint()?;
        let first = joint.mean_work() / joint.mean_size();
        let ratios = RuleRatios::new(self.matcher.rules().len(), first, self.half_life);
        let station =
            MatchingStation::build(protect, Rc::clone(&self.matcher), ratios, &self.clock)?;
        let packets: Vec<Packet> = self.suspects.iter().map(|one| one.packet.clone()).collect();
        let innocent = Repeated::new(&packets);
        let mean = innocent.mean_size();
        let sized = innocent.map(|(place, packet)| {
            (packet.size, Suspect { packet, ..self.suspects[place].clone() })
        });
        let innocent = Paced::innocent(sized, offered.innocent, mean);
        let shots = (0..).map(|pass| {
            let packet = self.bullet.packet.in_pass(pass);
            (packet.size, Suspect { packet, ..self.bullet.clone() })
        });
        Ok(ran(station, merged(innocent, Paced::attack(shots, offered.attack)), span))
    }
}
