//! Rules from text: every good one, and for every other its line and the problem. O(text).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::header::Header;
use super::options::{Content, Pcre};
use super::problem::{MAX_CONDITIONS, MAX_RULES, RuleError, RuleProblem};

/// A rule that was read: whom it concerns, and what its payload must hold.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its line in the text, from 1.
    pub line: usize,
    /// The number by which alerts name it (`sid`).
    pub sid: u32,
    /// The group within which the number is unique: `gid`, or 1.
    pub gid: u32,
    /// What its alerts say (`msg`); empty if it has none.
    pub message: String,
    /// What must, or must not, occur in the payload literally.
    pub contents: Vec<Content>,
    /// Which expressions must, or must not, match.
    pub pcres: Vec<Pcre>,
    pub(super) header: Header,
}

impl Rule {
    /// The filter's pattern: the content marked `fast_pattern`, otherwise the longest that is not
    /// negated.
    #[must_use]
    pub fn fast_pattern(&self) -> Option<&[u8]> {
        let eligible = self.contents.iter().filter(|content| !content.negated);
        let best = eligible.max_by_key(|content| (content.fast, content.bytes.len()))?;
        Some(&best.bytes)
    }
}

/// The rules in a text.
#[derive(Clone, Debug, Default)]
pub struct ParsedRules {
    /// The rules that can be used.
    pub rules: Vec<Rule>,
    /// What cannot be used, and why.
    pub errors: Vec<RuleError>,
}

/// Reads rules, one per line; empty lines and lines that begin with `#` are skipped. An expression
/// may backtrack `backtracks` times. Of several rules with one number the first counts.
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
pub fn parse_rules(text: impl AsRef<[u8]>, backtracks: u32) -> ParsedRules {
    let mut parsed = ParsedRules::default();
    // The line of each rule, by group and number.
    let mut known = HashMap::new();
    for (line, bytes) in (1..).zip(text.as_ref().split(|byte| *byte == b'\n')) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if parsed.rules.len() >= MAX_RULES {
            parsed.errors.push(RuleError { line, sid: None, problem: RuleProblem::TooMany });
            break;
        }
        let mut sid = None;
        let read = rule(line, text, backtracks, &mut sid);
        // If the line is not text, that is the error, whatever else is wrong with it.
        let read = encoding(bytes).and(read).and_then(|rule| first_of_its_number(rule, &mut known));
        match read {
            Ok(rule) => parsed.rules.push(rule),
            Err(problem) => parsed.errors.push(RuleError { line, sid, problem }),
        }
    }
    parsed
}

fn first_of_its_number(
    rule: Rule,
    known: &mut HashMap<(u32, u32), usize>,
) -> Result<Rule, RuleProblem> {
    match known.entry((rule.gid, rule.sid)) {
        Entry::Occupied(first) => Err(RuleProblem::Duplicate(*first.get())),
        Entry::Vacant(place) => {
            place.insert(rule.line);
            Ok(rule)
        }
    }
}

fn encoding(line: &[u8]) -> Result<(), RuleProblem> {
    let valid = str::from_utf8(line).map(|_| ());
    valid.map_err(|error| RuleProblem::Encoding(error.valid_up_to() + 1))
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
    let number = |name: &str| {
        let found = options.iter().find(|(known, _)| *known == name);
        found.and_then(|(_, number)| number.parse::<u32>().ok())
    };
    *sid = number("sid");
    let header = Header::parse(header)?;
    let (message, contents, pcres) = (String::new(), Vec::new(), Vec::new());
    let (gid, sid) = (number("gid").unwrap_or(1), sid.ok_or(RuleProblem::Sid)?);
    let mut rule = Rule { line, sid, gid, message, contents, pcres, header };
    for (name, value) in options {
        option(&mut rule, name, value, backtracks)?;
        if rule.contents.len() + rule.pcres.len() > MAX_CONDITIONS {
            return Err(RuleProblem::TooManyConditions);
        }
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
        "offset" | "depth" | "distance" | "within" | "startswith" | "endswith" => {
            return Err(RuleProblem::Position(name.to_owned()));
        }
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
            lines in prop::collection::vec("(alert tcp any (any|80|\\[1:2) -> any any \
                                            )?[(](content:\"[a-c|\\\\]{0,5}\";|nocase;|pcre:\"/[a(+]{0,4}/i?\";|sid:[0-9];|\\PC{0,3}){0,5}[)]?", 0..8),
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
            "line 5 (sid 4): option \"distance\" is not supported: contents are searched for in \
             the whole payload; leave it out, or give the position with a pcre"
        );
    }

    #[test]
    fn what_rule_files_are_like_is_told_apart_and_the_rest_works() {
        let rule =
            |options: &str| format!("alert tcp any any -> any any ({options})\n").into_bytes();
        let many = "content:\"x\"; ".repeat(MAX_CONDITIONS + 1);
        let mut latin = rule("content:\"caf?\"; sid:2;");
        latin.iter_mut().filter(|byte| **byte == b'?').for_each(|byte| *byte = 0xe9);
        let text = [
            b"# caf\xe9, in a comment\n".to_vec(),
            rule("content:\"x\"; sid:1;"),
            latin,
            rule("content:\"y\"; sid:1; rev:2;"),
            rule("content:\"y\"; gid:3; sid:1;"),
            rule("content:\"y\", offset 4; sid:5;"),
            rule("content:\"y\"; depth:3; sid:6;"),
            rule(&format!("{many} sid:7;")),
            rule("content:\"y\"; sid:1;"),
        ]
        .concat();
        let parsed = parse_rules(&text, 100);
        let kept: Vec<_> =
            parsed.rules.iter().map(|rule| (rule.line, rule.gid, rule.sid)).collect();
        assert_eq!(kept, [(2, 1, 1), (5, 3, 1)]);
        let said: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
        let expected = [
            "line 3 (sid 2): its byte 43 is not UTF-8",
            "line 4 (sid 1): its sid is that of line 2, which is kept",
            "line 6 (sid 5): content is followed by \"offset 4\"",
            "line 7 (sid 6): option \"depth\" is not supported",
            "line 8 (sid 7): it has more than 64 contents",
            "line 9 (sid 1): its sid is that of line 2",
        ];
        assert_eq!(said.len(), expected.len(), "{said:?}");
        for (said, expected) in said.iter().zip(expected) {
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
