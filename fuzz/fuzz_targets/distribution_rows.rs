//! Rows of a flow-size distribution, structured: rows that rise from 0 to 1 are a distribution with
//! these quantiles; what is not is refused; never a panic.
#![no_main]

use forebay_workload::{MAX_FLOW_BYTES, SizeDistribution};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Table {
    header: Option<Header>,
    /// How far each row is above the one before: in bytes, and in thousandths of probability.
    rows: Vec<(u32, u16)>,
    /// Whether the last row is moved to where it must end.
    ends_at_one: bool,
}

#[derive(Arbitrary, Debug)]
enum Header {
    Plain,
    Bits,
    Comment,
}

fuzz_target!(|table: Table| {
    let mut text = match table.header {
        None => String::new(),
        Some(Header::Plain) => "size_bytes,cum_prob\n".to_owned(),
        Some(Header::Bits) => "size_bits,cum_prob\n".to_owned(),
        Some(Header::Comment) => "# size,probability\n\n".to_owned(),
    };
    let (mut bytes, mut thousandths) = (0_u64, 0_u64);
    // Rows behind the one that reaches 1 have no probability.
    let mut largest = None;
    let last = table.rows.len().saturating_sub(1);
    for (row, (more_bytes, more)) in table.rows.iter().enumerate() {
        bytes += u64::from(*more_bytes);
        if row > 0 {
            thousandths += u64::from(more % 1001);
        }
        if row == last && table.ends_at_one {
            thousandths = thousandths.max(1000);
        }
        if thousandths == 1000 {
            largest.get_or_insert(bytes);
        }
        text += &format!("{bytes},{}\n", thousandths as f64 / 1000.0);
    }
    let Ok(sizes) = SizeDistribution::from_csv(&text, "fuzzed.csv") else { return };
    assert!(thousandths == 1000 && !matches!(table.header, Some(Header::Bits)), "{text}");
    let quantiles: Vec<u64> = (0..=64).map(|i| sizes.quantile(f64::from(i) / 64.0).get()).collect();
    assert!(quantiles.is_sorted() && quantiles[64] as f64 <= MAX_FLOW_BYTES);
    assert_eq!(Some(sizes.largest().get()), largest.map(|bytes| bytes.max(1)));
});
