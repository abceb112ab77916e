//! Where in a file a problem is, and how all files of ours say so: the message, the place, the line
//! with its piece underlined, and the fix. Locating a piece is linear in the file.

use alloc::format;
use alloc::string::{String, ToString};
use core::ops::Range;

use forebay_units::{is_hidden, printable};

/// The most characters of a line that are shown.
const SHOWN: usize = 160;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file, as the user named it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line itself.
    pub excerpt: String,
    /// How many characters the caret underlines.
    pub width: usize,
}

impl Position {
    /// "FILE:LINE:COLUMN", or "line LINE, column COLUMN" if the file has no name.
    fn place(&self) -> String {
        match self.file.as_str() {
            "" => format!("line {}, column {}", self.line, self.column),
            file => format!("{}:{}:{}", printable(file), self.line, self.column),
        }
    }

    /// The line with what is wrong underlined.
    fn underlined(&self) -> String {
        let excerpt: String = self.excerpt.chars().take(SHOWN).collect();
        let gutter = self.line.to_string();
        let blank = " ".repeat(gutter.len());
        let mut text = format!("{blank} |\n{gutter} | {excerpt}\n");
        if self.column <= SHOWN {
            let indent = " ".repeat(self.column - 1);
            text += &format!("{blank} | {indent}{}\n", "^".repeat(self.width.clamp(1, SHOWN)));
        }
        text
    }
}

/// A problem for a terminal: message, place, the line with a caret, and the fix, on a line each.
#[must_use]
pub fn in_lines(message: &str, position: Option<&Position>, fix: Option<&str>) -> String {
    let mut text = format!("{}\n", printable(message).in_lines());
    if let Some(position) = position {
        text += &format!("  --> {}\n{}", position.place(), position.underlined());
    }
    if let Some(fix) = fix {
        text += &format!("  fix: {}\n", printable(fix).in_lines());
    }
    text
}

/// The same in one line, without the line of the file.
#[must_use]
pub fn in_one_line(message: &str, position: Option<&Position>, fix: Option<&str>) -> String {
    let place = position.map(|position| format!("{}: ", position.place())).unwrap_or_default();
    let fix = fix.map(|fix| format!("; {}", printable(fix).in_lines())).unwrap_or_default();
    format!("{place}{}{fix}", printable(message).in_lines())
}

/// A text with a name, in which byte ranges become places.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    /// The file, as the user named it.
    pub name: String,
    /// The whole text, which byte ranges index.
    pub text: String,
}

impl SourceText {
    /// The position of a byte range; ranges outside the text are clamped.
    #[must_use]
    pub fn position(&self, span: &Range<usize>) -> Position {
        let start = floor_boundary(&self.text, span.start);
        let end = floor_boundary(&self.text, span.end.max(start));
        let line_start = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |n| start + n);
        let clean = |text: &str| -> String {
            text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect()
        };
        Position {
            file: self.name.clone(),
            line: self.text[..start].matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            excerpt: clean(self.text[line_start..line_end].trim_end()),
            width: self.text[start..end.min(line_end).max(start)].chars().count().max(1),
        }
    }
}

fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_survive_any_span() {
        let source = SourceText { name: "a.toml".into(), text: "x = 1\ny = \"é\" # z\n".into() };
        let position = source.position(&(10..14));
        assert_eq!((position.line, position.column, position.width), (2, 5, 3));
        assert_eq!(position.excerpt, "y = \"é\" # z");
        for start in 0..30 {
            for end in 0..30 {
                let position = source.position(&(start..end));
                assert!(position.line >= 1 && position.column >= 1 && position.width >= 1);
            }
        }
    }
}
