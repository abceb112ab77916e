use std::collections::HashMap;

use forebay_workload::SizeDistribution;

use super::*;
use crate::model::{BackingStore, Future, ObjectId, Request, at_step, steps};
use crate::offline::annotate;
use crate::policies::MadCounters;

fn sorted(requests: &[Request]) -> bool {
    requests.is_sorted_by_key(|request| request.at)
}

fn counts(requests: &[Request]) -> HashMap<ObjectId, u64> {
    let mut counts = HashMap::new();
    for request in requests {
        *counts.entry(request.object).or_default() += 1;
    }
    counts
}

#[test]
fn streams_are_pinned() {
    // These change only together with a draw, which changes every result.
    let bursts = ZipfBursts::new(BurstConfig { objects: 1_000, ..BurstConfig::default() }).unwrap();
    let first: Vec<u64> = bursts.take(6).map(|request| request.object.0).collect();
    assert_eq!(first, [36, 0, 23, 3, 0, 468]);
}

#[test]
fn bursts_have_their_mean_length() {
    let config =
        BurstConfig { objects: 1 << 20, exponent: 0.0, mean_burst: 5.0, ..BurstConfig::default() };
    let requests: Vec<Request> = ZipfBursts::new(config).unwrap().take(200_000).collect();
    assert!(sorted(&requests));
    let bursts = counts(&requests).len() as f64;
    // Some objects are drawn twice: 40,000 draws of a million.
    assert!((0.2 * 0.97..0.2 * 1.01).contains(&(bursts / 200_000.0)), "{bursts}");
}

#[test]
fn on_off_sources_keep_their_rate() {
    let config = OnOffConfig { sources: 1_000, ..OnOffConfig::default() };
    let requests: Vec<Request> = OnOff::new(config).unwrap().take(200_000).collect();
    assert!(sorted(&requests));
    // A span of mean 1000 that begins with a request has 1 / (1 - exp(-0.1)) = 10.51 of them, in
    // 101,000 steps; 51 of them after the last on average are waited for as well.
    let expected = 200_000.0 / 1_000.0 / 10.51 * 101_000.0;
    let taken = (requests[199_999].at - requests[0].at).as_ps() as f64 / steps(1).as_ps() as f64;
    assert!((taken / expected - 1.0).abs() < 0.05, "{taken} {expected}");
}

#[test]
fn packets_keep_their_rate_and_flows_pass() {
    let sizes = SizeDistribution::builtin("hadoop").unwrap();
    let config =
        PacketFlowsConfig { flow_gap: Duration::from_us(20), ..PacketFlowsConfig::new(sizes) };
    let requests: Vec<Request> = PacketFlows::new(config).unwrap().take(300_000).collect();
    assert!(sorted(&requests));
    let span = (requests[299_999].at - requests[100_000].at).as_secs_f64();
    assert!((0.3..1.2).contains(&span), "{span}");
    let flows = counts(&requests);
    assert!(flows.len() > 1_000);
}

#[test]
fn a_wide_area_fragment_has_as_many_flows_as_the_thesiss() {
    let sizes = SizeDistribution::builtin("wide-area").unwrap();
    let config = PacketFlowsConfig::new(sizes);
    let requests: Vec<Request> = PacketFlows::new(config).unwrap().take(250_000).collect();
    let flows = counts(&requests).len();
    // A few long flows make it vary from seed to seed.
    assert!((37_725 * 85 / 100..37_725 * 115 / 100).contains(&flows), "{flows}");
    assert_eq!(requests[0].at, at_step(0));
}

#[test]
fn past_delays_predict_the_next_as_in_the_thesiss_trace() {
    let sizes = SizeDistribution::builtin("wide-area").unwrap();
    let packets = PacketFlows::new(PacketFlowsConfig::new(sizes)).unwrap().take(250_000);
    let mut trace: Vec<Request> = packets.collect();
    for (step, request) in trace.iter_mut().enumerate() {
        request.at = at_step(step as u64);
    }
    for z in [1_000, 10_000] {
        let pairs = estimates_and_truths(&mut trace, steps(z));
        let correlation = pearson(&pairs);
        assert!((0.6..0.8).contains(&correlation), "Z = {z}: {correlation}");
    }
}

