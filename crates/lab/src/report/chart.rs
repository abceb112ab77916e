//! Draws a figure as SVG: lines with markers and 95 % intervals, grouped bars, or series against
//! time.
//!
//! Complexity: n log n in the points; series are thinned to the extremes of 280 slices of time.

use super::lines::{self, Line, Point};
use super::look::{self, Look};
use super::pen::{self, Entry, Key};
use super::plot::Plot;
use super::published::{Star, stars};
use super::scale::{self, Scale};
use super::stars::{self, Drawn};
use crate::config::{Figure, FigureKind};
use crate::results::Results;
use crate::results::curves::{self, Curve, Track};
use crate::results::number::{self, Shown};
use crate::results::stats::Estimate;
use crate::run::record::{AxisRecord, AxisValue, Record};

/// Slices of time that a series is thinned to.
const SLICES: usize = 280;
/// How high a bar of nothing is, in user units.
const NOTHING: f64 = 2.5;
/// Every how many points of a thinned series the pointer finds a value.
const SPOTS: usize = 8;

/// How many lines of notes on shared curves stand in a picture.
const NOTES: usize = 4;

/// A figure.
pub(super) struct Picture {
    /// As an SVG element.
    pub(super) svg: String,
    /// Notes for which there is no room in it.
    pub(super) more: Vec<String>,
}

/// The figure, or nothing if there is nothing to draw.
pub(super) fn picture(record: &Record, results: &Results, figure: &Figure) -> Option<Picture> {
    match figure.kind {
        FigureKind::Line => Drawing::of(record, results, figure)?.lines(),
        FigureKind::Bars => Some(Drawing::of(record, results, figure)?.bars()),
        FigureKind::Timeline => timeline(record, results, figure),
    }
}

/// The first notes, as many as there is room for, and the others.
pub(super) fn folded(mut notes: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut lines = 0;
    let room = |note: &&String| {
        lines += pen::note_lines(note).len();
        lines <= NOTES
    };
    let keep = notes.iter().take_while(room).count();
    if keep + 1 >= notes.len() {
        return (notes, Vec::new()); // a note on one that is left out is as long
    }
    let more = notes.split_off(keep);
    notes.push(format!("The report lists {} more shared stretches.", more.len()));
    (notes, more)
}

/// The curves of a figure with everything that their picture needs.
struct Drawing<'a> {
    record: &'a Record,
    figure: &'a Figure,
    curves: Vec<Curve>,
    looks: Vec<Look>,
    stars: Vec<Star>,
    /// What the values are called.
    label: String,
    /// The unit of the axis; values are multiplied by its factor.
    unit: Shown<'a>,
    shares: bool,
}

impl<'a> Drawing<'a> {
    fn of(record: &'a Record, results: &Results, figure: &'a Figure) -> Option<Self> {
        let curves = curves::curves(record, results, figure);
        if !curves.iter().any(|curve| curve.points.iter().any(Option::is_some)) {
            return None;
        }
        let (_, metric) = record.metric(&figure.metric)?;
        let (label, _) = curves::quantity(record, figure);
        let own = if figure.relative.is_empty() { metric.unit.as_str() } else { "fraction" };
        let stars = stars(record, results, figure, &curves);
        let published = stars.iter().flat_map(|star| star.number.values());
        let alone = curves.iter().all(|other| other.policy == curves[0].policy);
        let variants = curves.iter().any(|curve| curve.variant > 0);
        let look = |curve: &Curve| match (alone && variants, variants) {
            (true, _) => Look::of(curve.variant),
            (false, true) => Look::new(curve.policy, curve.variant),
            (false, false) => Look::of(curve.policy),
        };
        Some(Drawing {
            record,
            figure,
            looks: curves.iter().map(look).collect(),
            unit: curves::unit(&curves, published, own),
            shares: figure.relative.is_empty() && own == "fraction",
            curves,
            stars,
            label,
        })
    }

