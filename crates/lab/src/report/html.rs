//! The pieces of the page: escaping, tables, and the reading of long texts.

/// A text with every character escaped that HTML gives a meaning, for content and attributes alike.
#[must_use]
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// What a number is not to be parted from at the end of a line.
const UNITS: [&str; 22] = [
    "%", "×", "s", "ms", "µs", "us", "ns", "ps", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB",
    "GiB", "Mb/s", "Gb/s", "Tb/s", "MHz", "GHz",
];

/// A sentence, escaped, whose lines break neither before a number's unit nor within an option; what
/// stands between backticks is code.
pub(super) fn prose(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        parts = vec![&text]; // a backtick without its partner stands for itself
    }
    let (mut html, mut after_number) = (String::with_capacity(text.len()), false);
    for (place, part) in parts.into_iter().enumerate() {
        if place.is_multiple_of(2) {
            after_number = plain(&mut html, part, after_number);
        } else {
            let class = if part.contains("--") { " class=\"whole\"" } else { "" };
            html += &format!("<code{class}>{}</code>", escape(part));
            after_number = ends_in_digit(part);
        }
    }
    html
}

/// Writes a part of a sentence without code after `html`; whether it ends in a number, as what
/// stands before it may do.
fn plain(html: &mut String, part: &str, mut after_number: bool) -> bool {
    for (place, word) in part.split(' ').enumerate() {
        let bare = word.trim_end_matches(['.', ',', ';', ':', ')']);
        if place > 0 {
            html.push(if after_number && UNITS.contains(&bare) { '\u{a0}' } else { ' ' });
        }
        if bare == "us" && after_number {
            // As reports spell it everywhere; experiments and parameters may write either.
            *html += &escape(&word.replacen("us", "µs", 1));
        } else if word.trim_start_matches(['(', '[', '"']).starts_with("--") {
            *html += &format!("<span class=\"whole\">{}</span>", escape(word));
        } else {
            *html += &escape(word);
        }
        after_number = ends_in_digit(word) || (place == 0 && word.is_empty() && after_number);
    }
    after_number
}

fn ends_in_digit(word: &str) -> bool {
    word.ends_with(|last: char| last.is_ascii_digit())
}

/// A text's paragraphs, separated by blank lines in the source.
pub(super) fn paragraphs(text: &str) -> String {
    text.split("\n\n")
        .map(prose)
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| format!("<p>{paragraph}</p>\n"))
        .collect()
}

/// A cell of a table: its class and its content, already escaped.
pub(super) struct Cell {
    class: &'static str,
    html: String,
}

impl Cell {
    /// Words, escaped here; what stands between backticks is code.
    pub(super) fn text(text: &str) -> Self {
        Cell { class: "", html: prose(text) }
    }

    /// A number, aligned with those above and below.
    pub(super) fn number(text: &str) -> Self {
        Cell { class: "num", html: escape(text) }
    }

    /// The same as HTML.
    pub(super) fn html_number(html: String) -> Self {
        Cell { class: "num", html }
    }

    /// A name or value of an experiment file.
    pub(super) fn code(text: &str) -> Self {
        Cell { class: "", html: format!("<code>{}</code>", escape(text)) }
    }

    /// Content that is HTML already.
    pub(super) fn html(html: String) -> Self {
        Cell { class: "", html }
    }
}

/// A table without anchors.
pub(super) fn table(heads: &[&str], rows: &[Vec<Cell>], cards: bool) -> String {
    anchored(heads, rows, cards, "")
}

/// A table whose rows are the places `PREFIX-1`, `PREFIX-2`, …, or none if the prefix is empty; on
/// narrow screens the heads stand beside the cells if `cards` is set.
pub(super) fn anchored(heads: &[&str], rows: &[Vec<Cell>], cards: bool, prefix: &str) -> String {
    let class = if cards { " class=\"cards\"" } else { "" };
    let mut html = format!("<div class=\"scroll\"><table{class}>\n<thead><tr>");
    for (index, head) in heads.iter().enumerate() {
        let number = rows.first().and_then(|row| row.get(index)).is_some_and(|c| c.class == "num");
        let class = if number { " class=\"num\"" } else { "" };
        html += &format!("<th scope=\"col\"{class}>{}</th>", escape(head));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (number, row) in (1..).zip(rows) {
        html += &match prefix {
            "" => "<tr>".to_owned(),
            prefix => format!("<tr id=\"{}-{number}\">", escape(prefix)),
        };
        for (cell, head) in row.iter().zip(heads) {
            let class = if cell.class.is_empty() { String::new() } else { " class=\"num\"".into() };
            html += &format!("<td{class} data-head=\"{}\">{}</td>", escape(head), cell.html);
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_escaped() {
        assert_eq!(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
        let html = table(&["<h>"], &[vec![Cell::code("<script>")]], true);
        assert!(!html.contains("<script>") && !html.contains("<h>"), "{html}");
        assert_eq!(paragraphs("a\nb\n\n<c>"), "<p>a b</p>\n<p>&lt;c&gt;</p>\n");
    }

    #[test]
    fn no_line_ends_before_a_unit_or_within_an_option() {
        assert_eq!(prose("12 %, or 5 of <9>\nGb/s"), "12\u{a0}%, or 5 of &lt;9&gt; Gb/s");
        assert_eq!(prose("not with --quick."), "not with <span class=\"whole\">--quick.</span>");
        assert_eq!(prose("in 5 us, us"), "in 5\u{a0}µs, us");
        assert_eq!(prose("busy (--busy)"), "busy <span class=\"whole\">(--busy)</span>");
    }

    #[test]
    fn what_stands_between_backticks_is_code() {
        assert_eq!(prose("within `bin` / 2 or `<a b>`."), {
            "within <code>bin</code> / 2 or <code>&lt;a b&gt;</code>."
        });
        assert_eq!(prose("with `--set x=1`"), "with <code class=\"whole\">--set x=1</code>");
        assert_eq!(prose("`12` µs, `5`"), "<code>12</code>\u{a0}µs, <code>5</code>");
        assert_eq!(prose("a lone ` is one"), "a lone ` is one");
        assert_eq!(prose(" \n "), "");
    }
}
