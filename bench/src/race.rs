//! How a race is run and told: rounds, interleaved, and the median of each subject.
//!
//! All subjects of a case live at once and take turns, one measurement each per round, so that
//! whatever disturbs the machine for longer than a round disturbs them alike. A first round is run
//! and forgotten.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

/// What every race lets its caller choose.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Recorded rounds per case; each subject is measured once in each.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Run only the cases whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
}

impl Options {
    /// Whether `case` is to be run.
    pub(crate) fn wants(&self, case: &str) -> bool {
        case.contains(&self.only)
    }
}

/// One of those that race: its name, and a measurement in the unit of the case.
pub(crate) struct Subject<'a> {
    name: String,
    ours: bool,
    measure: Box<dyn FnMut() -> f64 + 'a>,
}

impl<'a> Subject<'a> {
    /// One of Forebay's own.
    pub(crate) fn ours(name: &str, measure: impl FnMut() -> f64 + 'a) -> Self {
        Subject { name: name.to_string(), ours: true, measure: Box::new(measure) }
    }

    /// One that Forebay is compared with.
    pub(crate) fn peer(name: &str, measure: impl FnMut() -> f64 + 'a) -> Self {
        Subject { name: name.to_string(), ours: false, measure: Box::new(measure) }
    }

    /// Measures once.
    pub(crate) fn measure(&mut self) -> f64 {
        (self.measure)()
    }
}

/// What one subject needed in one case.
#[derive(Debug, Serialize)]
struct Outcome {
    case: String,
    size: u64,
    subject: String,
    unit: String,
    median: f64,
    mean: f64,
    min: f64,
    max: f64,
    /// The largest packet rate of one core, in millions per second, where the unit is a time per
    /// packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    packet_rate: Option<f64>,
    #[serde(skip)]
    ours: bool,
}

/// How many million packets a second a core can do that needs so long for each.
fn packet_rate(unit: &str, median: f64) -> Option<f64> {
    let rest = unit.strip_prefix("ns per packet")?;
    let whole_word = !rest.starts_with(|next: char| next == '-' || next.is_alphanumeric());
    whole_word.then(|| 1e3 / median)
}

/// The median of a peer over the median of one of ours in the same case.
#[derive(Debug, Serialize)]
struct Ratio {
    case: String,
    size: u64,
    ours: String,
    peer: String,
    ratio: f64,
}

/// One subject over the sizes of a case.
pub(crate) struct Curve<'a> {
    pub subject: &'a str,
    pub ours: bool,
    /// Size and median, in order of size.
    pub points: Vec<(f64, f64)>,
}

/// Everything a race found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    results: Vec<Outcome>,
    ratios: Vec<Ratio>,
}

impl Report {
    /// Runs one case at one size: a round that is forgotten, then the recorded rounds.
    pub(crate) fn race(
        &mut self,
        (case, size, unit): (&str, u64, &str),
        options: &Options,
        mut subjects: Vec<Subject<'_>>,
    ) {
        let mut samples = vec![Vec::new(); subjects.len()];
        for round in 0..=options.rounds {
            for (subject, samples) in subjects.iter_mut().zip(&mut samples) {
                let sample = subject.measure();
                if round > 0 {
                    samples.push(sample);
                }
            }
        }
        let first = self.results.len();
        for (subject, mut samples) in subjects.into_iter().zip(samples) {
            samples.sort_by(f64::total_cmp);
            let median = samples[samples.len() / 2];
            self.results.push(Outcome {
                case: case.to_string(),
                size,
                subject: subject.name,
                unit: unit.to_string(),
                median,
                packet_rate: packet_rate(unit, median),
                mean: samples.iter().sum::<f64>() / samples.len() as f64,
                min: samples[0],
                max: samples[samples.len() - 1],
                ours: subject.ours,
            });
        }
        self.compare(first);
    }

    /// Adds the ratios among the outcomes from `first` on.
    fn compare(&mut self, first: usize) {
        let (ours, peers): (Vec<_>, Vec<_>) =
            self.results[first..].iter().partition(|outcome| outcome.ours);
        for our in ours {
            self.ratios.extend(peers.iter().map(|peer| Ratio {
                case: our.case.clone(),
                size: our.size,
                ours: our.subject.clone(),
                peer: peer.subject.clone(),
                ratio: peer.median / our.median,
            }));
        }
    }

    /// The medians of `case` against its sizes, subject by subject.
    pub(crate) fn curves(&self, case: &str) -> Vec<Curve<'_>> {
        let mut curves: Vec<Curve<'_>> = Vec::new();
        for row in self.results.iter().filter(|row| row.case == case) {
            let point = (row.size as f64, row.median);
            match curves.iter_mut().find(|curve| curve.subject == row.subject) {
                Some(curve) => curve.points.push(point),
                None => {
                    let (subject, ours) = (row.subject.as_str(), row.ours);
                    curves.push(Curve { subject, ours, points: vec![point] });
                }
            }
        }
        curves
    }

    /// Writes the report to standard output.
    pub(crate) fn print(&self, options: &Options) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if options.json {
            serde_json::to_writer(&mut out, self)?;
            return writeln!(out);
        }
        let mut case = None;
        for row in &self.results {
            if case != Some((&row.case, row.size)) {
                writeln!(out, "\n{}, {}  [{}]", row.case, row.size, row.unit)?;
                let rate = row.packet_rate.map_or("", |_| "M pkt/s");
                writeln!(
                    out,
                    "  {:<34}{:>9}{:>9}{:>9}{:>9}{rate:>9}",
                    "subject", "median", "mean", "min", "max"
                )?;
                case = Some((&row.case, row.size));
            }
            let name = if row.ours { format!("{} *", row.subject) } else { row.subject.clone() };
            let Outcome { median, mean, min, max, .. } = row;
            let rate = row.packet_rate.map_or(String::new(), |rate| format!("{rate:>9.2}"));
            writeln!(out, "  {name:<34}{median:>9.1}{mean:>9.1}{min:>9.1}{max:>9.1}{rate}")?;
        }
        if self.results.iter().any(|row| row.packet_rate.is_some()) {
            writeln!(
                out,
                "\nM pkt/s: the largest packet rate of one core, in millions per second"
            )?;
        }
        writeln!(out, "\nratios (peer's median / ours; * above marks ours)")?;
        for row in &self.ratios {
            let versus = format!("{} / {}", row.peer, row.ours);
            writeln!(out, "  {:<26}{:>9}  {versus:<58}{:>7.2}", row.case, row.size, row.ratio)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::packet_rate;

    #[test]
    fn a_time_per_packet_is_a_packet_rate() {
        assert_eq!(packet_rate("ns per packet", 50.0), Some(20.0));
        assert_eq!(packet_rate("ns per packet at so many Mb/s of attack", 50.0), Some(20.0));
        assert_eq!(packet_rate("ns per packet-hop", 50.0), None);
        assert_eq!(packet_rate("accesses per packet", 50.0), None);
    }
}
