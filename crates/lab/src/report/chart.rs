//! Draws a figure as SVG: lines with markers and 95 % intervals, grouped bars, or series against time.
//!
//! Complexity: linear in the points; series are thinned to the extremes of 280 slices of time.

use plotters::style::text_anchor::HPos;

use super::pen::{self, Drawn, Entry, GRID, INK, Key, Pen, WIDTH};
use super::scale::Scale;
use crate::config::{Figure, FigureKind};
use crate::results::curves::{self, Curve, Track};
use crate::results::{Results, number};
use crate::run::record::Record;

/// The plot's height without legend, titles and tick labels, in user units.
const PLOT: f64 = 290.0;
/// Slices of time that a series is thinned to.
const SLICES: usize = 280;

/// The rectangle of a plot and its axes.
pub(super) struct Plot<'a> {
    pub(super) pen: Pen<'a>,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

/// The figure as an SVG element, or nothing if there is nothing to draw.
pub(super) fn svg(record: &Record, results: &Results, figure: &Figure) -> Option<String> {
    let mut text = String::new();
    let curves = || {
        let curves = curves::curves(record, results, figure);
        let some = curves.iter().any(|curve| curve.points.iter().any(Option::is_some));
        some.then_some(curves)
    };
    let drawn = match figure.kind {
        FigureKind::Line => lines(&mut text, record, figure, &curves()?),
        FigureKind::Bars => bars(&mut text, record, figure, &curves()?),
        FigureKind::Timeline => {
            let tracks = curves::tracks(record, results, figure);
            if tracks.is_empty() {
                return None;
            }
            timeline(&mut text, record, figure, &tracks)
        }
    };
    drawn.ok()?;
    Some(pen::responsive(&text, &figure.title))
}

impl<'a> Plot<'a> {
    /// Draws legend, titles, grid and tick labels, and leaves the curves to the caller.
    pub(super) fn new(
        text: &'a mut String,
        entries: &[Entry<'_>],
        (x, x_title): (Scale, &str),
        (y, y_title): (Scale, &str),
    ) -> Result<Self, plotters::drawing::DrawingAreaErrorKind<std::io::Error>> {
        let top = pen::legend_height(entries) + 44.0;
        let bottom = top + PLOT;
        let labels = y.ticks.iter().map(|(_, label)| pen::text_width(label));
        let left = labels.fold(20.0, f64::max) + 12.0;
        // The last label is centred on the end of the axis.
        let overhang = x.ticks.last().map_or(0.0, |(_, label)| pen::text_width(label) / 2.0);
        let right = WIDTH - overhang.max(10.0);
        let pen = Pen::new(text, bottom + 58.0);
        let plot = Plot { pen, left, right, top, bottom, x, y };
        plot.pen.legend(entries)?;
        plot.pen.title((2.0, top - 22.0), y_title, HPos::Left)?;
        for (value, label) in &plot.y.ticks {
            let y = plot.place(0.0, *value).1;
            plot.pen.path(&[(plot.left, y), (plot.right, y)], GRID, 1.2)?;
            plot.pen.text((plot.left - 8.0, y), label, HPos::Right)?;
        }
        plot.pen.path(&[(plot.left, bottom), (plot.right, bottom)], INK, 1.5)?;
        for (value, label) in &plot.x.ticks {
            let x = plot.place(*value, 0.0).0;
            plot.pen.path(&[(x, bottom), (x, bottom + 6.0)], INK, 1.5)?;
            plot.pen.text((x, bottom + 19.0), label, HPos::Center)?;
        }
        let middle = (plot.left + plot.right) / 2.0;
        plot.pen.title((middle, bottom + 44.0), x_title, HPos::Center)?;
        Ok(plot)
    }

    /// Where a value stands in the picture.
    pub(super) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let across = self.left + self.x.share(x) * (self.right - self.left);
        (across, self.bottom - self.y.share(y).clamp(0.0, 1.0) * (self.bottom - self.top))
    }

