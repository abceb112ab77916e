//! Which curves of a figure lie on one another, from end to end or over a part.
//!
//! Complexity: the square of the curves, times their points and the parts that are shared.

/// Up to which distance two places are one, in user units: about half a line's width.
pub(super) const SAME: f64 = 1.5;
/// Over how many points in a row curves have to be one to be named.
const RUN: usize = 3;

/// A place in a picture.
pub(super) type Place = (f64, f64);

/// Curves that are one line over some points in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// By number, at least two.
    pub(super) lines: Vec<usize>,
    /// The first and the last of the points of the first of them.
    pub(super) points: (usize, usize),
}

fn same(a: &Place, b: &Place) -> bool {
    (a.0 - b.0).abs() <= SAME && (a.1 - b.1).abs() <= SAME
}

/// The groups of curves that are one line from end to end.
pub(super) fn whole(places: &[Vec<Place>]) -> Vec<Vec<usize>> {
    let mut groups = groups(places);
    groups.retain(|group| group.len() > 1);
    groups
}

/// All curves, those that are one line from end to end together.
fn groups(places: &[Vec<Place>]) -> Vec<Vec<usize>> {
    let equal = |a: &[Place], b: &[Place]| {
        !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, line) in places.iter().enumerate() {
        match groups.iter_mut().find(|group| equal(&places[group[0]], line)) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// A part of the width of a picture that two curves share.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Numbers of groups.
    pair: [usize; 2],
    from: f64,
    to: f64,
}

impl Shared {
    fn covers(&self, other: &Shared) -> bool {
        self.from <= other.from + SAME && self.to >= other.to - SAME
    }
}

/// The curves that are one line over at least three points in a row, but not from end to end; the
/// longest part first. What follows from the parts before it is left out, so that many curves that
/// begin as one are named once each.
pub(super) fn runs(places: &[Vec<Place>]) -> Vec<Run> {
    let groups = groups(places);
    let mut shared: Vec<Shared> = Vec::new();
    for (second, group) in groups.iter().enumerate() {
        for first in 0..second {
            let lines = [&places[groups[first][0]], &places[group[0]]];
            let pair = [first, second];
            shared.extend(parts(lines).map(|(from, to)| Shared { pair, from, to }));
        }
    }
    shared.sort_by(|a, b| (b.to - b.from).total_cmp(&(a.to - a.from)));
    let mut told: Vec<Shared> = Vec::new();
    for part in shared {
        if !follows(&part, &told) {
            told.push(part);
        }
    }
    let mut merged: Vec<(Shared, Vec<usize>)> = Vec::new();
    for part in told {
        let with = |(other, all): &&mut (Shared, Vec<usize>)| {
            other.covers(&part) && part.covers(other) && part.pair.iter().any(|g| all.contains(g))
        };
        match merged.iter_mut().find(with) {
            Some((_, all)) => all.extend(part.pair),
            None => merged.push((part, part.pair.to_vec())),
        }
    }
    let run = |(part, members): (Shared, Vec<usize>)| {
        let mut lines: Vec<usize> =
            members.iter().flat_map(|member| groups[*member].iter().copied()).collect();
        lines.sort_unstable();
        lines.dedup();
        let points = &places[lines[0]];
        let at = |x: f64| points.iter().position(|place| (place.0 - x).abs() <= SAME);
        Some(Run { points: (at(part.from)?, at(part.to)?), lines })
    };
    merged.into_iter().filter_map(run).collect()
}

/// From where to where along x two curves are one for at least three points in a row of both.
fn parts([a, b]: [&Vec<Place>; 2]) -> impl Iterator<Item = (f64, f64)> {
    let mut runs: Vec<Vec<f64>> = vec![Vec::new()];
    let mut others = b.iter().peekable();
    for place in a {
        while others.next_if(|other| other.0 < place.0 - SAME).is_some() {
            runs.push(Vec::new()); // a point of the other alone
        }
        match others.next_if(|other| same(place, other)) {
            Some(_) => runs.last_mut().into_iter().for_each(|run| run.push(place.0)),
            None => {
                runs.push(Vec::new());
                others.next_if(|other| (other.0 - place.0).abs() <= SAME);
            }
        }
    }
    let long = runs.into_iter().filter(|run| run.len() >= RUN);
    long.filter_map(|run| Some((*run.first()?, *run.last()?)))
}

/// Whether both groups of a part are one by what was told, directly or through others.
fn follows(part: &Shared, told: &[Shared]) -> bool {
    let [start, end] = part.pair;
    let mut reached = vec![start];
    let mut next = 0;
    while let Some(here) = reached.get(next).copied() {
        next += 1;
        for [a, b] in told.iter().filter(|other| other.covers(part)).map(|other| other.pair) {
            for (from, to) in [(a, b), (b, a)] {
                if from == here && !reached.contains(&to) {
                    reached.push(to);
                }
            }
        }
    }
    reached.contains(&end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(ys: &[f64]) -> Vec<Place> {
        ys.iter().enumerate().map(|(x, y)| (x as f64 * 20.0, *y)).collect()
    }

    fn run(lines: &[usize], points: (usize, usize)) -> Run {
        Run { lines: lines.to_vec(), points }
    }

    #[test]
    fn three_points_in_a_row_are_a_run_and_two_are_none() {
        let flat = line(&[10.0; 6]);
        let late = line(&[90.0, 90.0, 90.0, 10.0, 10.0, 10.0]);
        let short = line(&[50.0, 50.0, 10.0, 10.0, 50.0, 70.0]);
        let gap = line(&[10.0, 10.0, 70.0, 70.0, 70.0, 10.0]);
        assert_eq!(runs(&[flat.clone(), late]), [run(&[0, 1], (3, 5))]);
        assert!(runs(&[flat.clone(), short]).is_empty());
        assert!(runs(&[flat, gap]).is_empty());
    }

    #[test]
    fn curves_that_are_one_from_end_to_end_come_together() {
        let flat = line(&[10.0; 5]);
        let falls = line(&[10.0, 10.0, 10.0, 10.0, 60.0]);
        let sooner = line(&[10.0, 10.0, 10.0, 90.0, 99.0]);
        let all = [flat.clone(), falls, flat, sooner];
        assert_eq!(whole(&all), [[0, 2]]);
        assert_eq!(runs(&all), [run(&[0, 1, 2], (0, 3)), run(&[0, 2, 3], (0, 2))]);
    }

    #[test]
    fn many_curves_that_begin_as_one_are_named_once_each() {
        let curve = |parts: usize| {
            let leaves = |x: usize| if x < parts { 10.0 } else { 50.0 + 10.0 * parts as f64 };
            line(&(0..12).map(leaves).collect::<Vec<_>>())
        };
        let all: Vec<Vec<Place>> = (3..12).map(curve).collect();
        let found = runs(&all);
        assert_eq!(found.len(), 8, "{found:?}");
        assert!(found.iter().all(|run| run.lines.len() == 2), "{found:?}");
        let same = vec![curve(12), curve(5), curve(5), curve(5)];
        let mut other = same.clone();
        other[2][11].1 = 0.0;
        other[3][11].1 = 200.0;
        let found = runs(&other);
        assert_eq!(found.last(), Some(&run(&[0, 1], (0, 4))), "{found:?}");
    }

    #[test]
    fn points_that_one_curve_lacks_end_a_run() {
        let flat = line(&[10.0; 6]);
        let mut holes = flat.clone();
        holes.remove(2);
        assert_eq!(runs(&[holes, flat]), [run(&[0, 1], (2, 4))]);
    }
}
