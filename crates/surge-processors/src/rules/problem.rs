//! The errors of a rule, each with its line and the fix.

use forebay_units::printable;
use thiserror::Error;

/// The most rules of one file.
pub const MAX_RULES: usize = 100_000;

/// The most contents and expressions of one rule, together: each is looked for in a payload on its
/// own.
pub const MAX_CONDITIONS: usize = 64;

/// What can be wrong with a rule.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleProblem {
    /// The part before the parenthesis.
    #[error("the header must be: action protocol addresses ports -> addresses ports")]
    Header,
    /// The rule's protocol is none that packets have.
    #[error("protocol \"{}\" is unknown; use ip, tcp or udp", printable(.0))]
    Protocol(String),
    /// A list of ports.
    #[error(
        "\"{}\" is not a list of ports; write any, 80, 1000:2000, [80,443] or one of them after !",
        printable(.0)
    )]
    Ports(String),
    /// The options are not enclosed or not ended.
    #[error("the options must be in parentheses, each followed by a semicolon")]
    Options,
    /// An option that is not one of those understood.
    #[error("option \"{}\" is not supported; leave it out", printable(.0))]
    Unknown(String),
    /// A modifier that restricts the position of a content.
    #[error(
        "option \"{}\" is not supported: contents are searched for in the whole payload; leave it \
         out, or give the position with a pcre",
        printable(.0)
    )]
    Position(String),
    /// Modifiers within a content, as Snort 3 writes them.
    #[error(
        "content is followed by \"{}\"; write nocase; and fast_pattern; as separate options, and \
         leave out others",
        printable(.0)
    )]
    Modifiers(String),
    /// A modifier without a content before it.
    #[error("\"{0}\" must follow a content")]
    Dangling(&'static str),
    /// A `content` whose text cannot be read.
    #[error("content {} is not a quoted text with bytes as |0d 0a|", printable(.0))]
    Content(String),
    /// A `pcre` that the engine refuses.
    #[error("the pcre cannot be used: {}", printable(.0))]
    Pcre(String),
    /// The number of the rule.
    #[error("it has no sid; give it a unique number below 2^32")]
    Sid,
    /// The number belongs to another rule.
    #[error("its sid is that of line {0}, which is kept; give it a unique number")]
    Duplicate(usize),
    /// It is not text.
    #[error(
        "its byte {0} is not UTF-8; save the file as UTF-8, or write bytes of a content as |e9|"
    )]
    Encoding(usize),
    /// It has too many conditions.
    #[error("it has more than {MAX_CONDITIONS} contents and pcres; split it")]
    TooManyConditions,
    /// It has no condition.
    #[error("it has neither content nor pcre; give it one")]
    Empty,
    /// Too many rules.
    #[error("there are more than {MAX_RULES} rules before it; split the file")]
    TooMany,
}

/// A rule that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}{name}: {problem}", name = sid.map_or_else(String::new, |sid| format!(" (sid {sid})")))]
pub struct RuleError {
    /// Its line, from 1.
    pub line: usize,
    /// Its number, if it could be read.
    pub sid: Option<u32>,
    /// What is wrong with it, and the fix.
    pub problem: RuleProblem,
}
