//! Where requests come from: a generator or a file, cut to the requests asked for and put on the clock.

use forebay_cache::generators::{
    BurstConfig, CdnConfig, CdnRequests, GeneratorError, OnOff, OnOffConfig, PacketFlows,
    PacketFlowsConfig, ZipfBursts,
};
use forebay_cache::{ObjectId, Request, STEP, at_step};
use forebay_lab::{ConfigError, Resolved};
use forebay_units::Duration;
use forebay_workload::SizeDistribution;

use super::recorded::{RECORDED, recorded};

/// The requests of §2.3.1's example: B, five of A, B, then B every third step; X is an empty slot.
const EXAMPLE: &[u8; 18] = b"BAAAAABXXBXXBXXBXX";

/// A trace in memory.
pub struct Trace {
    /// Its requests, by time.
    pub requests: Vec<Request>,
    /// How long a time step is: the mean time between requests.
    pub step: Duration,
}

/// Requests one by one, or the problem at which they end.
pub(super) type Stream = Box<dyn Iterator<Item = Result<Request, String>>>;

impl Trace {
    /// Reads or generates the trace of a point.
    ///
    /// # Errors
    /// Names the parameter at fault, and the place in a file.
    pub fn new(params: &Resolved, seed: u64) -> Result<Self, ConfigError> {
        let kind = params.text("trace.kind")?.to_owned();
        let wanted = params.count("requests")? as usize;
        let mut requests = Vec::with_capacity(wanted.min(1 << 20));
        for request in stream(params, &kind, seed)?.take(wanted) {
            requests.push(request.map_err(|problem| params.blame("trace.file", problem))?);
        }
        if requests.is_empty() {
            return Err(params
                .blame("trace.file", "the trace has no requests")
                .fix("give another file"));
        }
        if counts_steps(&kind) {
            return Ok(Trace { requests, step: STEP });
        }
        let by_index = params.text("clock")? == "index";
        Ok(if by_index { on_index(requests) } else { on_time(requests) })
    }
}

/// Whether traces of `kind` say at which time step each request comes, so that no clock is chosen for them.
pub(super) fn counts_steps(kind: &str) -> bool {
    matches!(kind, "example" | "steps")
}

/// One request a time step.
fn on_index(mut requests: Vec<Request>) -> Trace {
    for (index, request) in requests.iter_mut().enumerate() {
        request.at = at_step(index as u64);
    }
    Trace { requests, step: STEP }
}

/// The trace's own times; a step is the mean time between requests.
fn on_time(requests: Vec<Request>) -> Trace {
    let (first, last) = (requests[0].at, requests[requests.len() - 1].at);
    let gaps = (requests.len() as u64 - 1).max(1);
    let mean = Duration::from_ps(((last - first).as_ps() / gaps).max(1));
    Trace { requests, step: mean }
}

/// Refuses files that are not there, before any run. Generators take any value that their parameters may have,
/// and are not made here: their tables of popularity take a while.
///
/// # Errors
/// Names the parameter.
pub fn check(params: &Resolved) -> Result<(), ConfigError> {
    let kind = params.text("trace.kind")?.to_owned();
    if RECORDED.contains(&kind.as_str()) { recorded(params, &kind).map(drop) } else { Ok(()) }
}

pub(super) fn stream(params: &Resolved, kind: &str, seed: u64) -> Result<Stream, ConfigError> {
    if RECORDED.contains(&kind) {
        return recorded(params, kind);
    }
    match kind {
        "example" => Ok(example()),
        "zipf-bursts" => zipf_bursts(params, seed),
        "on-off" => on_off(params, seed),
        "network" => network(params, seed),
        _ => cdn(params, seed),
    }
}

fn zipf_bursts(params: &Resolved, seed: u64) -> Result<Stream, ConfigError> {
    let own = BurstConfig { seed, ..BurstConfig::default() };
    let config = BurstConfig {
        objects: or(params.count("trace.objects")?, own.objects),
        exponent: Some(params.float("exponent")?).filter(|e| *e >= 0.0).unwrap_or(own.exponent),
        mean_burst: mean_burst(params, own.mean_burst)?,
        ..own
    };
    made(params, ZipfBursts::new(config))
}

fn on_off(params: &Resolved, seed: u64) -> Result<Stream, ConfigError> {
    let own = OnOffConfig { seed, ..OnOffConfig::default() };
    let sources = or(params.count("trace.objects")?, own.sources);
    made(params, OnOff::new(OnOffConfig { sources, ..own }))
}

/// The mean length of a burst, or the generator's own.
fn mean_burst(params: &Resolved, own: f64) -> Result<f64, ConfigError> {
    Ok(Some(params.float("burst")?).filter(|b| *b > 0.0).unwrap_or(own))
}

fn network(params: &Resolved, seed: u64) -> Result<Stream, ConfigError> {
    let sizes = SizeDistribution::builtin(params.text("trace.sizes")?)
        .map_err(|error| params.blame("trace.sizes", error.to_string()))?;
    let own = PacketFlowsConfig { seed, ..PacketFlowsConfig::new(sizes) };
    let interval = interval(params, own.interval)?;
    let mean_burst = Some(params.float("burst")?).filter(|burst| *burst > 0.0);
    let config = PacketFlowsConfig { mean_burst, ..own.paced(interval) };
    made(params, PacketFlows::new(config))
}

fn cdn(params: &Resolved, seed: u64) -> Result<Stream, ConfigError> {
    let own = CdnConfig { seed, ..CdnConfig::of_requests(params.count("requests")?) };
    let config = CdnConfig {
        objects: or(params.count("trace.objects")?, own.objects),
        exponent: Some(params.float("exponent")?).filter(|e| *e >= 0.0).unwrap_or(own.exponent),
        mean_burst: mean_burst(params, own.mean_burst)?,
        interval: interval(params, own.interval)?,
        ..own
    };
    made(params, CdnRequests::new(config))
}

fn interval(params: &Resolved, own: Duration) -> Result<Duration, ConfigError> {
    let given = params.duration("trace.interval")?;
    Ok(if given > Duration::ZERO { given } else { own })
}

fn made<G>(params: &Resolved, generator: Result<G, GeneratorError>) -> Result<Stream, ConfigError>
where
    G: Iterator<Item = Request> + 'static,
{
    generator.map(endless).map_err(|error| params.blame("trace.kind", error.to_string()))
}

fn or(value: u64, own: u64) -> u64 {
    if value == 0 { own } else { value }
}

pub(super) fn endless(requests: impl Iterator<Item = Request> + 'static) -> Stream {
    Box::new(requests.map(Ok))
}

fn example() -> Stream {
    endless((0_u64..).filter_map(|step| {
        let object = EXAMPLE[(step % EXAMPLE.len() as u64) as usize];
        (object != b'X').then(|| Request::new(at_step(step), ObjectId(object.into())))
    }))
}
