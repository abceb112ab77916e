//! Writes to the terminal without ever panicking: a closed pipe ends the output and nothing else,
//! and what cannot be written otherwise is a failure.

use std::io::{ErrorKind, IsTerminal, Write};

use forebay_units::printable;

use crate::Failure;

/// Whether words may have colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Without colours.
    #[cfg(test)]
    pub(crate) const NONE: Paint = Paint(false);
    /// With colours.
    #[cfg(test)]
    pub(crate) const ALL: Paint = Paint(true);

    /// With colours if standard output is a terminal that has some, and nobody asked for none
    /// (<https://no-color.org>).
    pub(crate) fn of_stdout() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Paint(std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb)
    }

    /// What is as it should be.
    pub(crate) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// What is nearly so.
    pub(crate) fn fair(self, text: &str) -> String {
        self.with("33", text)
    }

    /// What is not.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    /// In the colour of a number of ECMA-48, and in bold, since not everybody sees colours.
    fn with(self, colour: &str, text: &str) -> String {
        if self.0 { format!("\x1b[1;{colour}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Writes to standard output. A reader that went away is no failure; a full disk is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What became of a write to standard output.
pub(crate) fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("error: cannot write to standard output: {error}"), 1))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes lines to standard error: what they quote of an input or a name moves no cursor.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text).in_lines());
}

/// Rows of cells as text: columns as wide as their widest cell, the first `left` aligned left,
/// others right.
pub(crate) fn columns(rows: &[Vec<String>], left: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            let fill = " ".repeat(widths[column] - cell.chars().count());
            let padded =
                if column < left { format!("{cell}{fill}") } else { format!("{fill}{cell}") };
            line += &format!(" {padded} ");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A text broken into lines of at most `width` characters, each indented by `indent`.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in unbroken(text) {
        let length = indent.chars().count() + line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && length > width {
            lines += &format!("{indent}{line}\n");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &word;
    }
    if line.is_empty() { lines } else { lines + &format!("{indent}{line}\n") }
}

/// The words of a text, a number and its unit being one.
fn unbroken(text: &str) -> Vec<String> {
    const UNITS: [&str; 17] = [
        "%", "B", "KB", "KiB", "MB", "MiB", "GB", "GiB", "b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s",
        "s", "ms", "us", "ns",
    ];
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_unit = UNITS.contains(&word.trim_end_matches(|c: char| ".,;:)".contains(c)));
        match words.last_mut() {
            Some(number) if is_unit && number.ends_with(|c: char| c.is_ascii_digit()) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let rows = [vec!["a".into(), "1".into()], vec!["µs".into(), "1000".into()]];
        assert_eq!(columns(&rows, 1), "  a      1\n  µs  1000\n");
    }

    #[test]
    fn long_texts_wrap() {
        assert_eq!(wrapped("aa bb cc", 7, "  "), "  aa bb\n  cc\n");
        assert_eq!(wrapped("", 7, "  "), "");
        // No line begins with a unit.
        assert_eq!(wrapped("aa 88.9 %) bb", 9, "  "), "  aa\n  88.9 %)\n  bb\n");
        assert_eq!(wrapped("of 5 B, 20 Gb/s. s", 8, ""), "of 5 B,\n20 Gb/s.\ns\n");
    }
}
