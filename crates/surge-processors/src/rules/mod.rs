//! Rule matching as in an intrusion detection system: a multi-pattern filter, then a full match of
//! the few rules that may hold.
//!
//! Source: thesis §3.5.1 (Fig. 3.11): the fast matcher gives a list of candidate rules; the full
//! matcher takes them in turn and stops at the first that matches. The fast matcher is
//! `aho-corasick` over one pattern of each rule, ignoring case; the full matcher is PCRE2, which
//! backtracks, so an attacker can slow it down. The paper's matcher is Snort's, over packets; so is
//! ours, with this subset of its rules:
//!
//! ```text
//! alert tcp any any -> any [80,8000:8080] (msg:"…"; content:"GET |2f|"; nocase; fast_pattern; pcre:"/…/is"; sid:1;)
//! ```
//!
//! Protocol (`ip`, `tcp`, `udp`) and ports are matched; addresses and `$VARIABLES` match anything.
//! `content` may be negated, and may be anywhere in the payload. `rev`, `classtype`, `reference`,
//! `metadata`, `priority` and `flow` are read but not used. A rule with anything else (including
//! `offset`, `depth`, `distance` and `within`), with the number of another rule, or that is not
//! UTF-8 is refused with its line; the others still work.
//!
//! The cost of a payload is bounded. A match may backtrack only so often
//! ([`MatchConfig::backtracks`]); beyond that the rule counts as not matched, and is counted in
//! [`RuleVerdict::limited`]. The filter looks at only so many hits ([`MatchConfig::hits`]); beyond
//! that rules may be missing from the candidates, and [`Candidates::cut`] says so.

mod attack;
mod header;
mod matcher;
mod options;
mod parse;
mod problem;

pub use attack::backtracking_payload;
pub use header::{PortSet, Protocol};
pub use matcher::{Candidates, MAX_BACKTRACKS, MatchConfig, Matcher, RuleVerdict};
pub use options::{Content, Pcre};
pub use parse::{ParsedRules, Rule, parse_rules};
pub use problem::{MAX_CONDITIONS, MAX_RULES, RuleError, RuleProblem};
