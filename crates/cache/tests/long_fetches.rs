//! Where a fetch takes as long as thousands of requests, objects arrive old. A policy that learns
//! from ages must not take what becomes of them for what becomes of young ones.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use forebay_cache::generators::{
    BurstConfig, CdnConfig, CdnRequests, PacketFlows, PacketFlowsConfig, ZipfBursts,
};
use forebay_cache::policies::{PolicyConfig, policies};
use forebay_cache::{BackingStore, CacheGeometry, Request, Simulation, at_step, steps};
use forebay_workload::SizeDistribution;

const REQUESTS: usize = 200_000;
const Z: u64 = 20_000;

/// The mean latency under the policy called `name`, in steps; room for a twentieth of all objects.
fn mean_latency(requests: &[Request], name: &str) -> f64 {
    let objects: HashSet<_> = requests.iter().map(|request| request.object).collect();
    let room = CacheGeometry::objects(objects.len() as u64 / 20);
    let build = policies().named(name).unwrap().build(&PolicyConfig::default()).unwrap();
    let mut cache = Simulation::new(room, BackingStore::Constant(steps(Z)), build).unwrap();
    for request in requests {
        cache.offer(request).unwrap();
    }
    cache.finish().mean_steps()
}

/// One request a step.
fn paced(requests: impl Iterator<Item = Request>) -> Vec<Request> {
    let numbered = requests.take(REQUESTS).enumerate();
    numbered.map(|(step, request)| Request { at: at_step(step as u64), ..request }).collect()
}

#[test]
fn lhd_beats_lru() {
    let network = PacketFlowsConfig::new(SizeDistribution::builtin("wide-area").unwrap());
    let traces = [
        ("network", paced(PacketFlows::new(network).unwrap())),
        ("cdn", paced(CdnRequests::new(CdnConfig::of_requests(REQUESTS as u64)).unwrap())),
        ("storage", paced(ZipfBursts::new(BurstConfig::default()).unwrap())),
    ];
    for (name, trace) in traces {
        let (lhd, lru) = (mean_latency(&trace, "lhd"), mean_latency(&trace, "lru"));
        assert!(lhd < lru, "{name}: {lhd} steps under LHD, {lru} under LRU");
    }
}
