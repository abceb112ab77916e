//! The results in the terminal: a table per figure (mean ± 95 % interval), and the claims with
//! verdicts, in at most 100 columns.

use forebay_lab::config::{Basis, Figure, FigureKind};
use forebay_lab::report::{ShownClaim, claim_line};
use forebay_lab::results::claims::ClaimVerdict;
use forebay_lab::results::curves::{self, Curve, curves, quantity, x_axis};
use forebay_lab::results::{Results, number};
use forebay_lab::run::record::{AxisValue, Record};

use forebay_lab::MetricSpec;

use crate::terminal::{Paint, columns, wrapped};

/// The widest line.
const WIDTH: usize = 100;

/// The whole summary as text.
pub(crate) fn text(record: &Record, results: &Results, paint: Paint) -> String {
    let mut text = String::new();
    for figure in record.figures.iter().filter(|figure| figure.kind != FigureKind::Timeline) {
        text += &table(record, results, figure);
    }
    if !record.claims.is_empty() {
        let ours = record.claims.iter().any(|claim| claim.basis == Basis::Ours);
        text += if ours { "\nClaims\n" } else { "\nThe paper's claims\n" };
        for claim in &record.claims {
            let line = claim_line(record, results, claim);
            text += &wrapped(&claim.text, WIDTH, "  ");
            let ShownClaim { verdict, words, .. } = ShownClaim::of(record, results, claim);
            text += &coloured(&wrapped(&line, WIDTH, "    "), &verdict, &words, paint);
        }
    }
    text
}

/// A broken line with its last words, which are the verdict's, in a colour.
fn coloured(line: &str, verdict: &ClaimVerdict, words: &str, paint: Paint) -> String {
    // The line is broken at spaces, so that letters alone say where the words begin.
    let letters = words.chars().filter(|letter| !letter.is_whitespace()).count();
    let text = line.trim_end();
    let places = text.char_indices().rev().filter(|(_, letter)| !letter.is_whitespace());
    let Some(begin) = places.take(letters).last().map(|(place, _)| place) else {
        return line.to_owned();
    };
    let (before, words) = text.split_at(begin);
    let words = match verdict {
        ClaimVerdict::Reproduced(_) => paint.good(words),
        ClaimVerdict::SameDirection | ClaimVerdict::OtherSize => paint.fair(words),
        ClaimVerdict::Differs => paint.bad(words),
        ClaimVerdict::NotMeasured => words.to_owned(),
    };
    format!("{before}{words}\n")
}

/// The metrics of one run, one per line.
pub(crate) fn metrics(declared: &[MetricSpec], values: &[(&str, f64)]) -> String {
    let row = |metric: &MetricSpec| {
        let found = values.iter().find(|(name, _)| *name == metric.name);
        let text = match found {
            Some((_, value)) if !value.is_nan() => number::with_unit(*value, metric.unit),
            _ => "–".to_owned(),
        };
        vec![metric.label.to_owned(), text]
    };
    columns(&declared.iter().map(row).collect::<Vec<_>>(), 1)
}

fn table(record: &Record, results: &Results, figure: &Figure) -> String {
    let curves = curves(record, results, figure);
    let (label, unit) = quantity(record, figure);
    let shown = curves::unit(&curves, [], &unit);
    let mut text = format!("\n{}: {}\n", figure.title, shown.title(&label));
    let axis = x_axis(record, figure).map(|(_, axis)| axis);
    let heads = axis.map_or(String::new(), |axis| axis.name.clone());
    let mut first = vec![heads];
    match axis {
        Some(axis) => first.extend(axis.values.iter().map(AxisValue::shown)),
        None => first.push(String::new()),
    }
    let cells = |curve: &Curve| -> Vec<String> {
        let value = |point: &Option<_>| match point {
            Some(point) => shown.estimate(point),
            None => "–".to_owned(),
        };
        std::iter::once(curve.label.clone()).chain(curve.points.iter().map(value)).collect()
    };
    let all: Vec<Vec<String>> = curves.iter().map(cells).collect();
    for block in blocks(&first, &all) {
        let mut columns_of = vec![&first];
        columns_of.extend(block);
        let row = |index: usize| columns_of.iter().map(|column| column[index].clone()).collect();
        let rows: Vec<Vec<String>> = (0..first.len()).map(row).collect();
        text += &columns(&rows, 1);
    }
    text
}

/// Columns in groups that fit the width next to the first column.
fn blocks<'a>(first: &[String], all: &'a [Vec<String>]) -> Vec<Vec<&'a Vec<String>>> {
    let width = |cells: &[String]| cells.iter().map(|c| c.chars().count()).max().unwrap_or(0) + 2;
    let mut blocks: Vec<Vec<&Vec<String>>> = Vec::new();
    let mut used = WIDTH;
    for column in all {
        if used + width(column) > WIDTH {
            blocks.push(Vec::new());
            used = 1 + width(first);
        }
        used += width(column);
        if let Some(block) = blocks.last_mut() {
            block.push(column);
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_a_colour_wherever_its_line_is_broken() {
        let line = "    paper 2 ×, measured 3 ×: same\n    direction\n";
        let shown =
            |verdict: ClaimVerdict, paint| coloured(line, &verdict, "same direction", paint);
        assert_eq!(shown(ClaimVerdict::SameDirection, Paint::NONE), line);
        assert_eq!(
            shown(ClaimVerdict::SameDirection, Paint::ALL),
            "    paper 2 ×, measured 3 ×: \x1b[1;33msame\n    direction\x1b[0m\n"
        );
        assert_eq!(shown(ClaimVerdict::NotMeasured, Paint::ALL), line);
    }

    #[test]
    fn blocks_fit_the_width() {
        let column = |width: usize| vec!["x".repeat(width)];
        let all: Vec<Vec<String>> = (0..9).map(|_| column(20)).collect();
        let found = blocks(&column(10), &all);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 3]);
        assert_eq!(blocks(&column(10), &[column(400)]).len(), 1, "too wide a column stands alone");
    }
}
