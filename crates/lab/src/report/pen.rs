//! The strokes of a chart, on the plotters SVG backend: paths, areas, markers, texts and the legend.
//!
//! Coordinates are user units of a picture 560 wide; the picture is drawn at ten times that, so that curves
//! are smooth, and scaled to the page by its view box.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The width of a picture in user units.
pub(super) const WIDTH: f64 = 560.0;
/// Drawing units per user unit.
const SCALE: f64 = 10.0;
/// The backend writes this much less than the size it is asked for.
const FONT_CORRECTION: f64 = 1.24;
/// The size of most texts in user units: 10 pixels on a page 400 pixels wide.
const TEXT: f64 = 16.0;

/// What a drawing says; writing SVG into a string cannot really fail.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Nearly black.
pub(super) const INK: RGBColor = RGBColor(33, 38, 46);
/// For tick labels.
const SOFT: RGBColor = RGBColor(80, 88, 100);
/// For grid lines.
pub(super) const GRID: RGBColor = RGBColor(222, 226, 232);

/// Okabe and Ito's palette for the colour-blind, ordered so that neighbours differ in lightness too.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 65, 0),
    RGBColor(86, 180, 233),
    RGBColor(190, 95, 150),
    RGBColor(60, 60, 60),
];

/// The colour of a policy, the same in every figure of a report: beyond the palette lighter, then darker
/// shades of it.
pub(super) fn colour(policy: usize) -> RGBColor {
    let RGBColor(red, green, blue) = PALETTE[policy % PALETTE.len()];
    let shade = |part: u8| match policy / PALETTE.len() % 3 {
        0 => part,
        1 => part + (u8::MAX - part) / 2,
        _ => part / 2,
    };
    RGBColor(shade(red), shade(green), shade(blue))
}

/// The marker of a policy: not the same again with a shade of the same colour.
pub(super) fn shape(policy: usize) -> usize {
    policy + policy / PALETTE.len()
}

/// A line of the legend.
pub(super) struct Entry<'a> {
    pub(super) label: &'a str,
    pub(super) policy: usize,
    pub(super) key: Key,
}

/// How the legend shows a curve.
#[derive(Clone, Copy)]
pub(super) enum Key {
    /// A line with this marker.
    Marker(usize),
    /// A line without markers.
    Line,
    /// A filled box.
    Box,
}

/// Draws on a picture.
pub(super) struct Pen<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

fn at((x, y): (f64, f64)) -> (i32, i32) {
    ((x * SCALE).round() as i32, (y * SCALE).round() as i32)
}

impl<'a> Pen<'a> {
    /// A picture of this height, written into `text` when the pen is dropped.
    pub(super) fn new(text: &'a mut String, height: f64) -> Self {
        let size = ((WIDTH * SCALE) as u32, (height * SCALE) as u32);
        Pen { area: SVGBackend::with_string(text, size).into_drawing_area() }
    }

