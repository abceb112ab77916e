//! Where requests come from: a generator or a file, cut to the requests asked for and put on the
//! clock.

use forebay_cache::generators::{
    BurstConfig, CdnConfig, CdnRequests, OnOff, OnOffConfig, PacketFlows, PacketFlowsConfig,
    ZipfBursts,
};
use forebay_cache::{ObjectId, Request, STEP, at_step};
use forebay_parameters::ParameterError;
use forebay_units::Duration;
use forebay_workload::SizeDistribution;

use super::config::{ClockKind, TraceConfig, TraceKind};
use super::memory;
use super::recorded::{self, Recording};

/// The requests of §2.3.1's example: B, five of A, B, then B every third step; X is an empty slot.
const EXAMPLE: &[u8; 18] = b"BAAAAABXXBXXBXXBXX";

/// What is wrong with a trace of nothing.
pub(super) const NO_REQUESTS: &str = "the trace has no requests; give another";

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
    pub fn new(config: &TraceConfig, seed: u64) -> Result<Self, ParameterError> {
        Trace::over(config, seed, None)
    }

    /// The same of a recording that has been opened already, if there is one.
    ///
    /// # Errors
    /// As of [`Trace::new`].
    pub fn over(
        config: &TraceConfig,
        seed: u64,
        recording: Option<Recording>,
    ) -> Result<Self, ParameterError> {
        let wanted = config.requests as usize;
        // A generator gives as many as are wanted, a file those that it has.
        let known = if config.kind.is_recorded() { wanted.min(1 << 20) } else { wanted };
        let mut requests = memory::requests(known)?;
        for request in stream(config, seed, recording)?.take(wanted) {
            let request = request.map_err(|problem| TraceConfig::FILE.refuse(problem))?;
            requests.try_reserve(1).map_err(|_| memory::too_many(requests.len() + 1, 0))?;
            requests.push(request);
        }
        if requests.is_empty() {
            return Err(TraceConfig::FILE.refuse(NO_REQUESTS));
        }
        Ok(match config.clock {
            _ if config.kind.counts_steps() => Trace { requests, step: STEP },
            ClockKind::Index => on_index(requests),
            ClockKind::Time => on_time(requests),
        })
    }
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

/// Refuses files that are not there, before any run. Generators take any value that their
/// parameters may have, and are not made here: their tables of popularity take a while.
///
/// # Errors
/// Names the parameter.
pub fn check(config: &TraceConfig) -> Result<(), ParameterError> {
    if config.kind.is_recorded() { recorded::requests(config).map(drop) } else { Ok(()) }
}

/// The requests of a recording, or else those that the configuration says.
pub(super) fn stream(
    config: &TraceConfig,
    seed: u64,
    recording: Option<Recording>,
) -> Result<Stream, ParameterError> {
    if let Some(recording) = recording {
        return recording.requests(config);
    }
    let made = match config.kind {
        TraceKind::Csv | TraceKind::Steps | TraceKind::OracleGeneral | TraceKind::Capture => {
            return recorded::requests(config);
        }
        TraceKind::Example => return Ok(example()),
        TraceKind::ZipfBursts => {
            let own = BurstConfig { seed, ..BurstConfig::default() };
            let objects = config.objects.unwrap_or(own.objects);
            memory::check_objects(objects)?;
            ZipfBursts::new(BurstConfig {
                objects,
                exponent: config.exponent_or(own.exponent),
                mean_burst: config.burst().unwrap_or(own.mean_burst),
                ..own
            })
            .map(endless)
        }
        TraceKind::OnOff => {
            let own = OnOffConfig { seed, ..OnOffConfig::default() };
            let sources = config.objects.unwrap_or(own.sources);
            memory::check_objects(sources)?;
            OnOff::new(OnOffConfig { sources, ..own }).map(endless)
        }
        TraceKind::Network => {
            let sizes = SizeDistribution::builtin(&config.sizes);
            let sizes = sizes.map_err(|error| TraceConfig::SIZES.refuse(error))?;
            let own = PacketFlowsConfig { seed, ..PacketFlowsConfig::new(sizes) };
            let interval = config.interval.unwrap_or(own.interval);
            let mean_burst = config.burst();
            PacketFlows::new(PacketFlowsConfig { mean_burst, ..own.paced(interval) }).map(endless)
        }
        TraceKind::Cdn => {
            let own = CdnConfig { seed, ..CdnConfig::of_requests(config.requests) };
            let objects = config.objects.unwrap_or(own.objects);
            memory::check_objects(objects)?;
            CdnRequests::new(CdnConfig {
                objects,
                exponent: config.exponent_or(own.exponent),
                mean_burst: config.burst().unwrap_or(own.mean_burst),
                interval: config.interval.unwrap_or(own.interval),
                ..own
            })
            .map(endless)
        }
    };
    made.map_err(|error| {
        let name = match error.name() {
            "sources" => "trace.objects".to_owned(),
            "mean_burst" => "trace.burst".to_owned(),
            other => format!("trace.{other}"),
        };
        error.renamed(name)
    })
}

impl TraceConfig {
    fn exponent_or(&self, own: f64) -> f64 {
        if self.exponent >= 0.0 { self.exponent } else { own }
    }

    fn burst(&self) -> Option<f64> {
        Some(self.burst).filter(|burst| *burst > 0.0)
    }
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
