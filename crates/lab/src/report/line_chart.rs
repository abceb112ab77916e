//! A chart of lines that are not an experiment's: computed curves, in the look of the reports.
//!
//! Complexity: linear in the points.

use super::lines::{self, Line, Point};
use super::look::Look;
use super::pen::{self, Entry, Key, WIDTH};
use super::plot::Plot;
use super::scale::Scale;
use crate::results::number::short;

/// How an axis is divided.
#[derive(Clone, Debug, PartialEq)]
pub enum Axis {
    /// At round numbers that cover all values.
    Round,
    /// At these values, each with its label; labels that would touch are left out.
    At {
        /// Each value with its label.
        ticks: Vec<(f64, String)>,
        /// Whether distances are ratios.
        log: bool,
    },
}

/// Lines with markers over two axes.
///
/// ```
/// use forebay_lab::report::{Axis, LineChart, stacked};
///
/// let chart = LineChart {
///     title: "Squares".to_owned(),
///     x: ("n".to_owned(), Axis::Round),
///     y: ("n squared".to_owned(), Axis::Round),
///     lines: vec![("squares".to_owned(), vec![(1.0, 1.0), (2.0, 4.0)])],
/// };
/// assert!(stacked(&[chart]).starts_with("<svg "));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LineChart {
    /// What it shows, for screen readers.
    pub title: String,
    /// The title and the division of the horizontal axis.
    pub x: (String, Axis),
    /// The title and the division of the vertical axis.
    pub y: (String, Axis),
    /// The lines: a label and points in order.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl LineChart {
    fn draw(&self) -> String {
        let lines: Vec<Line> = self
            .lines
            .iter()
            .enumerate()
            .map(|(index, (label, points))| {
                let point = |(x, y): &(f64, f64)| Point {
                    x: *x,
                    y: *y,
                    half: 0.0,
                    words: Some(format!("{label} at {}: {}", short(*x), short(*y))),
                };
                Line { label, look: Look::of(index), points: points.iter().map(point).collect() }
            })
            .collect();
        let entries: Vec<Entry> = self
            .lines
            .iter()
            .zip(&lines)
            .map(|((label, _), line)| Entry { label, key: Key::Marker(line.look) })
            .collect();
        let points = || self.lines.iter().flat_map(|(_, points)| points);
        let x = scale(&self.x.1, points().map(|point| point.0));
        let y = scale(&self.y.1, points().map(|point| point.1));
        let mut plot = Plot::new(&entries, (x, &self.x.0), (y, &self.y.0));
        let at = |from, to| format!("at {} {} to {}", self.x.0, short(from), short(to));
        let notes = lines::draw(&mut plot, &lines, 3.0, at).notes;
        plot.finish(&self.title, &notes)
    }
}

fn scale(axis: &Axis, values: impl Iterator<Item = f64>) -> Scale {
    match axis {
        Axis::Round => Scale::round(values, false),
        Axis::At { ticks, log } => Scale::at(ticks, *log),
    }
}

/// Charts below each other, as one SVG document.
#[must_use]
pub fn stacked(charts: &[LineChart]) -> String {
    let (mut body, mut top) = (String::new(), 0.0);
    for chart in charts {
        let svg = chart.draw();
        let height = pen::height(&svg);
        let place = format!("<svg y=\"{top}\" width=\"{WIDTH}\" height=\"{height}\" ");
        body += &svg.replacen("<svg ", &place, 1);
        body.push('\n');
        top += height + 12.0;
    }
    pen::alone(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\">\n{body}</svg>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(title: &str) -> LineChart {
        let ticks = vec![(1.0, "1".to_owned()), (16.0, "16".to_owned())];
        LineChart {
            title: title.to_owned(),
            x: ("x".to_owned(), Axis::At { ticks, log: true }),
            y: ("y".to_owned(), Axis::Round),
            lines: vec![("a line".to_owned(), vec![(1.0, 2.0), (16.0, 8.0)])],
        }
    }

    #[test]
    fn charts_stand_below_each_other() {
        let svg = stacked(&[chart("first"), chart("second")]);
        assert_eq!(svg.matches("<svg ").count(), 3);
        assert_eq!(svg.matches("</svg>").count(), 3);
        assert!(svg.contains("aria-label=\"second\"") && svg.contains("a line"));
        let tops: Vec<f64> = svg
            .split("<svg y=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next()?.parse().ok())
            .collect();
        assert!(tops.len() == 2 && tops[0] == 0.0 && tops[1] > 300.0, "{tops:?}");
    }

    #[test]
    fn a_chart_without_lines_is_still_a_picture() {
        assert!(stacked(&[LineChart { lines: vec![], ..chart("none") }]).contains("aria-label"));
        assert!(stacked(&[]).ends_with("</svg>\n"));
    }
}
