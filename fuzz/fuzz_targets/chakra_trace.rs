//! Any bytes as the Chakra traces of two ranks: a job, which then can run or is refused by a node,
//! or an error that says something; never a panic.
#![no_main]

use forebay_training::Plan;
use forebay_training::chakra::{ChakraConfig, Traces};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The first byte says where the first rank's trace ends, in 256ths.
    let Some((&part, both)) = bytes.split_first() else { return };
    let ranks = both.split_at(both.len() * usize::from(part) / 256);
    let groups = [("0".to_owned(), vec![0, 1]), ("1".to_owned(), vec![1])].into();
    let config = ChakraConfig { ops_per_second: Some(1_000_000_000), groups };
    let mut traces = Traces::new(&config);
    let added = traces.add(ranks.0).and_then(|()| traces.add(ranks.1));
    if let Err(error) = added {
        return assert!(!error.to_string().is_empty());
    }
    let job = traces.finish();
    assert_eq!(job.ranks.len(), 2);
    if let Err(error) = Plan::new(job) {
        assert!(!error.to_string().is_empty());
    }
});
