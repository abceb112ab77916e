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
//! be negated. `rev`, `classtype`, `reference`, `metadata`, `priority`, `gid` and `flow` are read and not used. A
//! rule with anything else is refused with its line, and the others still work.
//!
//! A match may backtrack so often and no more ([`MatchConfig::backtracks`]); beyond, the rule counts as not
//! matched and [`Verdict::limited`] is raised.

mod attack;
mod header;
mod matcher;
mod options;
mod parse;

pub use attack::backtracking_payload;
pub use header::{PortSet, Protocol};
pub use matcher::{MatchConfig, Matcher, Verdict};
pub use options::{Content, Pcre};
pub use parse::{MAX_RULES, ParsedRules, Rule, RuleError, RuleProblem, parse_rules};
