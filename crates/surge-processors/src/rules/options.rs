//! The options of a rule that look at the payload: `content` and `pcre`.

use memchr::memmem;
use pcre2::bytes::{Regex, RegexBuilder};

use super::matcher::MAX_BACKTRACKS;
use super::problem::RuleProblem;

/// The longest content or expression, in bytes as written.
const MAX_PATTERN: usize = 4096;

/// Bytes that must, or must not, occur in a payload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The bytes; in lower case if case does not matter.
    pub bytes: Vec<u8>,
    /// Whether the case of letters is ignored.
    pub nocase: bool,
    /// Whether they must not occur.
    pub negated: bool,
    /// Whether the filter should use this pattern.
    pub fast: bool,
}

impl Content {
    /// Reads `"GET |0d 0a|"`, perhaps after `!`.
    pub(super) fn parse(value: &str) -> Result<Self, RuleProblem> {
        let bad = || RuleProblem::Content(value.chars().take(60).collect());
        let (negated, quoted) = match value.strip_prefix('!') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, value),
        };
        if let Some((_, modifiers)) = quoted.rsplit_once("\",").filter(|_| !quoted.ends_with('"')) {
            return Err(RuleProblem::Modifiers(modifiers.trim().chars().take(60).collect()));
        }
        let text = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = text.filter(|text| text.len() <= MAX_PATTERN).ok_or_else(bad)?;
        let bytes = unescaped(text).filter(|bytes| !bytes.is_empty()).ok_or_else(bad)?;
        Ok(Content { bytes, negated, ..Content::default() })
    }

    /// Whether a payload satisfies this condition; `lower` is the payload in lower case.
    /// O(payload + content).
    pub(super) fn holds(&self, payload: &[u8], lower: &[u8]) -> bool {
        let payload = if self.nocase { lower } else { payload };
        memmem::find(payload, &self.bytes).is_some() != self.negated
    }
}

/// Text with `|hex bytes|` and backslashes before `"`, `;`, `:`, `|` and itself.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut parts) = (Vec::new(), text.bytes());
    while let Some(byte) = parts.next() {
        match byte {
            b'\\' => bytes.push(parts.next().filter(|next| b"\\\";:|".contains(next))?),
            b'|' => {
                let inside: Vec<u8> = parts.by_ref().take_while(|byte| *byte != b'|').collect();
                let inside = String::from_utf8(inside).ok()?;
                for pair in inside.split_whitespace() {
                    let digits = pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit());
                    bytes.push(u8::from_str_radix(pair, 16).ok().filter(|_| digits)?);
                }
            }
            other => bytes.push(other),
        }
    }
    Some(bytes)
}

/// A regular expression that must, or must not, match.
#[derive(Clone, Debug)]
pub struct Pcre {
    regex: Regex,
    negated: bool,
}

/// The result of an expression on a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Holds,
    HoldsNot,
    /// It backtracked too often, or used too much memory.
    Limit,
}

impl Pcre {
    /// Reads `"/expression/flags"`, perhaps after `!`. Flags: `i`, `s`, `m`, `x`, `A`.
    pub(super) fn parse(value: &str, backtracks: u32) -> Result<Self, RuleProblem> {
        let bad = |why: &str| RuleProblem::Pcre(why.to_owned());
        let (negated, quoted) = match value.strip_prefix('!') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, value),
        };
        let text = quoted.strip_prefix("\"/").and_then(|text| text.strip_suffix('"'));
        let text = text.filter(|text| text.len() <= MAX_PATTERN);
        let (body, flags) = text
            .and_then(|text| text.rsplit_once('/'))
            .ok_or_else(|| bad("it must be \"/expression/flags\", at most 4096 bytes long"))?;
        let mut builder = RegexBuilder::new();
        let mut anchored = false;
        for flag in flags.chars() {
            match flag {
                'i' => builder.caseless(true),
                's' => builder.dotall(true),
                'm' => builder.multi_line(true),
                'x' => builder.extended(true),
                'A' => {
                    anchored = true;
                    &mut builder
                }
                other => return Err(bad(&format!("flag {other} is unknown; use i, s, m, x, A"))),
            };
        }
        // Compiled by itself first: what is unbalanced alone might be balanced within the
        // parentheses below.
        builder.build(body).map_err(|error| bad(&error.to_string()))?;
        // Limits set in the expression itself can only lower it.
        let backtracks = backtracks.clamp(1, MAX_BACKTRACKS);
        let limits = format!("(*LIMIT_MATCH={backtracks})(*LIMIT_HEAP=20000)");
        let anchor = if anchored { "\\G" } else { "" };
        // A comment of the extended syntax ends where its line does.
        let end = if flags.contains('x') { "\n" } else { "" };
        let regex = builder.build(&format!("{limits}{anchor}(?:{body}{end})"));
        let regex = regex.map_err(|error| bad(&error.to_string()))?;
        Ok(Pcre { regex, negated })
    }

    pub(super) fn holds(&self, payload: &[u8]) -> Found {
        match self.regex.is_match(payload) {
            Ok(found) if found != self.negated => Found::Holds,
            Ok(_) => Found::HoldsNot,
            Err(_) => Found::Limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents() {
        let bytes = |text| Content::parse(text).map(|content| content.bytes);
        assert_eq!(bytes(r#""a|0D 0a|b""#), Ok(b"a\r\nb".to_vec()));
        assert_eq!(bytes(r#""a\"\;\:\|\\""#), Ok(br#"a";:|\"#.to_vec()));
        for bad in ["\"\"", "a", "\"", "\"|0|\"", "\"|+1|\"", r#""\a""#, "!\"||\""] {
            assert_eq!(Content::parse(bad), Err(RuleProblem::Content(bad.to_owned())), "{bad}");
        }
        let modified = Content::parse("\"a\", offset 3,depth 4");
        assert_eq!(modified, Err(RuleProblem::Modifiers("offset 3,depth 4".to_owned())));
        assert_eq!(bytes(r#""a\",b""#), Ok(b"a\",b".to_vec()));
        let none = Content::parse("! \"x\"").unwrap();
        assert!(none.holds(b"y", b"y") && !none.holds(b"x", b"x"));
    }

    #[test]
    fn expressions() {
        let found = |text, payload: &[u8]| Pcre::parse(text, 1000).map(|pcre| pcre.holds(payload));
        assert_eq!(found("\"/a.b/is\"", b"xA\nB"), Ok(Found::Holds));
        assert_eq!(found("\"/b/A\"", b"ab"), Ok(Found::HoldsNot));
        assert_eq!(found("\"/a b # c/x\"", b"ab"), Ok(Found::Holds));
        assert_eq!(found("!\"/a/\"", b"b"), Ok(Found::Holds));
        assert_eq!(found("\"/a\\/b\\xff/\"", b"a/b\xff"), Ok(Found::Holds));
        assert_eq!(found("\"/^(a+)+$/\"", &[&[b'a'; 60][..], b"!"].concat()), Ok(Found::Limit));
        for bad in ["\"/(/\"", "\"a\"", "\"/a/Q\"", "\"/\"", "\"/a)b(/\""] {
            assert!(matches!(found(bad, b""), Err(RuleProblem::Pcre(_))), "{bad}");
        }
    }
}
