//! Times a batch: that many ranks into a bucket queue and out again, as `bench/python_overhead.py`
//! does from Python. Each line of its input is a try, whose seconds it prints: so two programs can
//! take turns, and what else the machine does meets both.
//!
//! `yes | head -7 | cargo run --release -p forebay-pifo --example million 1000000`

use std::time::Instant;

use forebay_pifo::{BucketQueue, RankedQueue};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = std::env::args().nth(1).as_deref().unwrap_or("1000000").parse()?;
    let mut state = 1_u64;
    let ranks: Vec<u64> = std::iter::repeat_with(|| {
        // A linear congruential generator; its upper bits are even enough.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 49
    })
    .take(count)
    .collect();
    let mut queue: BucketQueue<u64> = BucketQueue::new(1 << 15, count)?;
    for line in std::io::stdin().lines() {
        line?;
        let began = Instant::now();
        for (item, rank) in (0_u64..).zip(&ranks) {
            queue.push(*rank, item)?;
        }
        let popped: Vec<(u64, u64)> = std::iter::from_fn(|| queue.pop_min()).collect();
        println!("{}", began.elapsed().as_secs_f64());
        assert_eq!(popped.len(), count);
    }
    Ok(())
}
