//! The thesis's prototype (§2.6.1, §2.6.2): a cache in front of origins 68, 103 and 226 ms away,
//! asked by HTTP, or simulated, as `prototype.proxy` says.
//!
//! Traces and the cache's parameters are those of [`delayed-hits`](crate::delayed_hits). A real run
//! has an origin program with delays, `forebay-proxy` with a cache in memory, and clients in an
//! open loop, all in this process and on its loopback; latencies count from when a request was due.
//! Beside it the simulator runs the same requests with fetches that take what they took on average
//! (as for Fig. 2.19), and the distance of the two distributions is measured.
//!
//! Open in the thesis, chosen here: its trace is not public, and a request every microsecond is
//! more than two cores pass by HTTP. So requests come `prototype.step` apart, origins keep their
//! milliseconds, and Z, objects and requests are some hundred times fewer. What decides how much
//! delayed hits matter is how many of an object's requests fall within a fetch: `trace.objects`.
//!
//! A real run is [live](forebay_lab::LiveRuns): it takes as long as it says, and another gives
//! other numbers.

mod metrics;
#[cfg(feature = "proxy")]
mod real;
mod simulated;
#[cfg(test)]
mod tests;

use forebay_cache::policies::{CachePolicy, PolicyConfig};
use forebay_lab::{
    ConfigError, Lack, LiveRuns, MetricSpec, Point, PolicyInfo, Resolved, RunContext, RunError,
    RunOutput, Scenario, SeriesSpec,
};
use forebay_parameters::{Choices, Configure, ParameterError, UnknownName, Walk, Word};
use forebay_units::{Bytes, Duration};

use crate::delayed_hits::config::{
    CacheConfig, Config, StoreConfig, StoreKind, TraceConfig, TraceKind,
};
use crate::delayed_hits::drive::DelayedHitsSetup;
use crate::delayed_hits::{Contender, of_caches, trace};

/// Whether the proxy is real.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Proxy {
    /// HTTP over this machine's loopback.
    Real,
    /// As in the scenario `delayed-hits`.
    Simulated,
}

/// Where objects are (§2.6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Origins {
    /// The U.S. West Coast, 68 ms.
    A,
    /// Western Europe, 103 ms.
    B,
    /// East Asia, 226 ms.
    C,
    /// A third of them at each.
    All,
}

/// What the prototype adds to the parameters of delayed hits.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "prototype.")]
pub struct PrototypePart {
    /// Whether requests are real, made by HTTP in real time, or simulated.
    #[parameter(assumed = "both, side by side", default = Proxy::Simulated)]
    pub proxy: Proxy,
    /// Where the objects are: 68 ms away (a), 103 ms (b), 226 ms (c), or a third at each (all).
    #[parameter(paper = "thesis §2.6.1", default = Origins::B)]
    pub origins: Origins,
    /// How long a time step is: the time between requests.
    #[parameter(
        assumed = "what two cores pass by HTTP with room to spare; the thesis has 1 µs",
        default = Duration::from_us(250)
    )]
    pub step: Duration,
    /// How long the body of a real answer is.
    #[parameter(
        paper = "thesis §2.6.1",
        default = Bytes::new(1000),
        when = self.proxy == Proxy::Real
    )]
    pub body: Bytes,
}

impl Origins {
    /// How far the middle one of its origins is, in ms.
    fn ms(self) -> u64 {
        match self {
            Origins::A => 68,
            Origins::B | Origins::All => 103,
            Origins::C => 226,
        }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct PrototypeConfig {
    own: PrototypePart,
    hits: Config,
}

impl Configure for PrototypeConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.own.walk(walk);
        self.hits.trace.walk(walk);
        self.hits.cache.walk(walk);
        self.hits.contender.walk(walk);
    }
}

impl PrototypeConfig {
    fn is_real(&self) -> bool {
        self.own.proxy == Proxy::Real
    }

    /// The scenario of delayed hits that it is: Z in time steps.
    fn hits(&self) -> Result<Config, ParameterError> {
        let step = self.own.step.as_ps();
        if step == 0 {
            return Err(PrototypePart::STEP.refuse("a step takes time: give more"));
        }
        let z = Duration::from_ms(self.own.origins.ms()).as_ps().div_ceil(step);
        let kind = match self.own.origins {
            Origins::All => StoreKind::ThreeOrigins,
            Origins::A | Origins::B | Origins::C => StoreKind::Constant,
        };
        let store = StoreConfig { kind, z, latency: None, ..self.hits.store.clone() };
        Ok(Config { store, measure: None, ..self.hits.clone() })
    }

    /// Refuses what only the simulator does.
    fn check_real(&self) -> Result<(), ParameterError> {
        const SIMULATED: &str = "or set proxy=simulated";
        let cache = &self.hits.cache;
        if cache.ways != 0 {
            let problem = "the proxy's cache is fully associative: give 0, ";
            return Err(CacheConfig::WAYS.refuse(format_args!("{problem}{SIMULATED}")));
        }
        if cache.policy != PolicyConfig::default() {
            let problem = "the proxy evicts the first of all: leave cache.eviction out, ";
            return Err(PrototypePart::PROXY.refuse(format_args!("{problem}{SIMULATED}")));
        }
        if cache.bytes.is_some() {
            let problem = "all answers have prototype.body bytes: give cache.objects or \
                           cache.share, ";
            return Err(CacheConfig::BYTES.refuse(format_args!("{problem}{SIMULATED}")));
        }
        Ok(())
    }
}

