//! Rule matching as an intrusion detection system does it: a multi-pattern filter, then a full match of the
//! few rules that may hold.
//!
//! Source: thesis §3.5.1 (Fig. 3.11): the fast matcher gives a list of candidate rules; the full matcher takes
//! them in turn and stops at the first that matches. The fast matcher is `aho-corasick` over one pattern of each
//! rule, without regard to case; the full matcher is PCRE2, which backtracks, and which an attacker can make
//! slow. The paper's is Snort's, over packets; so is ours, with this subset of its rules:
//!
//! ```text
//! alert tcp any any -> any [80,8000:8080] (msg:"…"; content:"GET |2f|"; nocase; fast_pattern; pcre:"/…/is"; sid:1;)
//! ```
//!
//! Protocol (`ip`, `tcp`, `udp`) and ports are matched; addresses and `$VARIABLES` match anything. `content` may
//! be negated; it may be anywhere in the payload. `rev`, `classtype`, `reference`, `metadata`, `priority` and `flow` are
//! read and not used. A rule with anything else (`offset`, `depth`, `distance` and `within` among it), one whose number
//! another has, and one that is not UTF-8 is refused with its line, and the others still work.
//!
//! What a payload may cost is bounded. A match may backtrack so often and no more ([`MatchConfig::backtracks`]); beyond,
//! the rule counts as not matched and [`Verdict::limited`] is raised. The filter looks at so many hits and no more
//! ([`MatchConfig::hits`]); beyond, rules may be missing from the candidates, and [`Candidates::cut`] says so.

mod attack;
mod header;
mod matcher;
mod options;
mod parse;
mod problem;

pub use attack::backtracking_payload;
pub use header::{PortSet, Protocol};
pub use matcher::{Candidates, MAX_BACKTRACKS, MatchConfig, Matcher, Verdict};
pub use options::{Content, Pcre};
pub use parse::{ParsedRules, Rule, parse_rules};
pub use problem::{MAX_CONDITIONS, MAX_RULES, RuleError, RuleProblem};