    /// The means and the published numbers, as the axis has them.
    fn values(&self) -> impl Iterator<Item = f64> {
        let means = self.curves.iter().flat_map(|c| c.points.iter().flatten()).map(|e| e.mean);
        let published = self.stars.iter().flat_map(|star| star.number.values());
        means.chain(published).map(|value| value * self.unit.factor)
    }

    /// The ends of the intervals as far as the axis shows them: an interval that reaches below
    /// zero, or a share above 100 %, does not take the axis to where no mean can be.
    fn reach(&self) -> impl Iterator<Item = f64> {
        let floor = if self.values().all(|value| value >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
        let whole = self.unit.factor;
        let capped = self.shares && self.values().all(|value| value <= whole);
        let ceiling = if capped { whole } else { f64::INFINITY };
        let points = self.curves.iter().flat_map(|curve| curve.points.iter().flatten());
        let ends = points.flat_map(|e| [e.mean - e.half_width, e.mean + e.half_width]);
        let ends = ends.map(|value| value * self.unit.factor);
        ends.map(move |value| value.max(floor).min(ceiling)).chain(self.values())
    }

    /// The vertical axis: logarithmic if the figure says so, or does not say and decades matter.
    fn y(&self, zero: bool) -> Scale {
        if self.figure.log_y.unwrap_or_else(|| scale::decades_matter(self.values())) {
            Scale::decades(self.values())
        } else {
            Scale::round(self.reach(), zero)
        }
    }

    fn entries(&self, key: impl Fn(usize, Look) -> Key) -> Vec<Entry<'_>> {
        let curves = self.curves.iter().zip(&self.looks).enumerate();
        let mut entries: Vec<Entry> = curves
            .map(|(index, (curve, look))| Entry { label: &curve.label, key: key(index, *look) })
            .collect();
        entries.extend(stars::entries(&self.stars));
        entries
    }

    /// What a point says under the pointer.
    fn words(&self, curve: &Curve, along: usize, point: &Estimate) -> String {
        let x = match curves::x_axis(self.record, self.figure) {
            Some((_, axis)) => format!(
                " at {} {}",
                number::words(&axis.name).to_lowercase(),
                axis.values[along].shown()
            ),
            None => String::new(),
        };
        let unit = if self.unit.unit.is_empty() { "" } else { " " };
        format!("{}{x}: {}{unit}{}", curve.label, self.unit.estimate(point), self.unit.unit)
    }

    fn lines(&self) -> Option<Picture> {
        let (_, axis) = curves::x_axis(self.record, self.figure)?;
        let xs: Vec<f64> = axis.values.iter().map(|value| value.number.unwrap_or(0.0)).collect();
        let (x, x_unit) = scale::at_values(&xs, &axis.unit, self.figure.log_x);
        let x = x.with_first(self.claimed(axis));
        let x_title = Shown { factor: 1.0, unit: &x_unit }.title(&number::words(&axis.name));
        let y_title = self.unit.title(&self.label);
        let entries = self.entries(|_, look| Key::Marker(look));
        let mut plot = Plot::new(&entries, (x, &x_title), (self.y(false), &y_title));
        let factor = self.unit.factor;
        let curves = self.curves.iter().zip(&self.looks);
        let lines: Vec<Line> = curves
            .map(|(curve, look)| {
                let known = curve.points.iter().enumerate().filter_map(|(i, p)| Some((i, (*p)?)));
                let points = known.map(|(along, point)| Point {
                    x: xs[along],
                    y: point.mean * factor,
                    half: point.half_width * factor,
                    words: Some(self.words(curve, along, &point)),
                });
                Line { label: &curve.label, look: *look, points: points.collect() }
            })
            .collect();
        let named = number::words(&axis.name).to_lowercase();
        let shown = |x: f64| {
            let along = xs.iter().position(|other| *other == x);
            along.map_or(number::short(x), |along| axis.values[along].shown())
        };
        let at = |from, to| format!("at {named} {} to {}", shown(from), shown(to));
        let drawn = lines::draw(&mut plot, &lines, 3.0, at);
        let gaps =
            xs.windows(2).map(|ends| plot.place(ends[1], 0.0).0 - plot.place(ends[0], 0.0).0);
        let room = gaps.map(|gap| gap.abs() / 2.0).fold(f64::INFINITY, f64::min);
        self.draw_stars(&mut plot, |star| xs[star.along], &drawn.markers, room);
        let (mut notes, more) = folded(drawn.notes);
        notes.extend(self.below(&plot));
        Some(Picture { svg: plot.finish(&self.figure.title, &notes), more })
    }

