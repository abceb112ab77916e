//! The results of an experiment as tidy tables: one row per policy, point, seed and metric, in the
//! order of the file. The columns are an interface (`policy`, one per swept axis and one for its
//! unit if it has one, `seed`, `metric`, `value`, `unit`), and equal results give equal bytes
//! whatever the number of threads or the history of the folder.
//!
//! Complexity: linear in the rows.

pub mod claims;
pub mod curves;
pub mod frame;
pub mod number;
pub mod stats;
mod sweep;

use std::sync::Arc;

use crate::run::record::{MetricRecord, Record};
use frame::{Column, DataFrame};

/// The metrics of one run, in the record's order; NaN where a metric has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct RunValues {
    /// Place in [`Record::policies`].
    pub policy: usize,
    /// Index of the point, as in [`Record::coordinates`].
    pub point: usize,
    /// The seed that the run drew from.
    pub seed: u64,
    /// One value per metric.
    pub values: Vec<f64>,
}

/// The series of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSeries {
    /// Place in [`Record::policies`].
    pub policy: usize,
    /// Index of the point.
    pub point: usize,
    /// The seed that the run drew from.
    pub seed: u64,
    /// Place in [`Record::series`].
    pub series: usize,
    /// Time in µs, value.
    pub points: Vec<(f64, f64)>,
}

/// Everything the runs of an experiment yielded, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Metrics.
    pub runs: Vec<RunValues>,
    /// Series.
    pub series: Vec<RunSeries>,
}

/// Why stored results do not fit their manifest; one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored results do not fit their manifest: {0}; run the experiment again")]
pub struct Mismatch(String);

/// The leading columns shared by both tables.
struct Keys {
    policy: Vec<Arc<str>>,
    axes: Vec<Column>,
    seed: Vec<i64>,
}

impl Keys {
    fn new(record: &Record) -> Self {
        let column = |number: bool| {
            if number { Column::Number(Vec::new()) } else { Column::Text(Vec::new()) }
        };
        let axes = record.axes.iter().map(|axis| column(axis.is_number)).collect();
        Keys { policy: Vec::new(), axes, seed: Vec::new() }
    }

    fn push(&mut self, record: &Record, policy: usize, point: usize, seed: u64) {
        self.policy.push(Arc::from(record.policies[policy].name.as_str()));
        for ((column, axis), index) in
            self.axes.iter_mut().zip(&record.axes).zip(record.coordinates(point))
        {
            let value = &axis.values[index];
            match column {
                Column::Number(values) => values.push(value.number.unwrap_or(f64::NAN)),
                Column::Text(values) => values.push(Arc::from(value.text.as_str())),
                Column::Whole(_) => {}
            }
        }
        self.seed.push(i64::try_from(seed).unwrap_or(i64::MAX));
    }

    fn into_columns(self, record: &Record) -> Vec<(String, Column)> {
        let mut columns = vec![("policy".to_owned(), Column::Text(self.policy))];
        for (axis, column) in record.axes.iter().zip(self.axes) {
            columns.push((axis.name.clone(), column));
            if axis.is_number && !axis.unit.is_empty() {
                let unit: Arc<str> = axis.unit.replace('µ', "u").into(); // as metrics have it
                let units = vec![unit; self.seed.len()];
                columns.push((format!("{}_unit", axis.name), Column::Text(units)));
            }
        }
        columns.push(("seed".to_owned(), Column::Whole(self.seed)));
        columns
    }
}

impl Results {
    /// The table of metrics: `policy`, axes, `seed`, `metric`, `value`, `unit`.
    #[must_use]
    pub fn metrics_frame(&self, record: &Record) -> DataFrame {
        let mut keys = Keys::new(record);
        let (mut names, mut values, mut units) = (Vec::new(), Vec::new(), Vec::new());
        let words = words(&record.metrics);
        for run in &self.runs {
            for ((name, unit), value) in words.iter().zip(&run.values) {
                keys.push(record, run.policy, run.point, run.seed);
                names.push(name.clone());
                values.push(*value);
                units.push(unit.clone());
            }
        }
        let mut columns = keys.into_columns(record);
        columns.push(("metric".to_owned(), Column::Text(names)));
        columns.push(("value".to_owned(), Column::Number(values)));
        columns.push(("unit".to_owned(), Column::Text(units)));
        DataFrame { columns, facts: Vec::new() }
    }

    /// The table of series: `policy`, axes, `seed`, `series`, `time_us`, `value`, `unit`.
    #[must_use]
    pub fn series_frame(&self, record: &Record) -> DataFrame {
        let mut keys = Keys::new(record);
        let (mut names, mut times, mut values, mut units) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let words = words(&record.series);
        for run in &self.series {
            let (name, unit) = &words[run.series];
            for (time, value) in &run.points {
                keys.push(record, run.policy, run.point, run.seed);
                names.push(name.clone());
                times.push(*time);
                values.push(*value);
                units.push(unit.clone());
            }
        }
        let mut columns = keys.into_columns(record);
        columns.push(("series".to_owned(), Column::Text(names)));
        columns.push(("time_us".to_owned(), Column::Number(times)));
        columns.push(("value".to_owned(), Column::Number(values)));
        columns.push(("unit".to_owned(), Column::Text(units)));
        DataFrame { columns, facts: Vec::new() }
    }

