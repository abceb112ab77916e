use super::*;
use crate::testing::{run_with, value};

fn sonic() -> Sonic {
    Sonic::new(&Catalogue::default())
}

fn played(policy: &str, set: &[(&str, &str)]) -> Vec<(&'static str, f64)> {
    run_with(&sonic(), policy, set).unwrap()
}

#[test]
fn x_prints() {
    for policy in ["dt", "occamy"] {
        for burst in ["lossy", "lossless", "both"] {
            let values = played(policy, &[("workload.burst", burst)]);
            println!("{policy} {burst} {values:?}");
        }
    }
}
