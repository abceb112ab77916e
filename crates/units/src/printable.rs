//! Pieces of input in sentences: what is quoted must not move the cursor of a terminal, change its
//! colours or turn the direction of the text around it.

use core::fmt::{self, Write};

/// A text whose characters that a terminal would obey or not show are escaped, as Rust writes them
/// (`\n`, `\u{1b}`); see [`printable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printable<'a> {
    text: &'a str,
    most: usize,
    /// Whether ends of lines stay.
    lines: bool,
}

/// `text` as it may stand in a sentence: every error that quotes a piece of its input does it with
/// this. O(length).
///
/// ```
/// use forebay_units::printable;
///
/// assert_eq!(printable("caf\u{e9}, 咖啡").to_string(), "caf\u{e9}, 咖啡");
/// assert_eq!(printable("red\u{1b}[31m\n").to_string(), "red\\u{1b}[31m\\n");
/// assert_eq!(printable("0123456789").at_most(4).to_string(), "0123…");
/// ```
#[must_use]
pub const fn printable(text: &str) -> Printable<'_> {
    Printable { text, most: usize::MAX, lines: false }
}

impl Printable<'_> {
    /// The same, cut after so many characters.
    #[must_use]
    pub const fn at_most(self, most: usize) -> Self {
        Printable { most, ..self }
    }

    /// The same as several lines, whose ends are meant.
    #[must_use]
    pub const fn in_lines(self) -> Self {
        Printable { lines: true, ..self }
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, character) in self.text.chars().enumerate() {
            if place == self.most {
                return f.write_char('…');
            }
            if self.lines && character == '\n' || !is_hidden(character) {
                f.write_char(character)?;
            } else {
                write!(f, "{}", character.escape_default())?;
            }
        }
        Ok(())
    }
}

/// Whether a terminal obeys a character or does not show it: those of control, of direction, of no
/// width, and ends of lines and paragraphs (Unicode's categories Cc, Cf, Zl and Zp, but for marks
/// that some scripts are written with). O(1).
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn what_a_terminal_obeys_or_hides_is_escaped() {
        for (text, shown) in [
            ("plain \"text\" \\ 'x'", "plain \"text\" \\ 'x'"),
            ("\u{1b}[2J\u{7}\0\r\n\t", "\\u{1b}[2J\\u{7}\\u{0}\\r\\n\\t"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}b\u{200b}c\u{2028}", "a\\u{202e}b\\u{200b}c\\u{2028}"),
            ("e\u{301}", "e\u{301}"),
        ] {
            assert_eq!(printable(text).to_string(), shown);
            // What was escaped once stays as it is.
            assert_eq!(printable(shown).to_string(), shown);
        }
        assert_eq!(printable("a\nb\t").in_lines().to_string(), "a\nb\\t");
        assert_eq!(printable("ab").at_most(2).to_string(), "ab");
    }
}
