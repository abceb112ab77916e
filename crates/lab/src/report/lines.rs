//! Draws curves so that none lies under another: stretches that several share are striped in all
//! their colours, markers at one place stand side by side, and curves that are one line from end to
//! end, or over three points in a row, are named together.
//!
//! Complexity: n log n in the points.

use std::collections::BTreeMap;

use super::look::Look;
use super::merged::{self, Place, SAME};
use super::pen;
use super::plot::Plot;

/// Up to which distance markers cover each other.
const MARKER: f64 = 6.0;
/// How far apart markers stand that would cover each other, if there is room.
const SIDE: f64 = 10.0;
/// The length of a stripe of a shared stretch, if there is room.
const STRIPE: f64 = 7.0;
/// The shortest stripe that is seen.
const SHORT: f64 = 2.5;

/// Which part of a picture's width series share where it is named.
const LONG: f64 = 0.25;

/// A curve to draw.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) label: &'a str,
    pub(super) look: Look,
    pub(super) points: Vec<Point>,
}

/// A point of a curve, in the units of the axes.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Half the width of its interval.
    pub(super) half: f64,
    /// What it says under the pointer; nothing for a place that has no marker.
    pub(super) words: Option<String>,
}

/// What was drawn.
#[derive(Debug)]
pub(super) struct Drawn {
    /// What to note below the picture.
    pub(super) notes: Vec<String>,
    /// Where markers stand.
    pub(super) markers: Vec<Place>,
}