    /// Reads both tables back.
    ///
    /// # Errors
    /// They are not the tables of this record.
    pub fn from_frames(
        record: &Record,
        metrics: &DataFrame,
        series: Option<&DataFrame>,
    ) -> Result<Self, Mismatch> {
        let mut results = Results::default();
        let width = record.metrics.len();
        let rows = width * record.policies.len() * record.point_count() * record.seeds.len();
        let missing = |name: &str| Mismatch(format!("column `{name}` is missing"));
        let values = metrics.numbers("value").ok_or_else(|| missing("value"))?;
        if metrics.rows() != rows {
            return Err(Mismatch(format!("there are {} rows, not {rows}", metrics.rows())));
        }
        let mut chunks = values.chunks_exact(width.max(1));
        for policy in 0..record.policies.len() {
            for point in 0..record.point_count() {
                for &seed in &record.seeds {
                    let values = chunks.next().map(<[f64]>::to_vec).unwrap_or_default();
                    results.runs.push(RunValues { policy, point, seed, values });
                }
            }
        }
        let same = results.metrics_frame(record);
        if same.columns.len() != metrics.columns.len()
            || same.columns.iter().zip(&metrics.columns).any(|(a, b)| a.0 != "value" && a != b)
        {
            return Err(Mismatch("its rows are of other policies, points or metrics".to_owned()));
        }
        if let Some(frame) = series {
            results.series = read_series(record, frame)?;
        }
        Ok(results)
    }

    /// The values of one metric of a policy at a point, one per seed, those without a value left
    /// out.
    #[must_use]
    pub fn samples(&self, record: &Record, policy: usize, point: usize, metric: usize) -> Vec<f64> {
        self.values(record, policy, point, metric).filter(|value| value.is_finite()).collect()
    }

    /// The same, one for every seed: NaN where there is no value.
    pub(crate) fn values(
        &self,
        record: &Record,
        policy: usize,
        point: usize,
        metric: usize,
    ) -> impl Iterator<Item = f64> {
        let seeds = record.seeds.len();
        let first = (policy * record.point_count() + point) * seeds;
        let runs = self.runs.get(first..first + seeds).unwrap_or_default();
        runs.iter().map(move |run| run.values.get(metric).copied().unwrap_or(f64::NAN))
    }
}

fn words(metrics: &[MetricRecord]) -> Vec<(Arc<str>, Arc<str>)> {
    metrics.iter().map(|m| (Arc::from(m.name.as_str()), Arc::from(m.unit.as_str()))).collect()
}

fn read_series(record: &Record, frame: &DataFrame) -> Result<Vec<RunSeries>, Mismatch> {
    let missing = |name: &str| Mismatch(format!("column `{name}` of the timelines is missing"));
    let policies = frame.texts("policy").ok_or_else(|| missing("policy"))?;
    let names = frame.texts("series").ok_or_else(|| missing("series"))?;
    let seeds = frame.wholes("seed").ok_or_else(|| missing("seed"))?;
    let times = frame.numbers("time_us").ok_or_else(|| missing("time_us"))?;
    let values = frame.numbers("value").ok_or_else(|| missing("value"))?;
    let mut all: Vec<RunSeries> = Vec::new();
    for row in 0..frame.rows() {
        let unknown =
            |what: &str| Mismatch(format!("row {row} of the timelines has another {what}"));
        let policy = record.policies.iter().position(|p| p.name == *policies[row]);
        let policy = policy.ok_or_else(|| unknown("policy"))?;
        let series = record.series.iter().position(|s| s.name == *names[row]);
        let series = series.ok_or_else(|| unknown("series"))?;
        let seed = seeds[row].unsigned_abs();
        let point = read_point(record, frame, row).ok_or_else(|| unknown("point"))?;
        let sample = (times[row], values[row]);
        match all.last_mut() {
            Some(run)
                if (run.policy, run.point, run.seed, run.series)
                    == (policy, point, seed, series) =>
            {
                run.points.push(sample);
            }
            _ => all.push(RunSeries { policy, point, seed, series, points: vec![sample] }),
        }
    }
    Ok(all)
}

fn read_point(record: &Record, frame: &DataFrame, row: usize) -> Option<usize> {
    let mut point = 0;
    for axis in &record.axes {
        let index = if axis.is_number {
            let number = frame.numbers(&axis.name)?[row];
            axis.values.iter().position(|value| value.number == Some(number))?
        } else {
            let text = &frame.texts(&axis.name)?[row];
            axis.values.iter().position(|value| value.text == **text)?
        };
        point = point * axis.values.len() + index;
    }
    Some(point)
}