    /// The values of an axis that claims about the figure's metric name.
    fn claimed(&self, axis: &AxisRecord) -> Vec<f64> {
        let claims = self.record.claims.iter().filter(|claim| claim.metric == self.figure.metric);
        let named = claims.flat_map(|claim| &claim.at).filter(|(name, _)| *name == axis.name);
        let value = |text: &String| axis.values.iter().find(|value| value.text == *text)?.number;
        named.filter_map(|(_, text)| value(text)).collect()
    }

    fn bars(&self) -> Picture {
        let axis = curves::x_axis(self.record, self.figure).map(|(_, axis)| axis);
        let groups: Vec<String> = match axis {
            Some(axis) => axis.values.iter().map(AxisValue::shown).collect(),
            None => vec![String::new()],
        };
        let x_title = axis.map_or(String::new(), |axis| number::words(&axis.name));
        let x = Scale::groups(groups);
        let y = self.y(true);
        // The length of a bar means nothing where distances are ratios: there a marker stands for
        // it.
        let dots = y.is_log();
        let textures = look::textures(&self.looks);
        let entries = self.entries(|index, look| match dots {
            true => Key::Dot(look),
            false => Key::Box(look, textures[index]),
        });
        let mut plot = Plot::new(&entries, (x, &x_title), (y, &self.unit.title(&self.label)));
        let width = 0.8 / self.curves.len().max(1) as f64;
        let left = |place: usize, group: usize| group as f64 - 0.4 + (place as f64 + 0.06) * width;
        let foot = plot.y().foot();
        let mut markers = Vec::new();
        for (place, (curve, look)) in self.curves.iter().zip(&self.looks).enumerate() {
            for (group, point) in curve.points.iter().enumerate() {
                let Some(point) = point else { continue };
                let factor = self.unit.factor;
                let (mean, half) = (point.mean * factor, point.half_width * factor);
                let left = left(place, group);
                let (right, middle) = (left + width * 0.88, left + width * 0.44);
                let (below, above) = (plot.place(left, foot), plot.place(right, mean));
                let (at, high) = (plot.place(middle, mean), plot.place(middle, mean + half));
                let low = plot.place(middle, mean - half);
                let words = self.words(curve, group, point);
                markers.extend(dots.then_some(at));
                plot.pen.curve(place, *look, |pen| {
                    pen.titled(&words, |pen| {
                        if dots {
                            pen.interval(at.0, high.1, low.1, false);
                            pen.marker(at, look.marker());
                        } else {
                            // A bar of nothing is a line, unlike one that is missing.
                            let head = if mean == 0.0 { below.1 - NOTHING } else { above.1 };
                            pen.bar((below.0, above.0), (below.1, head), textures[place]);
                            pen.interval(at.0, high.1, low.1, true);
                        }
                        pen.spot(at, 9.0);
                    });
                });
            }
        }
        let gap = plot.place(1.0, 0.0).0 - plot.place(0.0, 0.0).0;
        let middle = |star: &Star| left(star.curve, star.along) + width * 0.44;
        self.draw_stars(&mut plot, middle, &markers, gap / 2.0);
        let notes: Vec<String> = self.below(&plot).into_iter().collect();
        Picture { svg: plot.finish(&self.figure.title, &notes), more: Vec::new() }
    }

    fn draw_stars(
        &self,
        plot: &mut Plot,
        x: impl Fn(&Star) -> f64,
        markers: &[(f64, f64)],
        room: f64,
    ) {
        let look = |star: &Star| self.looks[star.curve];
        let factor = self.unit.factor;
        let drawn =
            self.stars.iter().map(|star| Drawn { star, look: look(star), x: x(star), factor });
        stars::draw(plot, &drawn.collect::<Vec<_>>(), markers, room);
    }

