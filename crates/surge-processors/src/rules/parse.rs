//! Rules from text: every good one, and for every other its line and what is wrong. O(text).

use thiserror::Error;

use super::header::Header;
use super::options::{Content, Pcre};

/// The most rules of one file.
pub const MAX_RULES: usize = 100_000;

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its line in the text, from 1.
    pub line: usize,
    /// Its number.
    pub sid: u32,
    /// What it says when it matches.
    pub message: String,
    /// What has to be in the payload, literally.
    pub contents: Vec<Content>,
    /// Which expressions have to match.
    pub pcres: Vec<Pcre>,
    pub(super) header: Header,
}

impl Rule {
    /// What the filter looks for: the content marked `fast_pattern`, else the longest that is not negated.
    #[must_use]
    pub fn fast_pattern(&self) -> Option<&[u8]> {
        let eligible = self.contents.iter().filter(|content| !content.negated);
        let best = eligible.max_by_key(|content| (content.fast, content.bytes.len()))?;
        Some(&best.bytes)
    }
}

/// What can be wrong with a rule.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleProblem {
    /// The part before the parenthesis.
    #[error("the header has to be: action protocol addresses ports -> addresses ports")]
    Header,
    /// The protocol.
    #[error("protocol \"{0}\" is not known; use ip, tcp or udp")]
    Protocol(String),
    /// A list of ports.
    #[error("\"{0}\" are no ports; write any, 80, 1000:2000, [80,443] or one of them after !")]
    Ports(String),
    /// The parentheses.
    #[error("the options have to stand in parentheses, each ended by a semicolon")]
    Options,
    /// An option.
    #[error("option \"{0}\" is not supported; leave it out")]
    Unknown(String),
    /// A modifier without what it modifies.
    #[error("\"{0}\" has to follow a content")]
    Dangling(&'static str),
    /// A literal.
    #[error("content {0} is not a quoted text with bytes as |0d 0a|")]
    Content(String),
    /// An expression.
    #[error("the pcre cannot be used: {0}")]
    Pcre(String),
    /// The number of the rule.
    #[error("it has no sid; give it a number of its own, below 2^32")]
    Sid,
    /// It looks at nothing.
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
    /// Its number, if that could be read.
    pub sid: Option<u32>,
    /// What is wrong.
    pub problem: RuleProblem,
}

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub struct ParsedRules {
    /// The rules that can be used.
    pub rules: Vec<Rule>,
    /// The others.
    pub errors: Vec<RuleError>,
}

/// Reads rules, one a line; lines that are empty or begin with `#` are passed over. An expression may backtrack
/// `backtracks` times.
///
/// ```
/// use forebay_surge_processors::rules::parse_rules;
///
/// let text = "alert tcp any any -> any 80 (msg:\"good\"; content:\"GET\"; sid:1;)\n\
///             alert tcp any any -> any 80 (msg:\"bad\"; pcre:\"/(/\"; sid:2;)\n";
/// let parsed = parse_rules(text, 10_000);
/// assert_eq!(parsed.rules.len(), 1);
/// assert!(parsed.errors[0].to_string().starts_with("line 2 (sid 2): the pcre cannot be used: "));
/// ```
#[must_use]
pub fn parse_rules(text: &str, backtracks: u32) -> ParsedRules {
    let mut parsed = ParsedRules::default();
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let mut sid = None;
        let full = parsed.rules.len() >= MAX_RULES;
        let read =
            if full { Err(RuleProblem::TooMany) } else { rule(line, text, backtracks, &mut sid) };
        match read {
            Ok(rule) => parsed.rules.push(rule),
            Err(problem) => parsed.errors.push(RuleError { line, sid, problem }),
        }
        if full {
            break;
        }
    }
    parsed
}

fn rule(
    line: usize,
    text: &str,
    backtracks: u32,
    sid: &mut Option<u32>,
) -> Result<Rule, RuleProblem> {
    let (header, options) = text.split_once('(').ok_or(RuleProblem::Options)?;
    let options = options.strip_suffix(')').ok_or(RuleProblem::Options)?;
    let options = split_options(options).ok_or(RuleProblem::Options)?;
    *sid = options.iter().find(|(name, _)| *name == "sid").and_then(|(_, sid)| sid.parse().ok());
    let header = Header::parse(header)?;
    let (message, contents, pcres) = (String::new(), Vec::new(), Vec::new());
    let number = sid.ok_or(RuleProblem::Sid)?;
    let mut rule = Rule { line, sid: number, message, contents, pcres, header };
    for (name, value) in options {
        option(&mut rule, name, value, backtracks)?;
    }
    if rule.contents.is_empty() && rule.pcres.is_empty() {
        return Err(RuleProblem::Empty);
    }
    Ok(rule)
}

