//! Reads a distribution from lines of `size_bytes,cum_prob`, and reports errors with their lines.
//! O(length); memory is bounded by [`MAX_POINTS`] points and, from a reader, by [`MAX_TEXT_BYTES`].

use std::io::{ErrorKind, Read};

use super::{DistributionError, DistributionProblem as Problem, MAX_FLOW_BYTES, MAX_POINTS, Point};

/// The most bytes of text that are read: [`MAX_POINTS`] generous lines.
pub(super) const MAX_TEXT_BYTES: u64 = 64 * MAX_POINTS as u64;

const SIZE: &str = "size_bytes";
const PROBABILITY: &str = "cum_prob";

pub(super) fn read_bounded(reader: impl Read, name: &str) -> Result<String, DistributionError> {
    let mut text = String::new();
    reader.take(MAX_TEXT_BYTES + 1).read_to_string(&mut text).map_err(|error| {
        let reason = match error.kind() {
            ErrorKind::InvalidData => "it is not text (UTF-8)".to_owned(),
            _ => error.to_string(),
        };
        DistributionError::Unreadable { name: name.to_owned(), reason }
    })?;
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(DistributionError::TooLong { name: name.to_owned(), limit: MAX_TEXT_BYTES });
    }
    Ok(text)
}

pub(super) fn parse(text: &str, name: &str) -> Result<Vec<Point>, DistributionError> {
    let at =
        |line| move |problem| DistributionError::Malformed { name: name.to_owned(), line, problem };
    let mut points: Vec<Point> = Vec::new();
    let mut last_line = 1;
    let mut header_allowed = true;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if std::mem::take(&mut header_allowed) && is_header(content) {
            check_header(content).map_err(at(line_number))?;
            continue;
        }
        let point = parse_point(content).map_err(at(line_number))?;
        check_order(points.last(), point).map_err(at(line_number))?;
        if points.len() == MAX_POINTS {
            return Err(at(line_number)(Problem::TooMany));
        }
        points.push(point);
        last_line = line_number;
    }
    check_end(&points).map_err(at(last_line))?;
    Ok(points)
}

/// In a header no field begins with a digit.
fn is_header(content: &str) -> bool {
    content.split(',').all(|field| field.trim().starts_with(|c: char| c.is_ascii_alphabetic()))
        && content.split(',').all(|field| field.trim().parse::<f64>().is_err())
}

/// A header must not say that sizes are in bits.
fn check_header(content: &str) -> Result<(), Problem> {
    let sizes = content.split(',').next().unwrap_or(content).trim();
    if sizes.to_ascii_lowercase().contains("bit") {
        return Err(Problem::Bits(sizes.chars().take(40).collect()));
    }
    Ok(())
}

fn parse_point(content: &str) -> Result<Point, Problem> {
    let mut fields = content.split(',');
    let (Some(bytes), Some(probability), None) = (fields.next(), fields.next(), fields.next())
    else {
        return Err(Problem::Fields(content.split(',').count()));
    };
    let point = Point {
        bytes: parse_number(SIZE, bytes)?,
        probability: parse_number(PROBABILITY, probability)?,
    };
    if point.bytes > MAX_FLOW_BYTES {
        return Err(Problem::HugeSize(point.bytes));
    }
    if point.probability > 100.0 {
        return Err(Problem::AboveOne(point.probability));
    }
    if point.probability > 1.0 {
        return Err(Problem::Percent(point.probability));
    }
    Ok(point)
}

fn parse_number(field: &'static str, text: &str) -> Result<f64, Problem> {
    let text = text.trim();
    let Ok(value) = text.parse::<f64>() else {
        return Err(Problem::NotANumber { field, text: text.chars().take(40).collect() });
    };
    if !value.is_finite() || value < 0.0 {
        return Err(Problem::OutOfRange { field, value });
    }
    Ok(value)
}

fn check_order(before: Option<&Point>, point: Point) -> Result<(), Problem> {
    let Some(before) = before else {
        return match point.probability {
            0.0 => Ok(()),
            probability => Err(Problem::FirstNotZero(probability)),
        };
    };
    let columns =
        [(SIZE, before.bytes, point.bytes), (PROBABILITY, before.probability, point.probability)];
    match columns.into_iter().find(|(_, before, value)| value < before) {
        Some((field, before, value)) => Err(Problem::Falls { field, before, value }),
        None => Ok(()),
    }
}

fn check_end(points: &[Point]) -> Result<(), Problem> {
    match points {
        [] | [_] => Err(Problem::TooFew(points.len())),
        [.., last] if last.probability != 1.0 => Err(Problem::LastNotOne(last.probability)),
        [.., last] if last.bytes < 1.0 => Err(Problem::Empty(last.bytes)),
        _ => Ok(()),
    }
}
