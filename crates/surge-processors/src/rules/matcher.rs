//! The fast matcher, which finds candidates, and the full matcher, which tries them in turn.
//!
//! Complexity: O(payload + hits) for the candidates, where rules that share a pattern share its
//! hits, and hits are at most [`MatchConfig::hits`]: patterns within patterns can all end at one
//! byte, so their number is not bounded by the payload. Per candidate O(payload) per content, of
//! which a rule has few ([`MAX_CONDITIONS`](super::MAX_CONDITIONS)), and the time of the
//! expression, at most the configured backtracks. Memory: the automaton, and a byte per pattern
//! while a payload is processed.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};
use forebay_units::{Duration, Time};

use super::options::Found;
use super::parse::{ParsedRules, Rule, parse_rules};
use super::problem::RuleError;
use crate::packet::Packet;

/// The parameters of a [`Matcher`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchConfig {
    /// How often an expression may backtrack in one payload (PCRE2's match limit), 1 to
    /// [`MAX_BACKTRACKS`]; other values are clamped to that range.
    pub backtracks: u32,
    /// How many hits of the filter are looked at in one payload, overlapping ones included.
    /// [`Candidates::cut`] says whether there were more.
    pub hits: u32,
}

/// The most backtracks per match: PCRE2's own limit, which an expression cannot raise.
pub const MAX_BACKTRACKS: u32 = 10_000_000;

impl Default for MatchConfig {
    /// 100 000 backtracks, some hundred microseconds, and 65 536 hits, more than the bytes of a
    /// packet have patterns unless somebody arranged it.
    fn default() -> Self {
        MatchConfig { backtracks: 100_000, hits: 1 << 16 }
    }
}

/// The fast matcher's answer for a payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// The rules that may match, as indices into [`Matcher::rules`], in order.
    pub rules: Vec<u32>,
    /// Whether the payload had more hits than are looked at, so that rules may be missing.
    pub cut: bool,
}

/// The full matcher's answer for a payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleVerdict {
    /// The first candidate that matched, as an index into [`Matcher::rules`].
    pub matched: Option<u32>,
    /// The time of each candidate that was tried.
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
/// let verdict = matcher.full_match(&query, &candidates.rules, || Time::ZERO);
/// assert_eq!(verdict.matched.map(|rule| matcher.rules()[rule as usize].sid), Some(7));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    rules: Vec<Rule>,
    errors: Vec<RuleError>,
    /// `None` if no rule has a pattern, or there are too many for an automaton; then all rules are
    /// candidates.
    filter: Option<AhoCorasick>,
    /// The rules of each pattern of the filter.
    owners: Vec<Vec<u32>>,
    /// Rules without a pattern in the filter.
    always: Vec<u32>,
    /// The most filter hits in a payload.
    hits: usize,
}

impl Matcher {
    /// Reads rules; bad ones are in [`errors`](Self::errors), the others work.
    #[must_use]
    pub fn new(text: impl AsRef<[u8]>, config: MatchConfig) -> Self {
        let ParsedRules { rules, errors } = parse_rules(text, config.backtracks);
        let (patterns, owners) = patterns(&rules);
        let filter = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(patterns)
            .ok();
        let unannounced = |rule: &Rule| filter.is_none() || rule.fast_pattern().is_none();
        let numbered = (0u32..).zip(&rules).filter(|(_, rule)| unannounced(rule));
        let always = numbered.map(|(number, _)| number).collect();
        Matcher { rules, errors, filter, owners, always, hits: config.hits as usize }
    }

    /// The rules that work.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The errors of the others.
    #[must_use]
    pub fn errors(&self) -> &[RuleError] {
        &self.errors
    }

    /// The rules that may match: the fast matcher.
    #[must_use]
    pub fn candidates(&self, packet: &Packet) -> Candidates {
        let mut found = Candidates { rules: self.always.clone(), cut: false };
        if let Some(filter) = &self.filter {
            let mut hits = filter.find_overlapping_iter(&*packet.payload);
            let mut seen = vec![false; self.owners.len()];
            for hit in hits.by_ref().take(self.hits) {
                let pattern = hit.pattern().as_usize();
                if !std::mem::replace(&mut seen[pattern], true) {
                    found.rules.extend_from_slice(&self.owners[pattern]);
                }
            }
            found.cut = hits.next().is_some();
        }
        found.rules.retain(|rule| {
            let rule = self.rules.get(*rule as usize);
            rule.is_some_and(|rule| rule.header.matches(packet))
        });
        found.rules.sort_unstable();
        found
    }

