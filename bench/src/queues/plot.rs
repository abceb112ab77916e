//! A race as a picture: nanoseconds per operation against the number of elements, both logarithmic.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::race::{Curve, Report};

const SIZE: (u32, u32) = (820, 520);
/// Right of the chart, where the curves are named.
const NAMES: u32 = 190;
const LINE_HEIGHT: i32 = 15;

/// Where a curve ends, its name and its colour.
type End<'a> = ((i32, i32), &'a str, RGBAColor);

/// Draws the medians of `case`, a curve per subject; ours are thick.
pub(super) fn draw(report: &Report, case: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let curves = report.curves(case);
    let (sizes, times) = (extent(&curves, |point| point.0), extent(&curves, |point| point.1));
    if sizes.0 >= sizes.1 {
        return Err(format!("the case \"{case}\" was not run at two sizes").into());
    }
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("{case}: ns per pop and push"), ("sans-serif", 18))
        .margin(12)
        .margin_right(NAMES)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(
            (sizes.0..sizes.1).log_scale(),
            (times.0 * 0.8..times.1 * 1.2).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("elements")
        .y_desc("ns")
        .x_label_formatter(&|size| format!("{size:.0}"))
        .y_label_formatter(&|time| format!("{time:.0}"))
        .draw()?;
    let mut ends = Vec::new();
    for (index, curve) in curves.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let style = color.stroke_width(if curve.ours { 3 } else { 1 });
        chart.plotting_area().draw(&PathElement::new(curve.points.clone(), style))?;
        if let Some(end) = curve.points.last() {
            ends.push((chart.backend_coord(end), curve.subject, color));
        }
    }
    name_curves(&root, ends)?;
    root.present()?;
    Ok(())
}

/// The least and the greatest of one coordinate of all points.
fn extent(curves: &[Curve<'_>], of: fn(&(f64, f64)) -> f64) -> (f64, f64) {
    let values = curves.iter().flat_map(|curve| &curve.points).map(of);
    values.fold((f64::INFINITY, 0.0), |(low, high), value| (low.min(value), f64::max(high, value)))
}

/// Writes each name where its curve ends, or below the one above it.
fn name_curves(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    mut ends: Vec<End<'_>>,
) -> Result<(), Box<dyn Error>> {
    ends.sort_by_key(|end| end.0.1);
    let mut free = 0;
    for ((x, y), name, color) in ends {
        let top = free.max(y - LINE_HEIGHT / 2);
        root.draw(&Text::new(
            name.to_string(),
            (x + 8, top),
            ("sans-serif", 13).into_font().color(&color),
        ))?;
        free = top + LINE_HEIGHT;
    }
    Ok(())
}
