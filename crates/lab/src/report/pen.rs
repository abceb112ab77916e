//! The strokes of a chart as SVG: paths, areas, markers, texts and the legend.
//!
//! Every element carries its colours for light paper, so that a picture stands alone; its classes
//! let a style sheet give it others on dark paper. Coordinates are user units of a picture 560
//! wide, scaled to the page by its view box. Complexity: linear in what is drawn.

use std::fmt::Write;

use super::html::escape;
use super::look::{Look, Marker, Texture, dark_rules};

/// The width of a picture in user units.
pub(super) const WIDTH: f64 = 560.0;
/// The size of most texts in user units: 10 pixels on a page 400 pixels wide.
const TEXT: f64 = 16.0;
/// The size of notes below a picture.
const NOTE: f64 = 14.0;

/// How strong the gaps between a bar's stripes are.
const GAP: f64 = 0.2;

/// What marks a part of a curve, and its entry in the legend, by their number.
const CURVE: &str = " data-curve=";
const KEY: &str = " data-key=";

/// Nearly black.
const INK: &str = "#21262e";
/// For tick labels.
const SOFT: &str = "#505864";
/// For grid lines.
const GRID: &str = "#dee2e8";

/// On which side of its place a text stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// A line of the legend.
pub(super) struct Entry<'a> {
    pub(super) label: &'a str,
    pub(super) key: Key,
}

/// How the legend shows a curve.
#[derive(Clone, Copy)]
pub(super) enum Key {
    /// A line with its marker.
    Marker(Look),
    /// A marker alone.
    Dot(Look),
    /// A line without markers.
    Line(Look),
    /// A filled box.
    Box(Look, Texture),
    /// The star of a published number.
    Star,
    /// The bracket of a published range.
    Bracket,
}

/// Lines of the frame around the curves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// At a tick.
    Grid,
    /// Between ticks of a logarithmic axis.
    Fine,
    /// The axis itself.
    Axis,
}

/// Draws a picture.
#[derive(Default)]
pub(super) struct Pen {
    svg: String,
}

/// A coordinate with one digit after the point.
pub(super) fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").map(str::to_owned).unwrap_or(text);
    if text == "-0" { "0".to_owned() } else { text }
}

/// The data of a path through points.
fn data(points: &[(f64, f64)]) -> String {
    let mut data = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        data += if index == 0 { "M" } else { "L" };
        data += &format!("{} {}", at(*x), at(*y));
    }
    data
}

