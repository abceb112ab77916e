use std::collections::HashMap;

use forebay_workload::SizeDistribution;

use super::*;
use crate::model::{ObjectId, Request, steps};

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
    // A span of mean 1000 that begins with a request has 1 / (1 - exp(-0.1)) = 10.51 of them, in 101,000
    // steps; 51 of them after the last on average are waited for as well.
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
fn wide_area_packets_come_in_trains_of_short_flows() {
    let sizes = SizeDistribution::builtin("wide-area").unwrap();
    let config = PacketFlowsConfig::new(sizes);
    let spacing = config.spacing;
    let requests: Vec<Request> = PacketFlows::new(config).unwrap().take(250_000).collect();
    // The thesis has 37,725 connections in as many packets.
    let flows = counts(&requests).len();
    assert!((30_000..45_000).contains(&flows), "{flows}");
    let (mut last, mut within, mut gaps) = (HashMap::new(), 0.0, 0.0);
    for request in &requests {
        if let Some(before) = last.insert(request.object, request.at) {
            gaps += 1.0;
            within += f64::from(u8::from(request.at - before == spacing));
        }
    }
    assert!((within / gaps - 0.75_f64).abs() < 0.05, "{within} {gaps}");
}

#[test]
fn a_pace_changes_nothing_but_the_clock() {
    let sizes = SizeDistribution::builtin("wide-area").unwrap();
    let at_pace = |interval| -> Vec<Request> {
        let config = PacketFlowsConfig::new(sizes.clone()).paced(interval);
        PacketFlows::new(config).unwrap().take(50_000).collect()
    };
    let (slow, fast) = (at_pace(Duration::from_us(3)), at_pace(Duration::from_ns(100)));
    // How many packets follow one of their flow within twenty: trains are four packets of others apart.
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
    assert_eq!(sources(0), Some(GeneratorError::Objects(0)));
    let gap = OnOffConfig { gap: Duration::ZERO, ..OnOffConfig::default() };
    assert_eq!(OnOff::new(gap).err(), Some(GeneratorError::NoTime { name: "gap" }));
    let once = CdnConfig { once: 1.5, ..CdnConfig::default() };
    assert!(CdnRequests::new(once).is_err());
}