    /// A vertical interval with caps.
    fn interval(&self, x: f64, low: f64, high: f64, colour: plotters::style::RGBColor) -> Drawn {
        let ((x, top), (_, bottom)) = (self.place(x, high), self.place(x, low));
        if bottom - top < 1.0 {
            return Ok(());
        }
        self.pen.path(&[(x, top), (x, bottom)], colour, 1.6)?;
        self.pen.path(&[(x - 4.0, top), (x + 4.0, top)], colour, 1.6)?;
        self.pen.path(&[(x - 4.0, bottom), (x + 4.0, bottom)], colour, 1.6)
    }
}

/// "Packet loss (%)".
fn titled(label: &str, unit: &str) -> String {
    let (_, unit) = number::shown(unit);
    if unit.is_empty() { label.to_owned() } else { format!("{label} ({unit})") }
}

/// The title of a metric's axis and the factor that brings its values to the unit shown.
fn metric_axis(record: &Record, figure: &Figure) -> (String, f64) {
    let (label, unit) = curves::quantity(record, figure);
    (titled(&label, &unit), number::shown(&unit).0)
}

/// The ends of every interval of the curves, times `factor`.
fn ends(curves: &[Curve], factor: f64) -> impl Iterator<Item = f64> {
    let points = curves.iter().flat_map(|curve| curve.points.iter().flatten());
    points.flat_map(move |e| [(e.mean - e.half_width) * factor, (e.mean + e.half_width) * factor])
}

/// A policy's own marker, or a marker per variant where a policy has several curves.
fn marker(curves: &[Curve], curve: &Curve) -> usize {
    let variants = curves.iter().any(|other| other.variant > 0);
    pen::shape(if variants { curve.variant } else { curve.policy })
}

/// What has a colour: the policy, or the variant where there is one policy.
fn coloured(curves: &[Curve], curve: &Curve) -> usize {
    let alone = curves.iter().all(|other| other.policy == curve.policy);
    if alone && curves.len() > 1 { curve.variant } else { curve.policy }
}

fn lines(text: &mut String, record: &Record, figure: &Figure, curves: &[Curve]) -> Drawn {
    let Some((_, axis)) = curves::x_axis(record, figure) else { return Ok(()) };
    let ticks: Vec<(f64, String)> = axis
        .values
        .iter()
        .map(|value| {
            (value.number.unwrap_or(0.0), value.number.map_or(String::new(), number::short))
        })
        .collect();
    let (y_title, factor) = metric_axis(record, figure);
    let entries: Vec<Entry> = curves
        .iter()
        .map(|curve| Entry {
            label: &curve.label,
            policy: coloured(curves, curve),
            key: Key::Marker(marker(curves, curve)),
        })
        .collect();
    let x_title = titled(&number::words(&axis.name), &axis.unit);
    let y = Scale::round(reach(curves, factor, is_share(record, figure)), false);
    let plot =
        Plot::new(text, &entries, (Scale::at(&ticks, figure.log_x), &x_title), (y, &y_title))?;
    for curve in curves {
        let points = curve.points.iter().zip(&ticks);
        let known: Vec<(f64, f64, f64)> = points
            .filter_map(|(point, (x, _))| {
                point.map(|point| (*x, point.mean * factor, point.half_width * factor))
            })
            .collect();
        let colour = pen::colour(coloured(curves, curve));
        let upper = known.iter().map(|(x, mean, half)| plot.place(*x, mean + half));
        let lower = known.iter().rev().map(|(x, mean, half)| plot.place(*x, mean - half));
        if known.iter().any(|(_, _, half)| *half > 0.0) {
            plot.pen.fill(&upper.chain(lower).collect::<Vec<_>>(), colour, 0.16)?;
        }
        let path: Vec<(f64, f64)> =
            known.iter().map(|(x, mean, _)| plot.place(*x, *mean)).collect();
        plot.pen.path(&path, colour, 3.0)?;
        for (x, mean, half) in &known {
            plot.interval(*x, mean - half, mean + half, colour)?;
        }
        for place in path {
            plot.pen.marker(place, marker(curves, curve), colour)?;
        }
    }
    Ok(())
}