impl Pen {
    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a string does not fail.
        let _ = self.svg.write_fmt(element);
    }

    /// Draws a part of the curve of this number, in its colour.
    pub(super) fn curve(&mut self, number: usize, look: Look, inside: impl FnOnce(&mut Self)) {
        self.coloured(look, (CURVE, number), inside);
    }

    /// Draws what `inside` draws in a curve's colour; a page's script finds it by the mark.
    fn coloured(
        &mut self,
        look: Look,
        (mark, number): (&str, usize),
        inside: impl FnOnce(&mut Self),
    ) {
        let (class, colour) = (look.class(), look.colour());
        self.write(format_args!("<g class=\"{class}\" color=\"{colour}\"{mark}\"{number}\">"));
        inside(self);
        self.svg += "</g>\n";
    }

    /// What `inside` draws says `words` under the pointer.
    pub(super) fn titled(&mut self, words: &str, inside: impl FnOnce(&mut Self)) {
        self.write(format_args!("<g><title>{}</title>", escape(words)));
        inside(self);
        self.svg += "</g>";
    }

    /// A line of the current colour.
    pub(super) fn path(&mut self, points: &[(f64, f64)], width: f64, dashes: Option<&str>) {
        self.dashed(points, width, dashes, 0.0);
    }

    /// The same with dashes that begin so far along the line.
    pub(super) fn dashed(
        &mut self,
        points: &[(f64, f64)],
        width: f64,
        dashes: Option<&str>,
        from: f64,
    ) {
        let mut more = dashes.map_or(String::new(), |d| format!(" stroke-dasharray=\"{d}\""));
        if from != 0.0 {
            more += &format!(" stroke-dashoffset=\"{}\"", at(from));
        }
        self.write(format_args!(
            "<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"{more}/>",
            data(points)
        ));
    }

    /// A line of the frame.
    pub(super) fn rule(&mut self, from: (f64, f64), to: (f64, f64), rule: Rule) {
        let (class, colour, width) = match rule {
            Rule::Grid => ("grid", GRID, 1.2),
            Rule::Fine => ("grid", GRID, 0.6),
            Rule::Axis => ("axis", INK, 1.5),
        };
        self.write(format_args!(
            "<path class=\"{class}\" d=\"{}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>",
            data(&[from, to])
        ));
    }

    /// An area of the current colour.
    pub(super) fn fill(&mut self, points: &[(f64, f64)], opacity: f64) {
        let opacity =
            if opacity < 1.0 { format!(" fill-opacity=\"{opacity}\"") } else { String::new() };
        self.write(format_args!("<path d=\"{}Z\" fill=\"currentColor\"{opacity}/>", data(points)));
    }

    /// An upright box of the current colour between two places across and two heights.
    pub(super) fn bar(
        &mut self,
        (left, right): (f64, f64),
        (foot, head): (f64, f64),
        texture: Texture,
    ) {
        let corners = [(left, foot), (right, foot), (right, head), (left, head)];
        let Some(stripes) = texture.stripes else {
            self.fill(&corners, texture.opacity);
            return;
        };
        // One dashed line as wide as the box makes all stripes.
        self.fill(&corners, GAP * texture.opacity);
        if (foot - head).abs() < 1.0 {
            return;
        }
        let middle = at((left + right) / 2.0);
        self.write(format_args!(
            "<path d=\"M{middle} {}L{middle} {}\" fill=\"none\" stroke=\"currentColor\" \
             stroke-width=\"{}\" stroke-dasharray=\"{stripes}\" stroke-opacity=\"{}\"/>",
            at(foot),
            at(head),
            at(right - left),
            texture.opacity
        ));
    }

    /// A vertical interval with caps, of the current colour or of ink.
    pub(super) fn interval(&mut self, x: f64, top: f64, bottom: f64, ink: bool) {
        if bottom - top < 1.0 {
            return;
        }
        let (class, colour) = if ink { (" class=\"axis\"", INK) } else { ("", "currentColor") };
        let (left, right) = (at(x - 4.0), at(x + 4.0));
        let (x, top, bottom) = (at(x), at(top), at(bottom));
        self.write(format_args!(
            "<path{class} d=\"M{x} {top}L{x} {bottom}M{left} {top}L{right} {top}M{left} \
             {bottom}L{right} {bottom}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>"
        ));
    }

    /// Where nothing is seen but the pointer finds a value.
    pub(super) fn spot(&mut self, (x, y): (f64, f64), radius: f64) {
        let (x, y) = (at(x), at(y));
        self.write(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill-opacity=\"0\"/>"
        ));
    }

    /// A marker of the current colour, with an edge of paper, so that markers stay apart where they
    /// overlap.
    pub(super) fn marker(&mut self, (x, y): (f64, f64), marker: Marker) {
        let moved = |(dx, dy): &(f64, f64)| (x + dx, y + dy);
        const FULL: &str =
            "class=\"edge\" fill=\"currentColor\" stroke=\"#fff\" stroke-width=\"1\"";
        const HOLLOW: &str =
            "class=\"hole\" fill=\"#fff\" stroke=\"currentColor\" stroke-width=\"2.4\"";
        match marker {
            Marker::Disc { hollow } => {
                let (look, radius) = if hollow { (HOLLOW, 4.4) } else { (FULL, 5.4) };
                self.write(format_args!(
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{radius}\" {look}/>",
                    at(x),
                    at(y)
                ));
            }
            Marker::Shape { corners, hollow } => {
                let look = if hollow { HOLLOW } else { FULL };
                let corners: Vec<(f64, f64)> = corners.iter().map(moved).collect();
                self.write(format_args!("<path d=\"{}Z\" {look}/>", data(&corners)));
            }
            Marker::Strokes(strokes) => {
                let lines: String =
                    strokes.iter().map(|ends| data(&ends.each_ref().map(moved))).collect();
                for (class, colour, width) in
                    [(" class=\"edge\"", "#fff", 4.6), ("", "currentColor", 2.6)]
                {
                    self.write(format_args!(
                        "<path{class} d=\"{lines}\" fill=\"none\" stroke=\"{colour}\" \
                         stroke-width=\"{width}\"/>"
                    ));
                }
            }
        }
    }

    /// The star of a published number, of the current colour with an edge of ink.
    pub(super) fn star(&mut self, (x, y): (f64, f64)) {
        let corner = |index: u32| {
            let angle = std::f64::consts::PI * (f64::from(index) / 5.0 - 0.5);
            let radius = if index.is_multiple_of(2) { 9.0 } else { 3.9 };
            (x + radius * angle.cos(), y + radius * angle.sin())
        };
        let corners: Vec<(f64, f64)> = (0..10).map(corner).collect();
        self.write(format_args!(
            "<path class=\"axis\" d=\"{}Z\" fill=\"currentColor\" stroke=\"{INK}\" \
             stroke-width=\"1.3\" stroke-linejoin=\"round\"/>",
            data(&corners)
        ));
    }

    /// The bracket of a published range between two heights, of the current colour with an edge of
    /// paper.
    pub(super) fn bracket(&mut self, x: f64, top: f64, bottom: f64) {
        let (left, right) = (at(x - 5.0), at(x + 5.0));
        let (x, top, bottom) = (at(x), at(top), at(bottom));
        self.edged(&format!(
            "M{left} {top}L{right} {top}M{x} {top}L{x} {bottom}M{left} {bottom}L{right} {bottom}"
        ));
    }

    /// An arrow from a place downwards, or upwards if `length` is negative, of the current colour.
    pub(super) fn arrow(&mut self, x: f64, y: f64, length: f64) {
        let (tip, wing) = (y + length, y + length - length.signum() * 5.0);
        let (left, right) = (at(x - 4.0), at(x + 4.0));
        let (x, y, tip, wing) = (at(x), at(y), at(tip), at(wing));
        self.edged(&format!("M{x} {y}L{x} {tip}M{left} {wing}L{x} {tip}L{right} {wing}"));
    }

    /// A thin line of the current colour with an edge of paper.
    fn edged(&mut self, line: &str) {
        for (class, colour, width) in [(" class=\"edge\"", "#fff", 4.6), ("", "currentColor", 2.0)]
        {
            self.write(format_args!(
                "<path{class} d=\"{line}\" fill=\"none\" stroke=\"{colour}\" \
                 stroke-width=\"{width}\"/>"
            ));
        }
    }

    /// A tick label.
    pub(super) fn text(&mut self, place: (f64, f64), text: &str, anchor: Anchor) {
        self.letters(place, text, anchor, TEXT, ("soft", SOFT));
    }

    /// The name of an axis.
    pub(super) fn title(&mut self, place: (f64, f64), text: &str, anchor: Anchor) {
        self.letters(place, text, anchor, TEXT, ("ink", INK));
    }

    /// A line of a note.
    pub(super) fn note(&mut self, place: (f64, f64), text: &str) {
        self.letters(place, text, Anchor::Start, NOTE, ("soft", SOFT));
    }

    fn letters(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        anchor: Anchor,
        size: f64,
        (class, colour): (&str, &str),
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        // The middle of the small letters stands at `y`.
        let (x, y) = (at(x), at(y + 0.34 * size));
        self.write(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" \
             font-size=\"{size}\" font-family=\"sans-serif\" fill=\"{colour}\">{}</text>\n",
            escape(text)
        ));
    }

    /// Draws the legend from the top of the picture.
    pub(super) fn legend(&mut self, entries: &[Entry<'_>]) {
        for (number, (entry, (x, y))) in entries.iter().zip(places(entries)).enumerate() {
            let width = key_width(entry.key) - 7.0;
            let (start, middle, end) = ((x, y), (x + width / 2.0, y), (x + width, y));
            match entry.key {
                Key::Box(look, texture) => self.coloured(look, (KEY, number), |pen| {
                    pen.bar((x, end.0), (y + 8.0, y - 8.0), texture);
                }),
                Key::Line(look) => {
                    self.coloured(look, (KEY, number), |pen| {
                        pen.path(&[start, end], 3.0, look.dashes());
                    });
                }
                Key::Dot(look) => {
                    self.coloured(look, (KEY, number), |pen| pen.marker(middle, look.marker()));
                }
                Key::Marker(look) => self.coloured(look, (KEY, number), |pen| {
                    pen.path(&[start, end], 3.0, look.dashes());
                    pen.marker(middle, look.marker());
                }),
                Key::Star => {
                    self.write(format_args!("<g class=\"star\" color=\"#ffffff\">"));
                    self.star(middle);
                    self.svg += "</g>\n";
                }
                Key::Bracket => {
                    self.write(format_args!("<g class=\"line\" color=\"{INK}\">"));
                    self.bracket(middle.0, y - 8.0, y + 8.0);
                    self.svg += "</g>\n";
                }
            }
            self.title((x + key_width(entry.key), y), entry.label, Anchor::Start);
        }
    }

    /// The picture of this height as an SVG element, named for screen readers.
    pub(super) fn finish(self, height: f64, title: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n{}</svg>",
            at(height),
            escape(title),
            self.svg
        )
    }
}

