//! Experiments: configuration, runs, results and reports