/// The aggregate delay that Algorithm 1 estimates after each request, and that of the object's
/// next.
fn estimates_and_truths(trace: &mut [Request], z: Duration) -> Vec<(f64, f64)> {
    annotate(trace, &BackingStore::Constant(z));
    let mut known: HashMap<ObjectId, MadCounters> = HashMap::new();
    let mut pairs = Vec::new();
    for request in &*trace {
        let (at, z) = (request.at.as_ps(), z.as_ps());
        let counters = known.entry(request.object);
        let counters = counters.and_modify(|counters| counters.access(at));
        let estimate = counters.or_insert(MadCounters::from_fetch(at, z, z)).aggregate_delay();
        if let Future::Full { index, delay, .. } = request.next
            && index != Future::NEVER
        {
            pairs.push((estimate, delay.as_ps() as f64));
        }
    }
    pairs
}

fn pearson(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (a, b) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let product = |x: fn(&(f64, f64), f64, f64) -> f64| -> f64 {
        pairs.iter().map(|pair| x(pair, a, b)).sum()
    };
    let both = product(|pair, a, b| (pair.0 - a) * (pair.1 - b));
    let first = product(|pair, a, _| (pair.0 - a).powi(2));
    let second = product(|pair, _, b| (pair.1 - b).powi(2));
    both / (first * second).sqrt()
}

#[test]
fn a_pace_changes_nothing_but_the_clock() {
    let sizes = SizeDistribution::builtin("wide-area").unwrap();
    let at_pace = |interval| -> Vec<Request> {
        let config = PacketFlowsConfig::new(sizes.clone()).paced(interval);
        PacketFlows::new(config).unwrap().take(50_000).collect()
    };
    let (slow, fast) = (at_pace(Duration::from_us(3)), at_pace(Duration::from_ns(100)));
    // How many packets follow one of their flow within twenty: trains are four packets of others
    // apart.
    let close = |requests: &[Request]| {
        let follows =
            |window: &&[Request]| window[..20].iter().any(|r| r.object == window[20].object);
        requests.windows(21).filter(follows).count() as f64
    };
    let (a, b) = (close(&slow), close(&fast));
    assert!(a > 20_000.0 && (a / b - 1.0).abs() < 0.05, "{a} {b}");
    let span = |requests: &[Request]| (requests[49_999].at - requests[0].at).as_ps() as f64;
    assert!((span(&slow) / span(&fast) / 30.0 - 1.0).abs() < 0.2);
}

#[test]
fn a_cdn_has_the_published_requests_an_object() {
    let requests: Vec<Request> =
        CdnRequests::new(CdnConfig::of_requests(250_000)).unwrap().take(250_000).collect();
    let each = 250_000.0 / counts(&requests).len() as f64;
    assert!((31.6..31.6 * 1.1).contains(&each), "{each}");
    assert_eq!(CdnConfig::of_requests(u64::MAX).objects, 7_700_000);
    assert_eq!(CdnConfig::of_requests(0).objects, 1);
}

#[test]
fn cdn_objects_keep_their_sizes() {
    let config = CdnConfig { objects: 10_000, once: 0.1, ..CdnConfig::default() };
    let requests: Vec<Request> = CdnRequests::new(config).unwrap().take(100_000).collect();
    assert!(sorted(&requests));
    let mut sizes = HashMap::new();
    for request in &requests {
        assert_eq!(*sizes.entry(request.object).or_insert(request.size), request.size);
    }
    let once = counts(&requests).into_iter().filter(|(object, _)| object.0 > MAX_OBJECTS).count();
    assert!((9_500..10_500).contains(&once), "{once}");
}

#[test]
fn impossible_parameters_are_named() {
    let bursts = |mean_burst| ZipfBursts::new(BurstConfig { mean_burst, ..BurstConfig::default() });
    assert!(bursts(0.5).is_err() && bursts(f64::NAN).is_err());
    let sources = |sources| OnOff::new(OnOffConfig { sources, ..OnOffConfig::default() }).err();
    assert_eq!(sources(0).unwrap().name(), "sources");
    let gap = OnOffConfig { gap: Duration::ZERO, ..OnOffConfig::default() };
    assert_eq!(OnOff::new(gap).err().unwrap().name(), "gap");
    let once = CdnConfig { once: 1.5, ..CdnConfig::default() };
    assert!(CdnRequests::new(once).is_err());
}
