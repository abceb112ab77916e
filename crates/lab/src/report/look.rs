//! How curves are told apart: twelve colours, each with its dashes, its marker and, for bars, its
//! texture.
//!
//! The colours were searched for: any two of the twelve stay apart for normal sight and for both
//! common kinds of colour blindness, on light paper and on dark. Dashes and markers differ too, so
//! that no figure depends on colour alone; a thirteenth curve has the first one's colour, other
//! dashes, another marker and stripes across its bars. Sources: G. M. Machado et al., "A
//! Physiologically-based Model for Simulation of Color Vision Deficiency", 2009 (what the
//! colour-blind see); B. Ottosson, "A perceptual color space for image processing", 2020
//! (distances). Complexity: constant.

/// The colours on light paper and on dark, by the place of a curve.
const COLOURS: [[&str; 2]; 12] = [
    ["#0e7df0", "#5b82f2"],
    ["#dea203", "#f5d11f"],
    ["#4ab9a0", "#3c9d7c"],
    ["#a13408", "#e6510c"],
    ["#92a4fd", "#b3d8ff"],
    ["#8875a0", "#baa2f6"],
    ["#1435a0", "#7ebea4"],
    ["#750600", "#d8a60e"],
    ["#1400f3", "#3d80a7"],
    ["#ce6635", "#a1e4aa"],
    ["#64536d", "#1761c8"],
    ["#4c2956", "#bd2d2f"],
];

/// Lengths of dashes and gaps in user units; the first curve is drawn whole.
const DASHES: [&str; 12] = [
    "",
    "12 5",
    "3 4",
    "14 4 3 4",
    "7 4",
    "18 5",
    "10 4 3 4 3 4",
    "2 7",
    "16 4 7 4",
    "6 3 2 3",
    "22 4 2 4 2 4",
    "5 9",
];

/// The paper that pictures are drawn on, light and dark.
#[cfg(test)]
const PAPERS: [&str; 2] = ["#ffffff", "#15191f"];

/// How strong bars of one colour are.
const SHADES: [f64; 4] = [1.0, 0.7, 0.45, 0.25];
/// Stripes across bars and the gaps between them, in user units; the first dozen has none.
const STRIPES: [Option<&str>; 4] = [None, Some("3 4"), Some("8 4"), Some("1.5 2.5")];

/// A curve's colour, dashes and marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    colour: usize,
    /// How often all colours were used before.
    round: usize,
    pattern: usize,
}

/// How a bar is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Texture {
    /// How strong its colour is, 0 to 1.
    pub(super) opacity: f64,
    /// Lengths of the stripes across it and of the gaps, as SVG has dashes; none for a plain bar.
    pub(super) stripes: Option<&'static str>,
}

/// How the bars of each of these curves are filled.
pub(super) fn textures(looks: &[Look]) -> Vec<Texture> {
    let texture = |(index, look): (usize, &Look)| {
        let same = |other: &&Look| (other.colour, other.round) == (look.colour, look.round);
        let before = looks[..index].iter().filter(same).count();
        Texture {
            opacity: SHADES[before % SHADES.len()],
            stripes: STRIPES[(look.round + before / SHADES.len()) % STRIPES.len()],
        }
    };
    looks.iter().enumerate().map(texture).collect()
}

impl Look {
    /// The look of the curve at this place.
    pub(super) fn of(place: usize) -> Self {
        Look::new(place, place)
    }

    /// The colour of one place with the dashes and the marker of another.
    pub(super) fn new(colour: usize, pattern: usize) -> Self {
        // Each further dozen shifts the patterns, so that a colour returns with other dashes, and
        // its variants with others than those of its first curve.
        let (round, again) = (colour / COLOURS.len(), pattern / DASHES.len());
        let pattern = (pattern + again + 6 * round) % DASHES.len();
        Look { colour: colour % COLOURS.len(), round, pattern }
    }

    /// The class that a style sheet knows the colour by.
    pub(super) fn class(self) -> String {
        format!("c{}", self.colour)
    }