    /// A note on values that have no place on a logarithmic axis.
    fn below(&self, plot: &Plot) -> Option<String> {
        plot.y().below(self.values(), self.unit.unit)
    }
}

fn timeline(record: &Record, results: &Results, figure: &Figure) -> Option<Picture> {
    let tracks = curves::tracks(record, results, figure);
    let series = record.series.iter().find(|series| series.name == figure.metric)?;
    let all = || tracks.iter().flat_map(|track| track.points.iter());
    all().next()?;
    let values = || all().map(|(_, value)| *value).filter(|value| value.is_finite());
    let unit = Shown::of(&series.unit, values().map(f64::abs).fold(0.0, f64::max));
    let times = || all().map(|(time, _)| *time);
    let time = Shown::of("us", times().fold(0.0, f64::max));
    let looks: Vec<Look> = tracks.iter().map(|track| Look::of(track.policy)).collect();
    let entries: Vec<Entry> = tracks
        .iter()
        .zip(&looks)
        .map(|(track, look)| Entry { label: &track.label, key: Key::Line(*look) })
        .collect();
    let x = Scale::span(times().map(|at| at * time.factor));
    let scaled = values().map(|value| value * unit.factor);
    let y = match figure.log_y {
        Some(true) => Scale::decades(scaled),
        Some(false) | None => Scale::round(scaled, false),
    };
    let titles = (time.title("Time"), unit.title(&series.label));
    let mut plot = Plot::new(&entries, (x, &titles.0), (y, &titles.1));
    let lines: Vec<Line> =
        tracks.iter().zip(&looks).map(|(t, look)| line(t, *look, time, unit)).collect();
    let scaled = Shown { factor: 1.0, ..time };
    let at = |from, to| format!("from {} to {}", scaled.value(from), scaled.value(to));
    let (mut notes, more) = folded(lines::draw_series(&mut plot, &lines, 1.8, at));
    notes.extend(plot.y().below(values().map(|value| value * unit.factor), unit.unit));
    Some(Picture { svg: plot.finish(&figure.title, &notes), more })
}

/// A series as a line; the pointer finds some of its values.
fn line<'a>(track: &'a Track, look: Look, time: Shown<'_>, unit: Shown<'_>) -> Line<'a> {
    let thin = thinned(&track.points);
    let spots = if thin.len() > 20 * SPOTS { SPOTS } else { 1 };
    let point = |(index, (at, value)): (usize, &(f64, f64))| Point {
        x: at * time.factor,
        y: value * unit.factor,
        half: 0.0,
        words: index
            .is_multiple_of(spots)
            .then(|| format!("{} at {}: {}", track.label, time.value(*at), unit.value(*value))),
    };
    Line { label: &track.label, look, points: thin.iter().enumerate().map(point).collect() }
}

/// The smallest and the largest value of each slice of the series, in order of time.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let finite: Vec<(f64, f64)> =
        points.iter().copied().filter(|(t, v)| t.is_finite() && v.is_finite()).collect();
    if finite.len() <= 2 * SLICES {
        return finite;
    }
    let mut thin = Vec::with_capacity(2 * SLICES);
    for slice in finite.chunks(finite.len().div_ceil(SLICES)) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let ends = [slice.iter().min_by(by_value), slice.iter().max_by(by_value)];
        let mut ends: Vec<(f64, f64)> = ends.into_iter().flatten().copied().collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        ends.dedup();
        thin.extend(ends);
    }
    thin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_extremes() {
        let mut points: Vec<(f64, f64)> =
            (0..100_000).map(|t| (f64::from(t), f64::from(t % 7))).collect();
        points[54_321].1 = 1e6;
        points[12_345].1 = -5.0;
        let thin = thinned(&points);
        assert!(thin.len() <= 2 * SLICES + 2);
        assert!(thin.contains(&(54_321.0, 1e6)) && thin.contains(&(12_345.0, -5.0)));
        assert!(thin.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }
}
