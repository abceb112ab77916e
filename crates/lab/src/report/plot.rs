//! The frame of a chart: legend, titles, grid, ticks and notes around the curves.
//!
//! Complexity: linear in the ticks and the entries of the legend.

use super::names::Names;
use super::pen::{self, Anchor, Entry, Pen, Rule, WIDTH};
use super::scale::Scale;

/// The plot's height without legend, titles and tick labels, in user units.
const PLOT: f64 = 290.0;
/// Room for the ticks and the title of the axis along x.
const FOOT: f64 = 58.0;
/// The height of a line of a note or of a name.
const LINE: f64 = 19.0;

/// The rectangle of a plot and its axes.
pub(super) struct Plot {
    pub(super) pen: Pen,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
    /// How far the names of groups reach below one line.
    more: f64,
    /// What the numbers of groups mean.
    key: Vec<String>,
}

impl Plot {
    /// Draws legend, titles, grid and tick labels, and leaves the curves to the caller.
    pub(super) fn new(
        entries: &[Entry<'_>],
        (x, x_title): (Scale, &str),
        (y, y_title): (Scale, &str),
    ) -> Self {
        let top = pen::legend_height(entries) + 44.0;
        let bottom = top + PLOT;
        let labels = y.ticks.iter().map(|(_, label)| pen::text_width(label));
        let left = labels.fold(20.0, f64::max) + 12.0;
        // The last label is centred on the end of the axis; a group's is in the group's place.
        let last = x.ticks.last().filter(|_| !x.groups);
        let overhang = last.map_or(0.0, |(_, label)| pen::text_width(label) / 2.0);
        let right = WIDTH - overhang.max(10.0);
        let x = if x.groups { x } else { x.thinned(right - left) };
        let (more, key, pen) = (0.0, Vec::new(), Pen::default());
        let mut plot = Plot { pen, left, right, top, bottom, x, y, more, key };
        plot.pen.legend(entries);
        plot.frame(x_title, y_title);
        plot
    }

    fn frame(&mut self, x_title: &str, y_title: &str) {
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        let how = if self.y.is_log() { ", logarithmic" } else { "" };
        self.pen.title((2.0, top - 22.0), &format!("{y_title}{how}"), Anchor::Start);
        for value in self.y.fine.clone() {
            let y = self.place(0.0, value).1;
            self.pen.rule((left, y), (right, y), Rule::Fine);
        }
        for (value, label) in self.y.ticks.clone() {
            let y = self.place(0.0, value).1;
            self.pen.rule((left, y), (right, y), Rule::Grid);
            self.pen.text((left - 8.0, y), &label, Anchor::End);
        }
        if self.y.crosses_zero() {
            let y = self.place(0.0, 0.0).1;
            self.pen.rule((left, y), (right, y), Rule::Axis);
        }
        self.pen.rule((left, bottom), (right, bottom), Rule::Axis);
        let labelled = self.x.ticks.iter().map(|(value, _)| (*value, 6.0));
        let others = self.x.fine.iter().map(|value| (*value, 3.5));
        for (value, length) in labelled.chain(others).collect::<Vec<_>>() {
            let x = self.place(value, 0.0).0;
            self.pen.rule((x, bottom), (x, bottom + length), Rule::Axis);
        }
        match self.x.groups {
            true => self.names(),
            false => {
                for (value, label) in self.x.ticks.clone() {
                    let place = (self.place(value, 0.0).0, bottom + 19.0);
                    self.pen.text(place, &label, Anchor::Middle);
                }
            }
        }
        let how = if self.x.is_log() { ", logarithmic" } else { "" };
        let middle = (left + right) / 2.0;
        self.pen.title(
            (middle, bottom + 44.0 + self.more),
            &format!("{x_title}{how}"),
            Anchor::Middle,
        );
    }

    /// The names of the groups below the axis.
    fn names(&mut self) {
        let ticks = self.x.ticks.clone();
        let texts: Vec<&str> = ticks.iter().map(|(_, name)| name.as_str()).collect();
        let place = (self.right - self.left) / texts.len().max(1) as f64;
        let names = Names::of(&texts, place, self.left.min(WIDTH - self.right));
        self.more = (names.height() - 1) as f64 * LINE;
        for (group, (value, name)) in ticks.iter().enumerate() {
            let x = self.place(*value, 0.0).0;
            let first = self.bottom + 19.0 + names.row(group) as f64 * LINE;
            let lines = &names.lines[group];
            let draw = |pen: &mut Pen| {
                for (line, text) in lines.iter().enumerate() {
                    pen.text((x, first + line as f64 * LINE), text, Anchor::Middle);
                }
            };
            match lines.as_slice() {
                [whole] if whole == name => draw(&mut self.pen),
                _ => self.pen.titled(name, draw),
            }
        }
        self.key = names.key;
    }

    /// Where a value stands in the picture.
    pub(super) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let across = self.left + self.x.share(x) * (self.right - self.left);
        (across, self.bottom - self.y.share(y).clamp(0.0, 1.0) * (self.bottom - self.top))
    }

    /// Between which places along x markers stay inside the picture.
    pub(super) fn width(&self) -> (f64, f64) {
        (self.left - 8.0, WIDTH - 8.0)
    }