fn option(rule: &mut Rule, name: &str, value: &str, backtracks: u32) -> Result<(), RuleProblem> {
    match name {
        "msg" => rule.message = value.trim_matches('"').to_owned(),
        "content" => rule.contents.push(Content::parse(value)?),
        "nocase" => {
            let content = rule.contents.last_mut().ok_or(RuleProblem::Dangling("nocase"))?;
            content.nocase = true;
            content.bytes.make_ascii_lowercase();
        }
        "fast_pattern" => {
            let content = rule.contents.last_mut().filter(|content| !content.negated);
            content.ok_or(RuleProblem::Dangling("fast_pattern"))?.fast = true;
        }
        "pcre" => rule.pcres.push(Pcre::parse(value, backtracks)?),
        "sid" | "rev" | "classtype" | "reference" | "metadata" | "priority" | "gid" | "flow" => {}
        other => return Err(RuleProblem::Unknown(other.chars().take(60).collect())),
    }
    Ok(())
}

/// Splits `name:value;` at semicolons that are neither quoted nor escaped.
fn split_options(text: &str) -> Option<Vec<(&str, &str)>> {
    let (mut options, mut begin) = (Vec::new(), 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                let option = text[begin..at].trim();
                let (name, value) = option.split_once(':').unwrap_or((option, ""));
                options.push((name.trim(), value.trim()));
                begin = at + 1;
            }
            _ => {}
        }
    }
    (!quoted && text[begin..].trim().is_empty()).then_some(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_gives_rules_and_errors_with_their_lines(
            lines in prop::collection::vec("(alert tcp any (any|80|\\[1:2) -> any any )?[(](content:\"[a-c|\\\\]{0,5}\";|nocase;|pcre:\"/[a(+]{0,4}/i?\";|sid:[0-9];|\\PC{0,3}){0,5}[)]?", 0..8),
        ) {
            let text = lines.join("\n");
            let parsed = parse_rules(&text, 100);
            let said = text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#')).count();
            prop_assert_eq!(parsed.rules.len() + parsed.errors.len(), said);
        }
    }

    #[test]
    fn each_bad_rule_is_named_and_the_rest_work() {
        let text = "# comment\n\
            alert tcp any any -> any 80 (msg:\"a;b\"; content:\"x\\;y\"; nocase; content:\"longest\"; sid:1; rev:2;)\n\
            alert icmp any any -> any any (content:\"x\"; sid:2;)\n\
            alert tcp any any -> any any (nocase; content:\"x\"; sid:3;)\n\
            alert tcp any any -> any any (content:\"x\"; distance:4; sid:4;)\n\
            alert tcp any any -> any any (content:\"x\";)\n\
            alert tcp any any -> any any (msg:\"x\"; sid:6;)\n\
            alert tcp any any any (content:\"x\"; sid:7;)\n\
            alert tcp any any -> any any (content:\"x; sid:8;)\n\
            alert udp any any <> any !53 (pcre:\"/x;y/\"; sid:9;)";
        let parsed = parse_rules(text, 100);
        assert_eq!(parsed.rules.iter().map(|rule| rule.sid).collect::<Vec<_>>(), [1, 9]);
        assert_eq!(parsed.rules[0].message, "a;b");
        assert_eq!(parsed.rules[0].contents[0].bytes, b"x;y");
        assert_eq!(parsed.rules[0].fast_pattern(), Some(&b"longest"[..]));
        assert_eq!(parsed.rules[1].fast_pattern(), None);
        let lines: Vec<_> = parsed.errors.iter().map(|error| (error.line, error.sid)).collect();
        assert_eq!(
            lines,
            [
                (3, Some(2)),
                (4, Some(3)),
                (5, Some(4)),
                (6, None),
                (7, Some(6)),
                (8, Some(7)),
                (9, None)
            ]
        );
        assert_eq!(
            parsed.errors[2].to_string(),
            "line 5 (sid 4): option \"distance\" is not supported; leave it out"
        );
    }
}