    /// The colour on light paper.
    pub(super) fn colour(self) -> &'static str {
        COLOURS[self.colour][0]
    }

    /// Dashes as SVG has them; none for a whole line.
    pub(super) fn dashes(self) -> Option<&'static str> {
        Some(DASHES[self.pattern]).filter(|dashes| !dashes.is_empty())
    }

    /// What is drawn at each of its points.
    pub(super) fn marker(self) -> Marker {
        MARKERS[self.pattern]
    }
}

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Marker {
    /// A circle around the point, filled or not.
    Disc { hollow: bool },
    /// A closed line through these offsets.
    Shape { corners: &'static [(f64, f64)], hollow: bool },
    /// Strokes from offset to offset.
    Strokes(&'static [[(f64, f64); 2]]),
}

const SQUARE: &[(f64, f64)] = &[(-4.6, -4.6), (4.6, -4.6), (4.6, 4.6), (-4.6, 4.6)];
const UP: &[(f64, f64)] = &[(0.0, -6.2), (5.8, 4.4), (-5.8, 4.4)];
const DOWN: &[(f64, f64)] = &[(0.0, 6.2), (5.8, -4.4), (-5.8, -4.4)];
const DIAMOND: &[(f64, f64)] = &[(0.0, -6.6), (6.0, 0.0), (0.0, 6.6), (-6.0, 0.0)];
const CROSS: &[[(f64, f64); 2]] = &[[(-5.0, -5.0), (5.0, 5.0)], [(-5.0, 5.0), (5.0, -5.0)]];
const PLUS: &[[(f64, f64); 2]] = &[[(-6.0, 0.0), (6.0, 0.0)], [(0.0, -6.0), (0.0, 6.0)]];

const MARKERS: [Marker; 12] = [
    Marker::Disc { hollow: false },
    Marker::Shape { corners: SQUARE, hollow: false },
    Marker::Shape { corners: UP, hollow: false },
    Marker::Shape { corners: DIAMOND, hollow: false },
    Marker::Shape { corners: DOWN, hollow: false },
    Marker::Strokes(CROSS),
    Marker::Disc { hollow: true },
    Marker::Shape { corners: SQUARE, hollow: true },
    Marker::Shape { corners: UP, hollow: true },
    Marker::Strokes(PLUS),
    Marker::Shape { corners: DIAMOND, hollow: true },
    Marker::Shape { corners: DOWN, hollow: true },
];

/// The rules of style that give the classes of [`Look::class`] their colours on dark paper.
pub(super) fn dark_rules() -> String {
    let rule = |(place, [_, dark]): (usize, &[&str; 2])| format!(".c{place} {{ color: {dark}; }} ");
    COLOURS.iter().enumerate().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Triple = [f64; 3];

    /// How much red, green and blue light a colour sends, 0 to 1.
    fn light(colour: &str) -> Triple {
        [1, 3, 5].map(|place| {
            let byte = u8::from_str_radix(&colour[place..place + 2], 16).unwrap();
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn times(matrix: [Triple; 3], of: Triple) -> Triple {
        matrix.map(|row| row.iter().zip(of).map(|(factor, value)| factor * value).sum())
    }

    /// What somebody sees who lacks none, the long or the middle cones (Machado et al., severity
    /// 1.0).
    fn seen(colour: &str) -> [Triple; 3] {
        const PROTANOPIA: [Triple; 3] = [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ];
        const DEUTERANOPIA: [Triple; 3] = [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ];
        let light = light(colour);
        let through = |matrix| times(matrix, light).map(|part: f64| part.clamp(0.0, 1.0));
        [light, through(PROTANOPIA), through(DEUTERANOPIA)].map(perceived)
    }

    /// Ottosson's Oklab.
    fn perceived(light: Triple) -> Triple {
        let cones = times(
            [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ],
            light,
        );
        times(
            [
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ],
            cones.map(f64::cbrt),
        )
    }

    fn distance(a: Triple, b: Triple) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// The contrast ratio of the web's guidelines for accessibility.
    fn contrast(a: &str, b: &str) -> f64 {
        let luminance = |colour| {
            let [red, green, blue] = light(colour);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (a, b): (f64, f64) = (luminance(a), luminance(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn twelve_colours_stay_apart_for_the_colour_blind_in_light_and_dark() {
        // About 0.02 is just noticeable side by side.
        for paper in [0, 1] {
            for (place, one) in COLOURS.iter().enumerate() {
                for (before, other) in COLOURS[..place].iter().enumerate() {
                    let pairs = seen(one[paper]).into_iter().zip(seen(other[paper]));
                    for (sight, (one, other)) in pairs.enumerate() {
                        let apart = distance(one, other);
                        assert!(apart > 0.11, "{before} and {place}: {apart} ({paper}, {sight})");
                    }
                }
            }
        }
    }

    #[test]
    fn every_colour_stands_out_from_its_paper() {
        for (paper, (sheet, least)) in PAPERS.iter().zip([2.2, 3.0]).enumerate() {
            for colours in &COLOURS {
                assert!(contrast(colours[paper], sheet) >= least, "{colours:?} on {sheet}");
            }
        }
        assert!(include_str!("style.css").contains(PAPERS[1]), "the dark page's paper");
    }

    #[test]
    fn bars_of_one_colour_differ_in_texture() {
        for looks in [
            (0..24).map(Look::of).collect::<Vec<_>>(),
            (0..24).map(|place| Look::new(place / 2, place % 2)).collect(),
            (0..24).map(|place| Look::new(place, 0)).collect(),
            (0..12).map(|variant| Look::new(0, variant)).collect(),
        ] {
            let fill = textures(&looks);
            let all: Vec<_> = looks.iter().map(|look| look.class()).zip(&fill).collect();
            for (place, one) in all.iter().enumerate() {
                assert!(!all[..place].contains(one), "{place}: {one:?}");
            }
        }
        let plain = textures(&(0..12).map(Look::of).collect::<Vec<_>>());
        assert!(plain.iter().all(|texture| texture.stripes.is_none() && texture.opacity == 1.0));
    }

    #[test]
    fn curves_of_a_thirteenth_policy_differ_from_those_of_the_first() {
        let of = |policy: usize| (0..6).map(move |variant| Look::new(policy, variant));
        for late in of(12) {
            assert!(of(0).all(|first| first.dashes() != late.dashes()), "{late:?}");
            assert!(of(0).all(|first| first.marker() != late.marker()), "{late:?}");
        }
    }

    #[test]
    fn twenty_four_curves_can_be_told_apart_without_colour_and_with() {
        let looks: Vec<Look> = (0..24).map(Look::of).collect();
        for (place, look) in looks.iter().enumerate() {
            let seen = |look: &Look| (look.class(), look.dashes());
            assert!(looks[..place].iter().all(|other| seen(other) != seen(look)), "{place}");
            let dozen = &looks[place / 12 * 12..place];
            assert!(dozen.iter().all(|other| other.dashes() != look.dashes()), "{place}");
            assert!(dozen.iter().all(|other| other.marker() != look.marker()), "{place}");
        }
    }
}
