//! The fast matcher, which gives candidates, and the full matcher, which takes them in turn.
//!
//! Complexity: O(payload) for the candidates; per candidate O(payload) a content and what the expression takes,
//! at most the configured backtracks. Memory: the automaton, and a byte a rule.

use aho_corasick::{AhoCorasick, MatchKind};
use forebay_units::{Duration, Time};

use super::options::Found;
use super::parse::{ParsedRules, Rule, RuleError, parse_rules};
use crate::packet::Packet;

/// The parameters of a [`Matcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchConfig {
    /// How often an expression may backtrack in one payload (PCRE2's match limit).
    pub backtracks: u32,
}

impl Default for MatchConfig {
    /// 100 000: some hundred microseconds.
    fn default() -> Self {
        MatchConfig { backtracks: 100_000 }
    }
}

/// What the full matcher says of a payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The first candidate that matched, by its place in [`Matcher::rules`].
    pub matched: Option<u32>,
    /// What each candidate took that was tried.
    pub tried: Vec<(u32, Duration)>,
    /// Candidates whose expressions reached the limit.
    pub limited: u32,
}

/// A set of rules, ready to match.
///
/// ```
/// use forebay_surge_processors::rules::{MatchConfig, Matcher};
/// use forebay_surge_processors::{Packet, Transport};
/// use forebay_units::Time;
///
/// let text = r#"alert udp any any -> any 53 (msg:"odd query"; content:"EXAMPLE"; nocase; pcre:"/x{3}/"; sid:7;)"#;
/// let matcher = Matcher::new(text, MatchConfig::default());
/// let query = Packet::new("10.0.0.1:9".parse()?, "10.0.0.2:53".parse()?, Transport::Udp, b"xxx.example");
/// let candidates = matcher.candidates(&query);
/// let verdict = matcher.full_match(&query, &candidates, || Time::ZERO);
/// assert_eq!(verdict.matched.map(|rule| matcher.rules()[rule as usize].sid), Some(7));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    rules: Vec<Rule>,
    errors: Vec<RuleError>,
    /// `None` if no rule has a pattern, or they are too many for an automaton; then all rules are candidates.
    filter: Option<AhoCorasick>,
    /// The rule of each pattern of the filter.
    owners: Vec<u32>,
    /// Rules that no pattern announces.
    always: Vec<u32>,
}

impl Matcher {
    /// Reads rules; those that are bad are in [`errors`](Self::errors), the others work.
    #[must_use]
    pub fn new(text: &str, config: MatchConfig) -> Self {
        let ParsedRules { rules, errors } = parse_rules(text, config.backtracks);
        let numbered = || (0u32..).zip(&rules);
        let patterns: Vec<_> =
            numbered().filter_map(|(n, rule)| Some((n, rule.fast_pattern()?))).collect();
        let filter = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(patterns.iter().map(|(_, pattern)| pattern))
            .ok();
        let unannounced = |rule: &Rule| filter.is_none() || rule.fast_pattern().is_none();
        let always = numbered().filter(|(_, rule)| unannounced(rule)).map(|(n, _)| n).collect();
        let owners = patterns.into_iter().map(|(n, _)| n).collect();
        Matcher { rules, errors, filter, owners, always }
    }

    /// The rules that work.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What is wrong with the others.
    #[must_use]
    pub fn errors(&self) -> &[RuleError] {
        &self.errors
    }

    /// The rules that may match, in their order: the fast matcher.
    #[must_use]
    pub fn candidates(&self, packet: &Packet) -> Vec<u32> {
        let mut found = self.always.clone();
        if let Some(filter) = &self.filter {
            let hits = filter.find_overlapping_iter(&*packet.payload);
            let mut seen = vec![false; self.owners.len()];
            for hit in hits {
                let pattern = hit.pattern().as_usize();
                if !std::mem::replace(&mut seen[pattern], true) {
                    found.push(self.owners[pattern]);
                }
            }
        }
        found.retain(|rule| {
            let rule = self.rules.get(*rule as usize);
            rule.is_some_and(|rule| rule.header.matches(packet))
        });
        found.sort_unstable();
        found
    }

    /// Tries candidates in turn, up to the first that matches. The clock is read around each.
    pub fn full_match(
        &self,
        packet: &Packet,
        candidates: &[u32],
        mut clock: impl FnMut() -> Time,
    ) -> Verdict {
        let mut verdict = Verdict::default();
        let lower = packet.payload.to_ascii_lowercase();
        let mut before = clock();
        for number in candidates {
            let Some(rule) = self.rules.get(*number as usize) else { continue };
            let found = full(rule, &packet.payload, &lower);
            let after = clock();
            verdict.tried.push((*number, after.since(before)));
            before = after;
            match found {
                Found::Holds => {
                    verdict.matched = Some(*number);
                    break;
                }
                Found::HoldsNot => {}
                Found::Limit => verdict.limited += 1,
            }
        }
        verdict
    }
}

/// Whether all that a rule wants holds.
fn full(rule: &Rule, payload: &[u8], lower: &[u8]) -> Found {
    if !rule.contents.iter().all(|content| content.holds(payload, lower)) {
        return Found::HoldsNot;
    }
    let verdicts = rule.pcres.iter().map(|pcre| pcre.holds(payload));
    verdicts.into_iter().find(|found| *found != Found::Holds).unwrap_or(Found::Holds)
}
