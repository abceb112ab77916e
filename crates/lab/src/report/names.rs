//! The names of groups below an axis: every group has its own, and none lies on another.
//!
//! Names that are too wide for their place are broken into lines; if that does not do they stand in
//! rows by turns, and long ones have numbers with a key below the picture. Complexity: linear in
//! the letters.

use super::pen::text_width;

/// Between two names beside each other at least, in user units.
const APART: f64 = 8.0;
/// Marks that part the values of a name, as "100 Gb/s:1 Gb/s"; one at the end of a line may reach
/// into the gap beside it.
const MARKS: [char; 3] = [':', ',', ';'];
/// In how many lines a name is broken at most.
const LINES: usize = 5;
/// In how many rows whole names stand by turns at most.
const ROWS: usize = 3;

/// What stands below an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Names {
    /// Of each group the lines of its name, or its number.
    pub(super) lines: Vec<Vec<String>>,
    /// In how many rows they stand by turns.
    pub(super) rows: usize,
    /// What each number means, to be noted below.
    pub(super) key: Vec<String>,
}

impl Names {
    /// The names of groups, each of which has a place of this width; `margin` is the room beside
    /// the first and the last place.
    pub(super) fn of(texts: &[&str], place: f64, margin: f64) -> Self {
        let fits = |text: &str| text_width(text.trim_end_matches(MARKS)) + APART <= place;
        let broken: Vec<Vec<String>> = texts.iter().map(|text| broken(text, fits)).collect();
        if broken.iter().all(|lines| lines.len() <= LINES && lines.iter().all(|line| fits(line))) {
            return Names { lines: broken, rows: 1, key: Vec::new() };
        }
        let whole = |text: &str| vec![text.to_owned()];
        let rows = rows(texts, place);
        let reach = place + 2.0 * margin;
        if rows <= ROWS && texts.iter().all(|text| text_width(text) <= reach) {
            let lines = texts.iter().map(|text| whole(text)).collect();
            return Names { lines, rows, key: Vec::new() };
        }
        let numbers: Vec<String> = (1..=texts.len()).map(|number| number.to_string()).collect();
        let short: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let key = numbers.iter().zip(texts).map(|(number, text)| format!("{number}: {text}"));
        Names {
            lines: short.iter().map(|number| whole(number)).collect(),
            rows: self::rows(&short, place),
            key: key.collect(),
        }
    }

    /// How many lines of text they need below each other.
    pub(super) fn height(&self) -> usize {
        let most = self.lines.iter().map(Vec::len).max().unwrap_or(1);
        most.max(1) + self.rows - 1
    }

    /// In which row, from 0, the name of a group begins.
    pub(super) fn row(&self, group: usize) -> usize {
        group % self.rows
    }
}

/// In how many rows texts have to stand by turns, each at a place of this width.
fn rows(texts: &[&str], place: f64) -> usize {
    let widest = texts.iter().map(|text| text_width(text)).fold(0.0, f64::max);
    ((widest + APART) / place.max(1.0)).ceil().max(1.0) as usize
}

/// A name in lines that fit: broken after the marks that part its values, and within a value at
/// spaces if that does not do.
fn broken(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let values: Vec<&str> = text.split_inclusive(MARKS).collect();
    let value = |line: String| match fits(&line) {
        true => vec![line],
        false => filled(&line.split_inclusive(' ').collect::<Vec<_>>(), &fits),
    };
    filled(&values, &fits).into_iter().flat_map(value).collect()
}

/// As many parts on each line as fit.
fn filled(parts: &[&str], fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if fits((line.clone() + part).trim()) => *line += part,
            Some(_) | None => lines.push((*part).to_owned()),
        }
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines.iter().map(|line| line.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_fit_stay_whole_and_others_are_broken_between_their_values() {
        let names = Names::of(&["0.5", "1"], 200.0, 0.0);
        assert_eq!(names.lines, [["0.5"], ["1"]]);
        let names = Names::of(&["100 Gb/s:1 Gb/s x15:0 b/s", "100 Gb/s x32"], 130.0, 0.0);
        assert_eq!(names.lines[0], ["100 Gb/s:", "1 Gb/s x15:", "0 b/s"]);
        assert_eq!((names.lines[1].len(), names.rows, names.height()), (1, 1, 3));
        let names = Names::of(&["10 Gb/s x3:10 Gb/s x2"], 101.6, 0.0);
        assert_eq!(names.lines, [["10 Gb/s x3:", "10 Gb/s x2"]], "the mark is in the gap");
        let names = Names::of(&["10 Gb/s x3:10 Gb/s x2"], 80.0, 0.0);
        assert_eq!(names.lines, [["10 Gb/s", "x3:", "10 Gb/s", "x2"]], "no line of two values");
        let names = Names::of(&["leaf and spine"], 90.0, 0.0);
        assert_eq!(names.lines, [["leaf and", "spine"]]);
    }

    #[test]
    fn words_too_long_for_their_place_stand_by_turns() {
        let names = Names::of(&["10000", "20000", "30000"], 40.0, 20.0);
        assert_eq!((names.rows, names.lines[1].as_slice()), (2, &["20000".to_owned()][..]));
        assert_eq!([0, 1, 2].map(|group| names.row(group)), [0, 1, 0]);
        assert!(names.key.is_empty());
    }

    #[test]
    fn long_names_have_numbers_with_a_key() {
        let long = "a-word-as-long-as-this-one-has-no-place-below-a-group";
        let names = Names::of(&[long, "b"], 100.0, 40.0);
        assert_eq!(names.lines, [["1"], ["2"]]);
        assert_eq!(names.key, [format!("1: {long}"), "2: b".to_owned()]);
    }
}
