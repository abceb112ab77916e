//! The full matcher as a station, and what it learns about rules.
//!
//! Source: thesis §3.5.1: the fast matcher finds candidates at line rate, before the scheduler;
//! packets without candidates bypass it. §3.5.2: the estimate is the sum over candidates of the
//! largest ratio of job size to packet size seen for each. The matcher times each rule, so a rule's
//! ratio comes from its own work alone.

use std::cell::Cell;
use std::rc::Rc;

use forebay_surge::estimate::{ClassRatios, Estimator};
use forebay_surge::{Protect, ProtectConfig, SurgeError};
use forebay_units::{Bytes, Duration};

use super::{Clock, Guarded, Noted, Station, Tagged};
use crate::packet::Packet;
use crate::rules::{Candidates, Matcher, RuleVerdict};

/// A packet with the rules that may match it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// What is matched.
    pub packet: Packet,
    /// The rules that the filter before the regex engine lets through, by number.
    pub candidates: Rc<[u32]>,
    /// Whether the filter stopped before the payload's end, so that candidates may be missing.
    pub cut: bool,
}

impl Suspect {
    /// The packet, if it has candidates, or may have some that the filter did not reach.
    #[must_use]
    pub fn of(matcher: &Matcher, packet: &Packet) -> Option<Self> {
        let Candidates { rules, cut } = matcher.candidates(packet);
        let candidates: Rc<[u32]> = rules.into();
        let suspect = !candidates.is_empty() || cut;
        suspect.then(|| Suspect { packet: packet.clone(), candidates, cut })
    }
}

/// The packets that the fast matcher lets through.
#[must_use]
pub fn suspects(matcher: &Matcher, packets: &[Packet]) -> Vec<Suspect> {
    packets.iter().filter_map(|packet| Suspect::of(matcher, packet)).collect()
}

type CandidatesOf = fn(&Tagged<Suspect>) -> Vec<u32>;

/// Job sizes from the ratios of candidate rules, each learned from that rule's own time.
///
/// ```
/// use forebay_surge_processors::driver::RuleRatios;
/// use forebay_surge_processors::rules::RuleVerdict;
/// use forebay_units::{Bytes, Duration};
///
/// let mut ratios = RuleRatios::new(2, 1e-9, 0);
/// let tried = vec![(1, Duration::from_us(3))];
/// ratios.observe(&RuleVerdict { tried, ..RuleVerdict::default() }, Bytes::new(100));
/// assert!((ratios.ratio(1) - 30e-9).abs() < 1e-15 && ratios.ratio(0) == 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct RuleRatios(ClassRatios<CandidatesOf>);

impl RuleRatios {
    /// For this many rules, each at `first` seconds per byte until it is seen. What is learned has
    /// a half-life counted in jobs; 0 for none, as in the paper ([`ClassRatios::with_half_life`]).
    #[must_use]
    pub fn new(rules: usize, first: f64, half_life: u64) -> Self {
        let candidates: CandidatesOf = |tagged| tagged.item.candidates.to_vec();
        RuleRatios(ClassRatios::new(rules, first, candidates).with_half_life(half_life))
    }

    /// A packet of this size was matched.
    pub fn observe(&mut self, verdict: &RuleVerdict, size: Bytes) {
        for (rule, took) in &verdict.tried {
            self.0.observe(*rule, size, *took);
        }
    }

    /// The ratio of a rule, in seconds per byte.
    #[must_use]
    pub fn ratio(&self, rule: u32) -> f64 {
        self.0.ratio(rule)
    }
}

impl Estimator<Tagged<Suspect>> for RuleRatios {
    type Features = Vec<u32>;

    fn features(&mut self, item: &Tagged<Suspect>) -> Vec<u32> {
        self.0.features(item)
    }

    fn estimate(&self, candidates: &Vec<u32>, size: Bytes) -> f64 {
        Estimator::<Tagged<Suspect>>::estimate(&self.0, candidates, size)
    }

    /// Only records that a job ran: the times of its rules are given to [`observe`](Self::observe).
    fn learn(&mut self, _: &Vec<u32>, _: Bytes, _: Duration) {
        self.0.job_ran();
    }
}

/// Makes stations that match rules.
#[derive(Clone, Copy, Debug)]
pub struct MatchingStation;

impl MatchingStation {
    /// A full matcher behind the scheduler of `protect`, its job sizes estimated by `ratios`.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn build(
        protect: &ProtectConfig,
        matcher: Rc<Matcher>,
        ratios: RuleRatios,
        clock: &Clock,
    ) -> Result<Box<dyn Station<Suspect>>, SurgeError> {
        let describe =
            |tagged: &Tagged<Suspect>| (tagged.item.packet.flow(), tagged.item.packet.size);
        let inner = clock.clone();
        let seen: Rc<[Cell<u64>; 3]> = Rc::default();
        let found = Rc::clone(&seen);
        let process = move |Tagged { class, item }: Tagged<Suspect>| {
            let mut verdict = matcher.full_match(&item.packet, &item.candidates, || inner.now());
            for (_, took) in &mut verdict.tried {
                *took = inner.net(*took, 1);
            }
            found[0].set(found[0].get() + u64::from(verdict.matched.is_some()));
            found[1].set(found[1].get() + u64::from(verdict.limited));
            found[2].set(found[2].get() + u64::from(item.cut));
            (class, verdict)
        };
        let protect = Protect::new(protect, describe, ratios, process)?;
        let size = |suspect: &Suspect| suspect.packet.size;
        let learn = |ratios: &mut RuleRatios, verdict: &RuleVerdict, size: Bytes| {
            ratios.observe(verdict, size);
            Noted { readings: verdict.tried.len() as u64 + 1, matched: verdict.matched }
        };
        let counts = Box::new(move || {
            vec![
                ("packets that matched", seen[0].get()),
                ("limits reached", seen[1].get()),
                ("packets with too many hits", seen[2].get()),
            ]
        });
        Ok(Box::new(Guarded { protect, clock: clock.clone(), size, learn, counts }))
    }
}
