//! Any text as a flow-size distribution: a distribution whose quantiles rise and whose mean is
//! among its sizes, or an error that names file and line; never a panic.
#![no_main]

use forebay_workload::{MAX_FLOW_BYTES, SizeDistribution};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let sizes = match SizeDistribution::from_reader(file, "fuzzed.csv") {
        Ok(sizes) => sizes,
        Err(error) => {
            assert!(error.to_string().starts_with("fuzzed.csv"));
            return;
        }
    };
    let quantiles: Vec<u64> = (0..=16).map(|i| sizes.quantile(f64::from(i) / 16.0).get()).collect();
    assert!(quantiles.is_sorted() && quantiles[0] >= 1 && quantiles[16] as f64 <= MAX_FLOW_BYTES);
    let (smallest, largest) = (quantiles[0] as f64, quantiles[16] as f64);
    let slack = 1.0 + largest * 1e-9;
    assert!(sizes.mean() >= smallest - slack && sizes.mean() <= largest + slack);
});