    pub(super) fn path(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Drawn {
        let style = colour.stroke_width((width * SCALE) as u32);
        let points: Vec<(i32, i32)> = points.iter().copied().map(at).collect();
        self.area.draw(&PathElement::new(points, style))
    }

    pub(super) fn fill(&self, points: &[(f64, f64)], colour: RGBColor, opacity: f64) -> Drawn {
        let points: Vec<(i32, i32)> = points.iter().copied().map(at).collect();
        self.area.draw(&Polygon::new(points, colour.mix(opacity).filled()))
    }

    pub(super) fn text(&self, place: (f64, f64), text: &str, horizontal: HPos) -> Drawn {
        self.write(place, text, horizontal, TEXT, SOFT)
    }

    fn write(
        &self,
        place: (f64, f64),
        text: &str,
        horizontal: HPos,
        size: f64,
        colour: RGBColor,
    ) -> Drawn {
        let style = TextStyle::from(("sans-serif", size * SCALE * FONT_CORRECTION))
            .color(&colour)
            .pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), at(place), style))
    }

    /// The name of an axis.
    pub(super) fn title(&self, place: (f64, f64), text: &str, horizontal: HPos) -> Drawn {
        self.write(place, text, horizontal, TEXT, INK)
    }

    /// A marker: disc, square, triangle, diamond, triangle upside down, cross, ring.
    pub(super) fn marker(&self, (x, y): (f64, f64), shape: usize, colour: RGBColor) -> Drawn {
        let ring = |offsets: &[(f64, f64)]| -> Vec<(f64, f64)> {
            offsets.iter().map(|(dx, dy)| (x + dx, y + dy)).collect()
        };
        match shape % 7 {
            1 => {
                self.outlined(&ring(&[(-4.6, -4.6), (4.6, -4.6), (4.6, 4.6), (-4.6, 4.6)]), colour)
            }
            2 => self.outlined(&ring(&[(0.0, -6.2), (5.8, 4.4), (-5.8, 4.4)]), colour),
            3 => self.outlined(&ring(&[(0.0, -6.6), (6.0, 0.0), (0.0, 6.6), (-6.0, 0.0)]), colour),
            4 => self.outlined(&ring(&[(0.0, 6.2), (5.8, -4.4), (-5.8, -4.4)]), colour),
            5 => {
                self.path(&ring(&[(-5.0, -5.0), (5.0, 5.0)]), colour, 2.6)?;
                self.path(&ring(&[(-5.0, 5.0), (5.0, -5.0)]), colour, 2.6)
            }
            other => {
                let (centre, radius) = (at((x, y)), 5.2 * SCALE);
                self.area.draw(&Circle::new(centre, (radius + 10.0) as i32, WHITE.filled()))?;
                self.area.draw(&Circle::new(centre, radius as i32, colour.filled()))?;
                let hole = if other == 6 { 26 } else { 0 };
                self.area.draw(&Circle::new(centre, hole, WHITE.filled()))
            }
        }
    }

    /// A filled shape with a thin white edge, so that markers stay apart where they overlap.
    fn outlined(&self, points: &[(f64, f64)], colour: RGBColor) -> Drawn {
        self.fill(points, colour, 1.0)?;
        let closed: Vec<(f64, f64)> = points.iter().chain(points.first()).copied().collect();
        self.path(&closed, WHITE, 1.0)
    }

    /// Draws the legend from the top of the picture.
    pub(super) fn legend(&self, entries: &[Entry<'_>]) -> Drawn {
        for (entry, (x, y)) in entries.iter().zip(places(entries)) {
            let colour = colour(entry.policy);
            match entry.key {
                Key::Box => {
                    let (right, top, bottom) = (x + 16.0, y - 8.0, y + 8.0);
                    self.fill(
                        &[(x, top), (right, top), (right, bottom), (x, bottom)],
                        colour,
                        1.0,
                    )?;
                }
                Key::Line => self.path(&[(x, y), (x + 24.0, y)], colour, 3.0)?,
                Key::Marker(shape) => {
                    self.path(&[(x, y), (x + 24.0, y)], colour, 3.0)?;
                    self.marker((x + 12.0, y), shape, colour)?;
                }
            }
            self.write((x + key_width(entry.key), y), entry.label, HPos::Left, TEXT, INK)?;
        }
        Ok(())
    }
}

fn key_width(key: Key) -> f64 {
    if matches!(key, Key::Box) { 22.0 } else { 31.0 }
}

/// Where each entry of the legend stands: left to right, then down.
fn places(entries: &[Entry<'_>]) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (4.0, 14.0);
    let mut places = Vec::new();
    for entry in entries {
        let width = key_width(entry.key) + text_width(entry.label) + 14.0;
        if x > 4.0 && x + width - 14.0 > WIDTH + 8.0 {
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

/// About how wide a text is, in a wide sans-serif face: rather too much than overlapping.
pub(super) fn text_width(text: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | 'f' | 't' | 'r' | '.' | ',' | ':' | '-' | '(' | ')' | '|' | ' ' => 0.37,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.92,
        upper if upper.is_uppercase() => 0.68,
        _ => 0.62,
    };
    text.chars().map(width).sum::<f64>() * TEXT
}

/// A picture without its fixed size, named for screen readers.
pub(super) fn responsive(svg: &str, title: &str) -> String {
    let Some((head, body)) = svg.split_once('>') else { return String::new() };
    let view = head.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next());
    format!(
        "<svg viewBox=\"{}\" role=\"img\" aria-label=\"{}\" xmlns=\"http://www.w3.org/2000/svg\">{}",
        view.unwrap_or_default(),
        super::html::escape(title),
        body.trim_end()
    )
}

/// How high a picture is in user units, from its view box.
pub(super) fn height(svg: &str) -> f64 {
    let view = svg.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next());
    let height = view.and_then(|view| view.split(' ').nth(3)?.parse::<f64>().ok());
    height.unwrap_or(0.0) / SCALE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_policies_can_be_told_apart() {
        let looks: Vec<_> = (0..20).map(|policy| (colour(policy), shape(policy) % 7)).collect();
        for (index, look) in looks.iter().enumerate() {
            assert!(looks[..index].iter().all(|other| other != look && other.0 != look.0));
        }
    }
}