fn key_width(key: Key) -> f64 {
    match key {
        Key::Marker(_) | Key::Line(_) => 45.0,
        Key::Box(..) => 23.0,
        Key::Dot(_) | Key::Star | Key::Bracket => 25.0,
    }
}

/// Where each entry of the legend stands: left to right, then down.
fn places(entries: &[Entry<'_>]) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (4.0, 14.0);
    let mut places = Vec::new();
    for entry in entries {
        let width = key_width(entry.key) + text_width(entry.label) + 14.0;
        if x > 4.0 && x + width - 14.0 > WIDTH {
            (x, y) = (4.0, y + 26.0);
        }
        places.push((x, y));
        x += width;
    }
    places
}

/// How high the legend is.
pub(super) fn legend_height(entries: &[Entry<'_>]) -> f64 {
    places(entries).last().map_or(0.0, |(_, y)| y + 14.0)
}

/// About how wide a text is, in a wide sans-serif face: rather too much than overlapping. As wide
/// as the letters of DejaVu Sans and Verdana are, whichever is wider.
pub(super) fn text_width(text: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | '\'' => 0.3,
        '.' | ',' | ' ' | 'f' => 0.37,
        't' | 'I' | 'J' | 'r' | '-' | '(' | ')' | ':' | ';' | '|' | '/' => 0.46,
        'm' | 'M' | 'W' | '@' => 1.0,
        '%' => 1.08,
        'w' | '=' | '+' | '<' | '>' | '×' | '±' | '−' | '·' => 0.84,
        'C' | 'D' | 'G' | 'H' | 'N' | 'O' | 'Q' | 'R' | 'U' => 0.79,
        upper if upper.is_uppercase() => 0.7,
        _ => 0.64,
    };
    text.chars().map(width).sum::<f64>() * TEXT
}

/// A note in lines that fit below a picture.
pub(super) fn note_lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map(std::mem::take).unwrap_or_default();
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        let wide = text_width(&longer) * NOTE / TEXT > WIDTH - 8.0;
        let last = lines.len() - 1;
        if wide && !line.is_empty() {
            lines[last] = line;
            lines.push(word.to_owned());
        } else {
            lines[last] = longer;
        }
    }
    lines
}

