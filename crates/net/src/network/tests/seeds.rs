//! Other seeds give other flows and other paths, and results that are statistically alike.

use super::*;
use crate::workload::{Load, PoissonConfig, poisson_flows};
use forebay_workload::SizeDistribution;

/// The mean slowdown of a loaded leaf-spine.
fn mean_slowdown(seed: u64) -> f64 {
    let flows = poisson_flows(&PoissonConfig {
        hosts: 12,
        load: Load::of_hosts(0.5, Rate::from_gbps(10)),
        sizes: SizeDistribution::from_csv("0,0\n10000,0.6\n200000,1", "t").unwrap(),
        span: Duration::from_ms(8),
        seed,
    })
    .unwrap();
    let own = NetworkConfig::new(transport("dctcp"));
    let config = NetworkConfig { ecmp_seed: seed, ..own };
    let switch = PortLimits { limit: Bytes::new(200_000), mark_above: Some(Bytes::new(30_000)) };
    let graph = small_leaf_spine();
    let mut network = Network::new(&graph, config, |s| DropTailSwitch::new(s, &switch)).unwrap();
    network.add_flows(&flows).unwrap();
    network.run().unwrap();
    let slowdowns: Vec<f64> = network.records().filter_map(|record| record.slowdown()).collect();
    assert_eq!(slowdowns.len(), flows.len());
    slowdowns.iter().sum::<f64>() / slowdowns.len() as f64
}

/// Ten seeds here and ten there are draws from one distribution: their means differ by a few
/// standard errors at most, no seed is far from the rest, and none repeats another.
#[test]
fn other_seeds_are_statistically_alike() {
    let sample = |seeds: core::ops::Range<u64>| seeds.map(mean_slowdown).collect::<Vec<_>>();
    let (one, two) = (sample(0..10), sample(100..110));
    let mean = |sample: &[f64]| sample.iter().sum::<f64>() / sample.len() as f64;
    let variance = |sample: &[f64]| {
        let centre = mean(sample);
        let squares = sample.iter().map(|x| (x - centre) * (x - centre));
        squares.sum::<f64>() / (sample.len() - 1) as f64
    };
    let error = ((variance(&one) + variance(&two)) / 10.0).sqrt();
    let apart = (mean(&one) - mean(&two)).abs();
    assert!(apart < 4.0 * error, "{one:?} {two:?}: {apart} is more than 4 times {error}");
    let all = [one, two].concat();
    let (centre, spread) = (mean(&all), variance(&all).sqrt());
    assert!(all.iter().all(|x| (x - centre).abs() < 4.0 * spread), "{all:?}");
    assert!(spread > 0.0 && spread < 0.2 * centre, "{spread} of {centre}");
    for (index, x) in all.iter().enumerate() {
        assert!(all[..index].iter().all(|y| x.to_bits() != y.to_bits()), "{all:?}");
    }
}
