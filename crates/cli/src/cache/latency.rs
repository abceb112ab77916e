//! What the latencies of a cache are counted in, in text and in JSON.

use forebay_lab::results::number::{self, Shown};
use forebay_scenarios::delayed_hits::config::{ClockKind, Config};

/// What latencies are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Latencies {
    /// The time steps of the model.
    Steps,
    /// Nanoseconds, the trace having times.
    Nanoseconds,
}

impl Latencies {
    /// Those of a configuration.
    pub(super) fn of(config: &Config) -> Self {
        match config.trace.clock {
            ClockKind::Time if !config.trace.kind.counts_steps() => Latencies::Nanoseconds,
            ClockKind::Time | ClockKind::Index => Latencies::Steps,
        }
    }

    /// A latency in JSON, its unit in its name.
    pub(super) fn json(self, mean: f64) -> (&'static str, f64) {
        match self {
            Latencies::Steps => ("mean_latency_steps", mean),
            Latencies::Nanoseconds => ("mean_latency_us", mean / 1e3),
        }
    }

    /// A column of these latencies, headed `title`: all in one unit.
    pub(super) fn column(self, title: &str, decimals: usize, values: &[f64]) -> Vec<String> {
        let largest = values.iter().fold(0.0, |most: f64, value| most.max(*value));
        let shown = match self {
            Latencies::Steps => Shown { factor: 1.0, unit: "steps" },
            Latencies::Nanoseconds => Shown::of("ns", largest),
        };
        // Steps have no larger unit: of many, the parts say nothing.
        let decimals = if largest * shown.factor < 1e6 { decimals } else { 0 };
        let cell = |value: &f64| number::decimal(*value * shown.factor, decimals);
        std::iter::once(shown.title(title)).chain(values.iter().map(cell)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_unit_that_suits_its_largest() {
        let column = |latencies: Latencies, values: &[f64]| latencies.column("mean", 3, values);
        assert_eq!(column(Latencies::Nanoseconds, &[0.0, 9.5]), ["mean (ns)", "0.000", "9.500"]);
        assert_eq!(
            column(Latencies::Nanoseconds, &[1.5e6, 123_456_789_012.3]),
            ["mean (s)", "0.002", "123.457"]
        );
        assert_eq!(
            column(Latencies::Steps, &[1.25, 12_345_678_901.2]),
            ["mean (steps)", "1", "12,345,678,901"]
        );
        assert_eq!(Latencies::Nanoseconds.json(1500.0), ("mean_latency_us", 1.5));
        assert_eq!(Latencies::Steps.json(1500.0), ("mean_latency_steps", 1500.0));
    }
}
