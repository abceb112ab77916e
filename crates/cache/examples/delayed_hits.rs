//! LRU beside LRU-MAD in front of ever slower stores: what counts is not how often a cache is
//! missed, but how long its callers wait.
//!
//! Bursts of requests for popular objects, one request a time step. While a miss is fetched,
//! requests for the same object wait for it; MAD keeps what would let many wait long. The slower
//! the store, the more that saves.
//!
//! ```sh
//! cargo run --release -p forebay-cache --example delayed_hits
//! ```

use std::error::Error;

use forebay_cache::generators::{BurstConfig, ZipfBursts};
use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::{BackingStore, CacheGeometry, CacheReport, Simulation, steps};

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:>7} {:>16} {:>16} {:>9}", "fetch", "LRU", "LRU-MAD", "latency");
    println!(
        "{:>7} {:>8} {:>7} {:>8} {:>7} {:>9}",
        "steps", "mean", "hits", "mean", "hits", "saved"
    );
    for fetch in [10, 100, 1_000, 10_000] {
        let (lru, mad) = (simulate("lru", fetch)?, simulate("lru-mad", fetch)?);
        println!(
            "{fetch:>7} {:>8.1} {:>5.1} % {:>8.1} {:>5.1} % {:>7.1} %",
            lru.mean_steps(),
            100.0 * lru.hit_rate(),
            mad.mean_steps(),
            100.0 * mad.hit_rate(),
            100.0 * (1.0 - mad.mean_steps() / lru.mean_steps()),
        );
    }
    Ok(())
}

/// The same requests through a cache of 100 objects under the policy of this name.
fn simulate(name: &str, fetch: u64) -> Result<CacheReport, Box<dyn Error>> {
    let store = BackingStore::Constant(steps(fetch));
    let policy = policies().named(name)?.build(&PolicyConfig::default())?;
    let mut cache = Simulation::new(CacheGeometry::objects(100), store, policy)?;
    let bursts = ZipfBursts::new(BurstConfig { objects: 5_000, ..BurstConfig::default() })?;
    for request in bursts.take(400_000) {
        cache.offer(&request)?;
    }
    Ok(cache.finish())
}