/// How high a picture is in user units, from its view box.
pub(super) fn height(svg: &str) -> f64 {
    let view = svg.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next());
    let height = view.and_then(|view| view.split(' ').nth(3)?.parse::<f64>().ok());
    height.unwrap_or(0.0)
}

/// The same without the marks of curves: no script reads them in a picture that stands alone.
fn unmarked(svg: &str) -> String {
    let mut plain = svg.to_owned();
    for mark in [CURVE, KEY] {
        let mut parts = plain.split(mark);
        let first = parts.next().unwrap_or_default().to_owned();
        // Each begins with the number in quotes.
        let rest = parts.map(|part| part.splitn(3, '"').nth(2).unwrap_or_default());
        plain = rest.fold(first, |plain, part| plain + part);
    }
    plain
}

/// An SVG element as a document that knows dark paper.
pub(super) fn alone(svg: &str) -> String {
    let svg = unmarked(svg);
    let Some((head, body)) = svg.split_once('>') else { return String::new() };
    format!(
        "{head}>\n<style>@media (prefers-color-scheme: dark) {{ {} }}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>{body}\n",
        dark_style()
    )
}

/// The rules of style for pictures on dark paper.
pub(super) fn dark_style() -> String {
    format!("{} {}", include_str!("dark.css").trim(), dark_rules())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_that_stand_alone_have_no_marks() {
        let mut pen = Pen::default();
        let look = Look::of(1);
        pen.legend(&[Entry { label: "a", key: Key::Line(look) }]);
        pen.curve(0, look, |pen| pen.spot((1.0, 2.0), 3.0));
        let svg = pen.finish(9.0, "t");
        assert!(svg.contains("data-key=\"0\">") && svg.contains("data-curve=\"0\">"), "{svg}");
        let plain = unmarked(&svg);
        assert!(!plain.contains("data-"), "{plain}");
        assert_eq!(plain.len() + " data-key=\"0\" data-curve=\"0\"".len(), svg.len());
    }

    #[test]
    fn a_note_is_broken_where_it_would_be_cut_off() {
        let note = "On one line: ".to_owned() + &"Greedy-Hybrid, ".repeat(9);
        let lines = note_lines(note.trim());
        assert!((2..=4).contains(&lines.len()), "{lines:?}");
        assert_eq!(lines.join(" "), note.trim());
        assert!(lines.iter().all(|line| text_width(line) * NOTE / TEXT <= WIDTH - 8.0));
    }

    #[test]
    fn the_legend_ends_within_the_picture() {
        let labels = ["DT, query bytes 461.373 KB", "DT, query bytes 671.088 KB", "Occamy, 8"];
        let look = Look::of(0);
        for keep in 1..=labels.len() {
            let entries =
                labels[..keep].iter().map(|label| Entry { label, key: Key::Marker(look) });
            let entries: Vec<Entry> = entries.collect();
            for (entry, (x, _)) in entries.iter().zip(places(&entries)) {
                let end = x + key_width(entry.key) + text_width(entry.label);
                assert!(end <= WIDTH, "{} ends at {end}", entry.label);
            }
        }
        // As DejaVu Sans and Verdana have them, at 16 units an em.
        assert!(text_width("671.088 KB") >= 16.0 * (6.0 * 0.636 + 0.364 + 0.352 + 0.693 + 0.686));
    }

    #[test]
    fn what_is_drawn_is_escaped_and_has_short_numbers() {
        let mut pen = Pen::default();
        pen.titled("<a> & b", |pen| pen.spot((1.04, -0.01), 4.0));
        let svg = pen.finish(10.0, "\"x\"");
        assert!(svg.contains("<title>&lt;a&gt; &amp; b</title>"), "{svg}");
        assert!(svg.contains("cx=\"1\" cy=\"0\"") && svg.contains("aria-label=\"&quot;x&quot;\""));
        assert!(alone(&svg).contains("prefers-color-scheme"), "{svg}");
    }
}