/// The ends of the intervals as far as the axis shows them: an interval that reaches below zero, or a
/// share above 100 %, does not take the axis to where no mean can be.
fn reach(curves: &[Curve], factor: f64, shares: bool) -> impl Iterator<Item = f64> {
    let means = || curves.iter().flat_map(|c| c.points.iter().flatten()).map(|e| e.mean);
    let floor = if means().all(|mean| mean >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
    let ceiling = if shares && means().all(|mean| mean <= 1.0) { factor } else { f64::INFINITY };
    ends(curves, factor).map(move |value| value.max(floor).min(ceiling))
}

/// Whether a figure's metric is a share of a whole.
fn is_share(record: &Record, figure: &Figure) -> bool {
    figure.relative.is_empty() && curves::quantity(record, figure).1 == "fraction"
}

fn bars(text: &mut String, record: &Record, figure: &Figure, curves: &[Curve]) -> Drawn {
    let groups: Vec<String> = match curves::x_axis(record, figure) {
        Some((_, axis)) => axis.values.iter().map(|value| value.text.clone()).collect(),
        None => vec![String::new()],
    };
    let x_title = match curves::x_axis(record, figure) {
        Some((_, axis)) => number::words(&axis.name),
        None => String::new(),
    };
    let middles = groups.iter().enumerate().map(|(index, text)| (index as f64, text.clone()));
    let (y_title, factor) = metric_axis(record, figure);
    let entries: Vec<Entry> = curves
        .iter()
        .map(|curve| Entry { label: &curve.label, policy: curve.policy, key: Key::Box })
        .collect();
    let x = Scale::groups(&middles.collect::<Vec<_>>());
    let y = Scale::round(reach(curves, factor, is_share(record, figure)), true);
    let plot = Plot::new(text, &entries, (x, &x_title), (y, &y_title))?;
    let width = 0.8 / curves.len().max(1) as f64;
    for (place, curve) in curves.iter().enumerate() {
        let colour = pen::colour(curve.policy);
        let opacity = [1.0, 0.7, 0.45, 0.25][curve.variant.min(3)];
        for (group, point) in curve.points.iter().enumerate() {
            let Some(point) = point else { continue };
            let (mean, half) = (point.mean * factor, point.half_width * factor);
            let left = group as f64 - 0.4 + (place as f64 + 0.06) * width;
            let right = left + width * 0.88;
            let corners = [(left, 0.0), (right, 0.0), (right, mean), (left, mean)];
            plot.pen.fill(&corners.map(|(x, y)| plot.place(x, y)), colour, opacity)?;
            plot.interval((left + right) / 2.0, mean - half, mean + half, INK)?;
        }
    }
    Ok(())
}

fn timeline(text: &mut String, record: &Record, figure: &Figure, tracks: &[Track]) -> Drawn {
    let Some(series) = record.series.iter().find(|series| series.name == figure.metric) else {
        return Ok(());
    };
    let factor = number::shown(&series.unit).0;
    let times = || tracks.iter().flat_map(|track| track.points.iter().map(|(time, _)| *time));
    let longest = times().fold(0.0, f64::max);
    let (per, unit) = match longest {
        long if long >= 5e6 => (1e6, "s"),
        long if long >= 5e3 => (1e3, "ms"),
        _ => (1.0, "µs"),
    };
    let values = tracks.iter().flat_map(|t| t.points.iter().map(|(_, value)| value * factor));
    let entries: Vec<Entry> = tracks
        .iter()
        .map(|track| Entry { label: &track.label, policy: track.policy, key: Key::Line })
        .collect();
    let x = Scale::span(times().map(|time| time / per));
    let y = Scale::round(values, false);
    let x_title = format!("Time ({unit})");
    let y_title = titled(&series.label, &series.unit);
    let plot = Plot::new(text, &entries, (x, &x_title), (y, &y_title))?;
    for track in tracks {
        let thin = thinned(&track.points);
        let path: Vec<(f64, f64)> =
            thin.iter().map(|(time, value)| plot.place(time / per, value * factor)).collect();
        plot.pen.path(&path, pen::colour(track.policy), 1.8)?;
    }
    Ok(())
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