/// Draws the curves with bands, intervals and markers; in notes `at` says in words from which value
/// along x to which.
pub(super) fn draw(
    plot: &mut Plot,
    lines: &[Line<'_>],
    width: f64,
    at: impl Fn(f64, f64) -> String,
) -> Drawn {
    let places = places(plot, lines);
    bands(plot, lines);
    strokes(plot, lines, &places, width);
    let markers = markers(plot, lines, &places);
    let mut notes = named(lines, &places);
    for run in merged::runs(&places) {
        let x = |end: usize| lines[run.lines[0]].points[end].x;
        let (from, to) = (x(run.points.0), x(run.points.1));
        notes.push(note(lines, &run.lines, &format!(" {}", at(from, to))));
    }
    Drawn { notes, markers }
}

/// Draws curves of many points without markers; the pointer finds values all the same. A part that
/// curves share is named if it is a good part of the picture: short ones are many.
pub(super) fn draw_series(
    plot: &mut Plot,
    lines: &[Line<'_>],
    width: f64,
    at: impl Fn(f64, f64) -> String,
) -> Vec<String> {
    let places = places(plot, lines);
    strokes(plot, lines, &places, width);
    for (number, (line, places)) in lines.iter().zip(&places).enumerate() {
        plot.pen.curve(number, line.look, |pen| {
            for (point, place) in line.points.iter().zip(places) {
                let Some(words) = &point.words else { continue };
                pen.titled(words, |pen| pen.spot(*place, 6.0));
            }
        });
    }
    let (left, right) = plot.width();
    let mut notes = named(lines, &places);
    for run in merged::runs(&places) {
        let line = run.lines[0];
        let [from, to] = [run.points.0, run.points.1].map(|end| &lines[line].points[end]);
        let [begin, end] = [run.points.0, run.points.1].map(|end| places[line][end].0);
        if end - begin >= LONG * (right - left) {
            notes.push(note(lines, &run.lines, &format!(" {}", at(from.x, to.x))));
        }
    }
    notes
}

fn places(plot: &Plot, lines: &[Line<'_>]) -> Vec<Vec<Place>> {
    let of = |line: &Line<'_>| line.points.iter().map(|p| plot.place(p.x, p.y)).collect();
    lines.iter().map(of).collect()
}

fn named(lines: &[Line<'_>], places: &[Vec<Place>]) -> Vec<String> {
    merged::whole(places).iter().map(|group| note(lines, group, "")).collect()
}

fn note(lines: &[Line<'_>], group: &[usize], place: &str) -> String {
    let names: Vec<&str> = group.iter().map(|line| lines[*line].label).collect();
    format!("On one line{place}: {}.", names.join("; "))
}

/// The intervals as areas.
fn bands(plot: &mut Plot, lines: &[Line<'_>]) {
    let has_some = |line: &Line<'_>| line.points.iter().any(|point| point.half > 0.0);
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| has_some(line)) {
        let upper = line.points.iter().map(|point| plot.place(point.x, point.y + point.half));
        let lower = line.points.iter().rev().map(|point| plot.place(point.x, point.y - point.half));
        let around: Vec<Place> = upper.chain(lower).collect();
        plot.pen.curve(number, line.look, |pen| pen.fill(&around, 0.14));
    }
}

/// A stretch between two places along x, as exact as a key.
type Span = (u64, u64);

fn span(ends: &[Place]) -> Span {
    (ends[0].0.to_bits(), ends[1].0.to_bits())
}

fn strokes(plot: &mut Plot, lines: &[Line<'_>], places: &[Vec<Place>], width: f64) {
    let mut spans: BTreeMap<Span, Vec<(usize, f64, f64)>> = BTreeMap::new();
    for (index, places) in places.iter().enumerate() {
        for ends in places.windows(2) {
            spans.entry(span(ends)).or_default().push((index, ends[0].1, ends[1].1));
        }
    }
    // Every curve of a stretch finds the same ones there, so that their stripes take turns.
    let groups: BTreeMap<Span, Vec<Vec<usize>>> =
        spans.into_iter().map(|(span, curves)| (span, sharing(&curves))).collect();
    let with = |index: usize, ends: &[Place]| -> &[usize] {
        let mut all = groups.get(&span(ends)).into_iter().flatten();
        all.find(|group| group.contains(&index)).map_or(&[], Vec::as_slice)
    };
    for (index, (line, places)) in lines.iter().zip(places).enumerate() {
        plot.pen.curve(index, line.look, |pen| {
            let mut begin = 0;
            let shared: Vec<&[usize]> = places.windows(2).map(|ends| with(index, ends)).collect();
            for end in 1..=shared.len() {
                if end < shared.len() && shared[end] == shared[begin] {
                    continue;
                }
                let (stretch, with) = (&places[begin..=end], shared[begin]);
                if with.len() > 1 {
                    // Curves of one colour share its stripes.
                    let mut colours: Vec<String> =
                        with.iter().map(|other| lines[*other].look.class()).collect();
                    colours.sort_unstable();
                    colours.dedup();
                    let own = line.look.class();
                    let turn = colours.iter().position(|colour| *colour == own).unwrap_or(0);
                    let stripe = stripe(stretch, colours.len());
                    let gap = pen::at(stripe * (colours.len() - 1) as f64);
                    let dashes = format!("{} {gap}", pen::at(stripe));
                    let dashes = Some(dashes.as_str()).filter(|_| colours.len() > 1);
                    pen.dashed(stretch, width, dashes, -stripe * turn as f64);
                } else {
                    pen.path(stretch, width, line.look.dashes());
                }
                begin = end;
            }
        });
    }
}

/// The curves of a stretch, each with its heights at both ends, in groups of those that lie on one
/// another, by number.
fn sharing(curves: &[(usize, f64, f64)]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<(usize, f64, f64)>> = Vec::new();
    for one in curves {
        let near = |(_, from, to): &(usize, f64, f64)| {
            (from - one.1).abs() <= SAME && (to - one.2).abs() <= SAME
        };
        // It may join what lay apart: a curve between two others lies on both.
        let (touched, mut apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(near));
        let mut joined: Vec<_> = touched.into_iter().flatten().collect();
        joined.push(*one);
        apart.push(joined);
        groups = apart;
    }
    let sorted = |group: Vec<(usize, f64, f64)>| {
        let mut group: Vec<usize> = group.into_iter().map(|(index, ..)| index).collect();
        group.sort_unstable();
        group
    };
    groups.into_iter().map(sorted).collect()
}

/// How long the stripes of so many colours are, so that each comes three times in the stretch if
/// there is room: its ends are under markers.
fn stripe(stretch: &[Place], colours: usize) -> f64 {
    let length = |ends: &[Place]| (ends[1].0 - ends[0].0).hypot(ends[1].1 - ends[0].1);
    let length: f64 = stretch.windows(2).map(length).sum();
    (length / (3 * colours) as f64).clamp(SHORT, STRIPE)
}

/// Draws the markers; where they stand.
fn markers(plot: &mut Plot, lines: &[Line<'_>], places: &[Vec<Place>]) -> Vec<Place> {
    let aside = aside(places, plot.width());
    let mut drawn = Vec::new();
    for (number, ((line, places), aside)) in lines.iter().zip(places).zip(aside).enumerate() {
        let at: Vec<(Place, Place, Place)> = line
            .points
            .iter()
            .zip(places)
            .zip(aside)
            .map(|((point, (x, y)), aside)| {
                let high = plot.place(point.x, point.y + point.half);
                let low = plot.place(point.x, point.y - point.half);
                ((x + aside, *y), high, low)
            })
            .collect();
        drawn.extend(at.iter().map(|(place, ..)| *place));
        plot.pen.curve(number, line.look, |pen| {
            for (point, ((x, y), high, low)) in line.points.iter().zip(at) {
                let Some(words) = &point.words else { continue };
                pen.titled(words, |pen| {
                    pen.interval(x, high.1, low.1, false);
                    pen.marker((x, y), line.look.marker());
                    pen.spot((x, y), 9.0);
                });
            }
        });
    }
    drawn
}

/// How far each marker is moved along x, so that those at one place stand side by side between
/// these ends.
fn aside(places: &[Vec<Place>], (left, right): (f64, f64)) -> Vec<Vec<f64>> {
    let mut columns: BTreeMap<u64, Vec<(usize, usize, f64)>> = BTreeMap::new();
    for (line, places) in places.iter().enumerate() {
        for (point, (x, y)) in places.iter().enumerate() {
            columns.entry(x.to_bits()).or_default().push((line, point, *y));
        }
    }
    let xs: Vec<f64> = columns.keys().map(|bits| f64::from_bits(*bits)).collect();
    let gaps = xs.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let room = 0.8 * gaps.fold(f64::INFINITY, f64::min);
    let mut aside: Vec<Vec<f64>> = places.iter().map(|places| vec![0.0; places.len()]).collect();
    for (bits, mut column) in columns {
        let x = f64::from_bits(bits);
        column.sort_by(|a, b| a.2.total_cmp(&b.2));
        for cluster in column.chunk_by(|a, b| b.2 - a.2 < MARKER) {
            let mut members: Vec<_> =
                cluster.iter().map(|(line, point, _)| (*line, *point)).collect();
            members.sort_unstable();
            let side = SIDE.min(room / (members.len() as f64));
            let half = (members.len() - 1) as f64 / 2.0 * side;
            let middle =
                if 2.0 * half < right - left { x.clamp(left + half, right - half) } else { x };
            for (turn, (line, point)) in members.into_iter().enumerate() {
                aside[line][point] = middle - half + turn as f64 * side - x;
            }
        }
    }
    aside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::pen::{Entry, Key};
    use crate::report::scale::Scale;

    fn drawn(curves: &[&[f64]]) -> (String, Vec<String>) {
        let labels: Vec<String> = (0..curves.len()).map(|index| format!("line {index}")).collect();
        let lines: Vec<Line> = curves
            .iter()
            .enumerate()
            .map(|(index, ys)| Line {
                label: &labels[index],
                look: Look::of(index),
                points: ys
                    .iter()
                    .enumerate()
                    .map(|(x, y)| Point {
                        x: x as f64,
                        y: *y,
                        half: 0.0,
                        words: Some(format!("{y}")),
                    })
                    .collect(),
            })
            .collect();
        let entries: Vec<Entry> = lines
            .iter()
            .map(|line| Entry { label: line.label, key: Key::Line(line.look) })
            .collect();
        let x = Scale::round([0.0, 3.0].into_iter(), true);
        let y = Scale::round([0.0, 100.0].into_iter(), true);
        let mut plot = Plot::new(&entries, (x, "x"), (y, "y"));
        let notes = draw(&mut plot, &lines, 3.0, |from, to| format!("at {from} to {to}")).notes;
        (plot.finish("t", &notes), notes)
    }

    #[test]
    fn curves_that_are_one_line_are_striped_and_named_together() {
        let (svg, notes) = drawn(&[&[5.0, 9.0, 70.0], &[5.0, 9.1, 70.0], &[50.0, 60.0, 80.0]]);
        assert_eq!(notes, ["On one line: line 0; line 1."]);
        assert_eq!(svg.matches("stroke-dasharray=\"7 7\"").count(), 2, "both, in turn");
        assert_eq!(svg.matches("stroke-dashoffset=\"-7\"").count(), 1);
        assert!(svg.contains("On one line: line 0; line 1."));
    }

    #[test]
    fn a_shared_stretch_is_striped_and_the_rest_is_each_curves_own() {
        let (svg, notes) = drawn(&[&[5.0, 9.0, 70.0], &[5.0, 9.0, 20.0]]);
        assert!(notes.is_empty());
        assert_eq!(svg.matches("stroke-dasharray=\"7 7\"").count(), 2);
        let apart = drawn(&[&[5.0, 9.0, 70.0], &[50.0, 50.0, 20.0]]).0;
        assert_eq!(apart.matches("stroke-dasharray=\"7 7\"").count(), 0);
    }

    #[test]
    fn curves_that_are_one_over_three_points_are_named_with_where() {
        let (svg, notes) = drawn(&[&[5.0, 9.0, 70.0, 20.0], &[5.0, 9.1, 70.1, 90.0]]);
        assert_eq!(notes, ["On one line at 0 to 2: line 0; line 1."]);
        assert!(svg.contains("On one line at 0 to 2"));
    }

    #[test]
    fn series_that_are_one_over_a_good_part_are_named_with_where() {
        let curve = |parts: usize, apart: f64| {
            let value = |x: usize| if x < parts { 10.0 } else { apart };
            let point = |x| Point { x: x as f64, y: value(x), half: 0.0, words: None };
            (0..40).map(point).collect()
        };
        let notes = |parts| {
            let lines = [("a", 0, 60.0), ("b", 1, 90.0)].map(|(label, look, apart)| Line {
                label,
                look: Look::of(look),
                points: curve(parts, apart),
            });
            let x = Scale::round([0.0, 39.0].into_iter(), true);
            let y = Scale::round([0.0, 100.0].into_iter(), true);
            let mut plot = Plot::new(&[], (x, "x"), (y, "y"));
            draw_series(&mut plot, &lines, 1.8, |from, to| format!("from {from} to {to}"))
        };
        assert_eq!(notes(40), ["On one line: a; b."]);
        assert_eq!(notes(20), ["On one line from 0 to 19: a; b."]);
        assert!(notes(5).is_empty(), "short parts are many");
    }

    #[test]
    fn every_curve_of_a_shared_stretch_is_seen_in_it() {
        // The first lies on the second and that on the third, the first not on the third.
        let (svg, _) = drawn(&[&[50.0, 50.0], &[50.4, 50.4], &[50.8, 50.8]]);
        assert_eq!(svg.matches("stroke-dasharray=\"7 14\"").count(), 3, "each in its turn");
        let offset = |turn: usize| format!("stroke-dashoffset=\"-{}\"", 7 * turn);
        assert!(svg.contains(&offset(1)) && svg.contains(&offset(2)), "{svg}");
        assert_eq!(stripe(&[(0.0, 0.0), (24.0, 0.0)], 2), 4.0, "each three times");
    }

    #[test]
    fn curves_of_one_colour_share_a_stripe() {
        let looks = [Look::new(0, 0), Look::new(1, 0), Look::new(1, 1), Look::new(1, 2)];
        let lines = looks.map(|look| {
            let point = |x| Point { x, y: 50.0, half: 0.0, words: None };
            Line { label: "", look, points: vec![point(0.0), point(3.0)] }
        });
        let x = Scale::round([0.0, 3.0].into_iter(), true);
        let y = Scale::round([0.0, 100.0].into_iter(), true);
        let mut plot = Plot::new(&[], (x, "x"), (y, "y"));
        draw(&mut plot, &lines, 3.0, |_, _| String::new());
        let svg = plot.finish("t", &[]);
        assert_eq!(svg.matches("stroke-dasharray=\"7 7\"").count(), 4, "two turns: {svg}");
        assert_eq!(svg.matches("stroke-dashoffset=\"-7\"").count(), 3, "{svg}");
    }

    #[test]
    fn markers_at_one_place_stand_side_by_side() {
        let places = vec![vec![(10.0, 5.0), (90.0, 5.0)], vec![(10.0, 7.0), (90.0, 50.0)]];
        assert_eq!(aside(&places, (0.0, 100.0)), [[-5.0, 0.0], [5.0, 0.0]]);
        let close = vec![vec![(10.0, 5.0), (14.0, 5.0)], vec![(10.0, 5.0), (14.0, 5.0)]];
        let moved = aside(&close, (0.0, 100.0));
        assert!((moved[1][0] - moved[0][0] - 1.6).abs() < 1e-9, "as the room allows: {moved:?}");
        let moved = aside(&places, (10.0, 100.0));
        assert_eq!([moved[0][0], moved[1][0]], [0.0, 10.0], "inside the picture");
    }
}