/// The scenario over the policies of caches; see the module's head.
pub struct Prototype {
    caches: Choices<dyn CachePolicy>,
    infos: Vec<PolicyInfo>,
}

impl Prototype {
    /// Over these policies.
    #[must_use]
    pub fn new(caches: &Choices<dyn CachePolicy>) -> Self {
        Prototype { caches: caches.clone(), infos: of_caches(caches) }
    }

    fn config(&self, policy: &str) -> Result<PrototypeConfig, UnknownName> {
        let mut hits = Config::new(Contender::online(policy, &self.caches)?);
        hits.trace = TraceConfig {
            kind: TraceKind::Cdn,
            requests: 100_000,
            objects: Some(2_000),
            ..hits.trace
        };
        hits.measure = None;
        Ok(PrototypeConfig { own: PrototypePart::default(), hits })
    }

    fn filled(&self, params: &Resolved, policy: &str) -> Result<PrototypeConfig, ConfigError> {
        params.fill(self.config(policy)?)
    }

    fn is_real(&self, params: &Resolved, policy: &str) -> bool {
        self.filled(params, policy).is_ok_and(|config| config.is_real())
    }
}

impl Scenario for Prototype {
    fn name(&self) -> &'static str {
        "prototype"
    }

    fn about(&self) -> &'static str {
        "a caching proxy in front of distant origins, asked by real HTTP or simulated"
    }

    fn configure(&self, policy: &str) -> Box<dyn Configure> {
        Box::new(self.config(policy).ok())
    }

    fn policies(&self) -> &[PolicyInfo] {
        &self.infos
    }

    fn metrics(&self) -> &'static [MetricSpec] {
        metrics::METRICS
    }

    fn series(&self) -> &'static [SeriesSpec] {
        metrics::SERIES
    }

    fn check(&self, params: &Resolved, policy: &str) -> Result<(), ConfigError> {
        let config = self.filled(params, policy)?;
        let hits = config.hits().map_err(|error| params.refuse(&error))?;
        let checked = hits.check_sizes().and_then(|()| trace::check(&hits.trace));
        let checked = checked.and_then(|()| match config.is_real() {
            true => config.check_real(),
            false => Ok(()),
        });
        checked.map_err(|error| params.refuse(&error))
    }

    fn lacks(&self, params: &Resolved, policy: &str, quantity: &str) -> Option<Lack> {
        metrics::lack(self.is_real(params, policy), quantity)
    }

    fn warnings(&self, params: &Resolved) -> Vec<String> {
        let is_real = self.policies().first().is_some_and(|one| self.is_real(params, &one.name));
        is_real.then(|| LIVE.to_owned()).into_iter().collect()
    }

    fn live_runs(&self) -> Option<&dyn LiveRuns> {
        Some(self)
    }

    fn run(&self, point: &Point<'_>, context: &mut RunContext<'_>) -> Result<RunOutput, RunError> {
        let config = self.filled(point.params, point.policy)?;
        let refused = |error: ParameterError| RunError::from(point.params.refuse(&error));
        let hits = config.hits().map_err(refused)?;
        let setup = DelayedHitsSetup::new(&hits, point.seed).map_err(refused)?;
        if !config.is_real() {
            let latencies = simulated::run(&setup, &setup.store, &config.own, context)
                .map_err(|error| error.of_point(point.params))?;
            return Ok(metrics::output(&latencies, None));
        }
        #[cfg(feature = "proxy")]
        {
            let measured = real::run(&config, &setup, point.policy, context)?;
            let store = simulated::slower(&setup.store, measured.overhead(&setup, &config.own));
            let beside = simulated::run(&setup, &store, &config.own, context)
                .map_err(|error| error.of_point(point.params))?;
            Ok(metrics::output(&measured.latencies, Some((&measured, &beside))))
        }
        #[cfg(not(feature = "proxy"))]
        Err(RunError::Failed(NOT_BUILT.to_owned()))
    }
}

/// What every report with real requests says.
const LIVE: &str = "with proxy = real, the numbers are measured on this machine in real time: \
                    another run gives others, and late_p99 says how late requests were";

#[cfg(not(feature = "proxy"))]
const NOT_BUILT: &str = "this program has no proxy, which needs the feature proxy: set \
                         proxy=simulated";

impl LiveRuns for Prototype {
    fn is_live(&self, params: &Resolved, policy: &str) -> bool {
        self.is_real(params, policy)
    }

    #[cfg(feature = "proxy")]
    fn unable(&self, _: &Resolved, _: &str) -> Option<String> {
        None
    }

    #[cfg(not(feature = "proxy"))]
    fn unable(&self, _: &Resolved, _: &str) -> Option<String> {
        Some(NOT_BUILT.to_owned())
    }
}
