//! Draws published numbers beside what is at their place: a star for a number, with an arrow if the
//! paper has it as a bound, and a thin bracket for a range.
//!
//! Complexity: stars times what else stands in the picture.

use super::look::Look;
use super::merged::Place;
use super::pen::{Entry, Key};
use super::plot::Plot;
use super::published::{Number, Star};

/// How far a star and a marker reach from their middle, in user units.
const STAR: f64 = 9.0;
const MARKER: f64 = 6.0;
/// How far the arrow of a bound reaches.
const ARROW: f64 = 20.0;
/// Half the width of a bracket.
const BRACKET: f64 = 5.0;
/// By how much a star is moved aside at a time, and how often at most.
const STEP: f64 = 5.0;
const STEPS: i32 = 14;

/// Left, top, right and bottom of what is drawn.
type Area = [f64; 4];

/// A star with its place in the picture.
pub(super) struct Drawn<'a> {
    pub(super) star: &'a Star,
    pub(super) look: Look,
    /// Along x, in the units of the axis.
    pub(super) x: f64,
    /// By what the star's number is multiplied to be one of the axis.
    pub(super) factor: f64,
}

/// The entries of the legend for what is drawn.
pub(super) fn entries<'a>(stars: &[Star]) -> impl Iterator<Item = Entry<'a>> + use<'a> {
    let range = |star: &Star| matches!(star.number, Number::Between(..));
    let number = stars.iter().any(|star| !range(star));
    let range = stars.iter().any(range);
    let of = |label, key, is: bool| is.then_some(Entry { label, key });
    let number = of("the paper’s numbers", Key::Star, number);
    number.into_iter().chain(of("the paper’s ranges", Key::Bracket, range))
}

/// Draws stars so that they cover neither these markers nor one another, no further aside than
/// `room`.
pub(super) fn draw(plot: &mut Plot, stars: &[Drawn<'_>], markers: &[Place], room: f64) {
    let around = |(x, y): &Place| [x - MARKER, y - MARKER, x + MARKER, y + MARKER];
    let mut taken: Vec<Area> = markers.iter().map(around).collect();
    for Drawn { star, look, x, factor } in stars {
        let at = |value: f64| plot.place(*x, value * factor);
        let places: Vec<Place> = star.number.values().map(at).collect();
        let area = area(star.number, &places);
        let aside = aside(area, &taken, plot.width(), room);
        taken.push(moved(area, aside));
        let [x, top, bottom] = [places[0].0 + aside, area[1], area[3]];
        plot.pen.curve(star.curve, *look, |pen| {
            pen.titled(&star.words, |pen| match star.number {
                Number::One(_) => pen.star((x, places[0].1)),
                Number::Between(..) => pen.bracket(x, top, bottom),
                Number::AtMost(_) => {
                    pen.arrow(x, places[0].1, ARROW);
                    pen.star((x, places[0].1));
                }
                Number::AtLeast(_) => {
                    pen.arrow(x, places[0].1, -ARROW);
                    pen.star((x, places[0].1));
                }
            });
        });
    }
}

/// What a star covers where it is not moved.
fn area(number: Number, places: &[Place]) -> Area {
    let ys = || places.iter().map(|place| place.1);
    let (x, top) = (places[0].0, ys().fold(f64::INFINITY, f64::min));
    let bottom = ys().fold(f64::NEG_INFINITY, f64::max);
    match number {
        Number::One(_) => [x - STAR, top - STAR, x + STAR, bottom + STAR],
        Number::Between(..) => [x - BRACKET, top, x + BRACKET, bottom],
        Number::AtMost(_) => [x - STAR, top - STAR, x + STAR, bottom + ARROW],
        Number::AtLeast(_) => [x - STAR, top - ARROW, x + STAR, bottom + STAR],
    }
}

fn moved([left, top, right, bottom]: Area, aside: f64) -> Area {
    [left + aside, top, right + aside, bottom]
}

/// The shortest way aside to where a star covers least of what is taken, between these ends.
fn aside(area: Area, taken: &[Area], (left, right): (f64, f64), room: f64) -> f64 {
    let covered = |aside: f64| -> f64 {
        let own = moved(area, aside);
        taken.iter().map(|other| shared(own, *other)).sum()
    };
    let steps = (0..=STEPS).flat_map(|step| [step, -step]).map(|step| f64::from(step) * STEP);
    let inside =
        |aside: &f64| aside.abs() <= room && area[0] + aside >= left && area[2] + aside <= right;
    let ways = steps.filter(|aside| *aside == 0.0 || inside(aside));
    ways.map(|way| (covered(way), way))
        .reduce(|a, b| if b.0 < a.0 { b } else { a })
        .map_or(0.0, |w| w.1)
}

/// How much of two areas is one.
fn shared(a: Area, b: Area) -> f64 {
    let across = a[2].min(b[2]) - a[0].max(b[0]);
    let down = a[3].min(b[3]) - a[1].max(b[1]);
    across.max(0.0) * down.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_beside_what_is_at_its_place() {
        let star = area(Number::One(1.0), &[(50.0, 50.0)]);
        let marker = [44.0, 44.0, 56.0, 56.0];
        let of = |taken: &[Area], ends, room| aside(star, taken, ends, room);
        assert_eq!(of(&[], (0.0, 100.0), 70.0), 0.0);
        assert_eq!(of(&[marker], (0.0, 100.0), 70.0), 15.0);
        assert_eq!(of(&[marker, moved(star, 20.0)], (0.0, 100.0), 70.0), -15.0);
        assert_eq!(of(&[marker], (0.0, 60.0), 70.0), -15.0, "inside the picture");
        assert_eq!(of(&[marker], (0.0, 100.0), 5.0), 5.0, "as far as there is room");
    }

    #[test]
    fn a_bracket_stands_beside_every_marker_within_its_range() {
        let bracket = area(Number::Between(0.0, 1.0), &[(50.0, 90.0), (50.0, 10.0)]);
        let markers = [20.0, 50.0, 80.0].map(|y| [44.0, y - 6.0, 56.0, y + 6.0]);
        assert_eq!(aside(bracket, &markers, (0.0, 100.0), 70.0), 15.0);
    }
}