    /// The vertical axis.
    pub(super) fn y(&self) -> &Scale {
        &self.y
    }

    /// The picture, with the key of its groups and notes below it.
    pub(super) fn finish(mut self, title: &str, notes: &[String]) -> String {
        let mut y = self.bottom + FOOT + 8.0 + self.more;
        let below = self.key.iter().chain(notes);
        for line in below.flat_map(|note| pen::note_lines(note)).collect::<Vec<_>>() {
            self.pen.note((4.0, y), &line);
            y += LINE;
        }
        self.pen.finish(y - 8.0, title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::look::{Look, textures};
    use crate::report::pen::Key;

    /// The boxes of the texts of a picture: left, top, right, bottom, and the text.
    fn boxes(svg: &str) -> Vec<([f64; 4], String)> {
        let one = |rest: &str| {
            let (head, tail) = rest.split_once('>')?;
            let of = |name: &str| head.split_once(&format!(" {name}=\""))?.1.split('"').next();
            let number = |name: &str| of(name)?.parse::<f64>().ok();
            let text = tail.split_once("</text>")?.0;
            let (x, y, size) = (number("x")?, number("y")?, number("font-size")?);
            let width = pen::text_width(text) * size / 16.0;
            let left = match of("text-anchor")? {
                "start" => x,
                "middle" => x - width / 2.0,
                _ => x - width,
            };
            Some(([left, y - 0.8 * size, left + width, y + 0.2 * size], text.to_owned()))
        };
        svg.split("<text").skip(1).filter_map(one).collect()
    }

    fn of_groups(names: &[&str], looks: usize) -> String {
        let labels: Vec<String> = (1..=looks).map(|place| format!("policy {place}")).collect();
        let looks: Vec<Look> = (0..looks).map(Look::of).collect();
        let keys = looks.iter().zip(textures(&looks));
        let entries: Vec<Entry> = labels
            .iter()
            .zip(keys)
            .map(|(label, (look, texture))| Entry { label, key: Key::Box(*look, texture) })
            .collect();
        let x = Scale::groups(names.iter().map(|name| (*name).to_owned()).collect());
        let y = Scale::round([0.0, 1e6].into_iter(), true);
        Plot::new(&entries, (x, "Demands"), (y, "Sent")).finish("t", &["A note.".to_owned()])
    }

    /// Every group's name stands below the axis, in lines, or in the key of its number; no text
    /// lies on another or reaches out of the picture.
    fn assert_read(names: &[&str]) {
        let svg = of_groups(names, 4);
        let boxes = boxes(&svg);
        for (place, (one, text)) in boxes.iter().enumerate() {
            assert!(one[0] >= 0.0 && one[2] <= WIDTH && one[3] <= pen::height(&svg), "{text}");
            for (other, neighbour) in &boxes[..place] {
                let apart = one[0] >= other[2] || other[0] >= one[2];
                let apart = apart || one[1] >= other[3] || other[1] >= one[3];
                assert!(apart, "{text} lies on {neighbour}");
            }
        }
        let all: String = boxes.iter().map(|(_, text)| text.as_str()).collect();
        let bare = |text: &str| text.replace(' ', "");
        for name in names {
            assert!(bare(&all).contains(&bare(name)), "{name} is not there: {all}");
        }
    }

    #[test]
    fn every_group_has_a_name_and_none_lies_on_another() {
        assert_read(&["0.2", "0.5"]);
        let demands = [
            "100 Gb/s x32",
            "1 Gb/s x16:100 Gb/s x16",
            "100 Gb/s:1 Gb/s x15:100 Gb/s:0 b/s x15",
            "100 Gb/s x8:0 b/s x8:100 Gb/s x16",
        ];
        assert_read(&demands);
        assert!(of_groups(&demands, 4).contains(&format!("<title>{}</title>", demands[2])));
        let tenants = ["10 Gb/s x8", "0 b/s:10 Gb/s:0 b/s:10 Gb/s x5", "10 Gb/s x4:0 b/s x4"];
        assert_read(&[tenants, tenants].concat()[..5]);
        assert_read(&["a-name-that-cannot-be-broken-anywhere"; 9]);
        let many: Vec<String> = (0..40).map(|place| (place * 1000).to_string()).collect();
        assert_read(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let words: Vec<String> =
            (0..12).map(|place| format!("the {place}th of the words")).collect();
        assert_read(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_read(&[""]);
    }

    #[test]
    fn the_legend_of_bars_tells_24_policies_apart() {
        let svg = of_groups(&["1"], 24);
        let keys: Vec<&str> = svg.split("<g class=\"c").skip(1).collect();
        let fill = |key: &&str| {
            let paths = key.split("</g>").next().unwrap_or_default().split("<path ").skip(1);
            let style = |path: &str| path.split_once("fill=").map(|(_, rest)| rest.to_owned());
            (key.split('"').next().map(str::to_owned), paths.map(style).collect::<Vec<_>>())
        };
        let fills: Vec<_> = keys.iter().map(fill).collect();
        assert_eq!(fills.len(), 24);
        for (place, one) in fills.iter().enumerate() {
            assert!(!fills[..place].contains(one), "{place}: {one:?}");
        }
    }
}
