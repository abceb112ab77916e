//! The frame of a chart: legend, titles, grid, ticks and notes around the curves.
//!
//! Complexity: linear in the ticks and the entries of the legend.

use super::pen::{self, Anchor, Entry, Pen, Rule, WIDTH};
use super::scale::Scale;

/// The plot's height without legend, titles and tick labels, in user units.
const PLOT: f64 = 290.0;
/// Room for the ticks and the title of the axis along x.
const FOOT: f64 = 58.0;
/// The height of a line of a note.
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
        // The last label is centred on the end of the axis.
        let overhang = x.ticks.last().map_or(0.0, |(_, label)| pen::text_width(label) / 2.0);
        let right = WIDTH - overhang.max(10.0);
        let mut plot = Plot { pen: Pen::default(), left, right, top, bottom, x, y };
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
        for (value, label) in self.x.ticks.clone() {
            let x = self.place(value, 0.0).0;
            self.pen.rule((x, bottom), (x, bottom + 6.0), Rule::Axis);
            self.pen.text((x, bottom + 19.0), &label, Anchor::Middle);
        }
        let how = if self.x.is_log() { ", logarithmic" } else { "" };
        let middle = (left + right) / 2.0;
        self.pen.title((middle, bottom + 44.0), &format!("{x_title}{how}"), Anchor::Middle);
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

    /// The picture, with notes below it.
    pub(super) fn finish(mut self, title: &str, notes: &[String]) -> String {
        let mut y = self.bottom + FOOT + 8.0;
        for line in notes.iter().flat_map(|note| pen::note_lines(note)) {
            self.pen.note((4.0, y), &line);
            y += LINE;
        }
        self.pen.finish(y - 8.0, title)
    }
}