    /// Tries candidates in turn, up to the first that matches. The clock is read around each.
    pub fn full_match(
        &self,
        packet: &Packet,
        candidates: &[u32],
        mut clock: impl FnMut() -> Time,
    ) -> RuleVerdict {
        let mut verdict = RuleVerdict::default();
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

/// The patterns of the filter, each once regardless of case, and the rules that wait for it.
fn patterns(rules: &[Rule]) -> (Vec<Vec<u8>>, Vec<Vec<u32>>) {
    let (mut patterns, mut owners) = (Vec::new(), Vec::<Vec<u32>>::new());
    let mut places = HashMap::new();
    for (number, rule) in (0u32..).zip(rules) {
        let Some(pattern) = rule.fast_pattern().map(<[u8]>::to_ascii_lowercase) else { continue };
        let place = *places.entry(pattern).or_insert_with_key(|pattern| {
            patterns.push(pattern.clone());
            owners.push(Vec::new());
            owners.len() - 1
        });
        owners[place].push(number);
    }
    (patterns, owners)
}

/// Whether all conditions of a rule hold.
fn full(rule: &Rule, payload: &[u8], lower: &[u8]) -> Found {
    if !rule.contents.iter().all(|content| content.holds(payload, lower)) {
        return Found::HoldsNot;
    }
    let verdicts = rule.pcres.iter().map(|pcre| pcre.holds(payload));
    verdicts.into_iter().find(|found| *found != Found::Holds).unwrap_or(Found::Holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Transport;
    use proptest::prelude::*;

    fn packet(payload: &[u8]) -> Packet {
        let (client, server) = (([10, 0, 0, 1], 4000).into(), ([10, 0, 0, 2], 80).into());
        Packet::new(client, server, Transport::Udp, payload)
    }

    fn matcher(contents: &[String], hits: u32) -> Matcher {
        let rule = |(sid, content): (usize, &String)| {
            format!("alert ip any any -> any any (content:\"{content}\"; sid:{sid};)\n")
        };
        let text: String = (1..).zip(contents).map(rule).collect();
        Matcher::new(text, MatchConfig { hits, ..MatchConfig::default() })
    }

    proptest! {
        /// Whatever the patterns and however they nest or repeat, the candidates are the rules
        /// whose pattern occurs.
        #[test]
        fn candidates_are_the_rules_whose_pattern_is_there(
            contents in prop::collection::vec("[abAB]{1,4}", 1..20), payload in "[abAB]{0,40}",
        ) {
            let matcher = matcher(&contents, u32::MAX);
            let there = |content: &String| {
                payload.to_ascii_lowercase().contains(&content.to_ascii_lowercase())
            };
            let expected: Vec<u32> =
                (0..).zip(&contents).filter(|(_, c)| there(c)).map(|(n, _)| n).collect();
            let found = matcher.candidates(&packet(payload.as_bytes()));
            prop_assert_eq!(found, Candidates { rules: expected, cut: false });
        }
    }

    #[test]
    fn nested_patterns_cannot_make_the_filter_slow_and_what_is_cut_is_told() {
        // Each byte of the payload ends up to a hundred patterns.
        let nested: Vec<String> = (1..=100).map(|length| "a".repeat(length)).collect();
        let hits = (1..=100).sum::<u32>() + 900 * 100;
        for (limit, cut) in [(hits, false), (hits - 1, true), (10, true), (0, true)] {
            let found = matcher(&nested, limit).candidates(&packet(&[b'a'; 1000]));
            assert_eq!(found.cut, cut, "{limit}");
            assert!(cut || found.rules.len() == 100);
        }
        // The same pattern in many rules is one hit.
        let same = vec!["needle".to_owned(); 500];
        let found = matcher(&same, 1).candidates(&packet(b"a needle"));
        assert_eq!((found.rules.len(), found.cut), (500, false));
    }
}
