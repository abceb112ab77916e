//! What can be set of the delayed-hits experiments, and where each default comes from.

use forebay_cache::policies::PolicyConfig;
use forebay_parameters::{Configure, Kind, ParameterError, Source, Word};
use forebay_units::{Bytes, Duration};
use forebay_workload::SizeDistribution;

use super::contender::Contender;
use TraceKind::{Cdn, Csv, Network, OnOff, OracleGeneral, ZipfBursts};

/// Everything that can be set.
#[derive(Clone, Debug, Configure)]
pub struct Config {
    /// Where requests come from.
    #[parameter(part)]
    pub trace: TraceConfig,
    /// Where misses go.
    #[parameter(part)]
    pub store: StoreConfig,
    /// How much is kept, and how.
    #[parameter(part)]
    pub cache: CacheConfig,
    /// Which objects are measured apart; none: what is asked for does not measure them.
    #[parameter(part)]
    pub measure: Option<MeasureConfig>,
    /// What runs over the trace.
    #[parameter(part, by = Contender::walk)]
    pub contender: Contender,
}

/// Where requests come from.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "trace.")]
pub struct TraceConfig {
    /// A generator (cdn, network, zipf-bursts, on-off, example) or a file's format (csv, steps,
    /// oracle-general, capture).
    #[parameter(
        assumed = "the thesis's traces are not public; a generator with their published rates"
    )]
    pub kind: TraceKind,
    /// The trace, for formats of files.
    #[parameter(assumed = "none: a generator", kind = Kind::Path, when = self.kind.is_recorded())]
    pub file: String,
    /// How many requests are read, from the first on.
    #[parameter(paper = "thesis §2.4.2, for the offline optimum", range = 1..=1_000_000_000_000)]
    pub requests: u64,
    /// Objects of cdn and zipf-bursts, sources of on-off.
    #[parameter(kind = OBJECTS, when = matches!(self.kind, Cdn | ZipfBursts | OnOff))]
    #[parameter(
        assumed = "0: the generator's own; of cdn, the thesis's 31.6 requests an object (§2.6.1)",
        sensitivity = "delayed-hits/sensitivity-cdn-scale"
    )]
    pub objects: Option<u64>,
    /// Zipf exponent of cdn and zipf-bursts.
    #[parameter(range = -1.0..=8.0, when = matches!(self.kind, Cdn | ZipfBursts))]
    #[parameter(assumed = "-1: the generator's own")]
    pub exponent: f64,
    /// Mean requests of a burst, of cdn and zipf-bursts; mean packets of a train, of network.
    #[parameter(range = 0.0..=1e6, when = matches!(self.kind, Cdn | ZipfBursts | Network))]
    #[parameter(source = OWN)]
    pub burst: f64,
    /// Flow sizes of network.
    #[parameter(kind = Kind::Choice(&SizeDistribution::BUILTIN), when = self.kind == Network)]
    #[parameter(assumed = "6.6 packets a connection, as in the fragment of thesis §2.4.3")]
    pub sizes: String,
    /// Whether requests come one a time step, or when the trace says; then a step is the mean time
    /// between requests.
    #[parameter(when = !self.kind.counts_steps())]
    #[parameter(
        assumed = "one request a time step, as the model of §2.1 has it",
        sensitivity = "delayed-hits/sensitivity-clock"
    )]
    pub clock: ClockKind,
    /// Mean time between requests of cdn, where trace.clock is time, and of network.
    #[parameter(source = OWN)]
    #[parameter(when = self.kind == Network || self.kind == Cdn && self.clock == ClockKind::Time)]
    pub interval: Option<Duration>,
    /// Column of the object in a csv, by name, or by number from 1.
    #[parameter(source = COLUMN, kind = Kind::Text, when = self.kind == Csv)]
    pub object_column: String,
    /// Column of the time in a csv, for clock = "time".
    #[parameter(kind = Kind::Text, when = self.kind == Csv && self.clock == ClockKind::Time)]
    #[parameter(source = COLUMN)]
    pub time_column: String,
    /// Column of an object's bytes in a csv.
    #[parameter(kind = Kind::Text, when = self.kind == Csv)]
    #[parameter(assumed = "none: every object takes one byte")]
    pub size_column: String,
    /// Column of the origin in a csv, a number from 0, for store.kind = "per-origin".
    #[parameter(kind = Kind::Text, when = self.kind == Csv)]
    #[parameter(assumed = "none: all objects are at origin 0")]
    pub origin_column: String,
    /// Whether the first line of a csv is a header; auto: if a column is given by name, and
    /// otherwise a first line without a number is refused.
    #[parameter(when = self.kind == Csv)]
    #[parameter(assumed = "columns that are named need a header, numbered ones usually have none")]
    pub header: Header,
    /// What separates the columns of a csv: one character, or the word auto, tab or space.
    #[parameter(assumed = "auto: what the first line shows", kind = Kind::Text, when = self.kind == Csv)]
    pub delimiter: String,
    /// What a csv's or oracle-general's time counts.
    #[parameter(when = self.clock == ClockKind::Time && matches!(self.kind, Csv | OracleGeneral))]
    #[parameter(assumed = "seconds, with decimals")]
    pub time_unit: Duration,
}

/// A generator, or a file's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum TraceKind {
    /// A content delivery network's proxy.
    Cdn,
    /// Packets of flows.
    Network,
    /// Popular objects in bursts.
    ZipfBursts,
    /// Sources that talk and fall silent.
    OnOff,
    /// The example of thesis §2.3.1.
    Example,
    /// Text with columns.
    Csv,
    /// A line for each time step: an id, or `time;id`, or nothing.
    Steps,
    /// The format of libCacheSim.
    OracleGeneral,
    /// Captured packets.
    Capture,
}

impl Config {
    /// Whether requests or latencies are drawn at random, so that the seed matters.
    #[must_use]
    pub fn draws(&self) -> bool {
        let trace = match self.trace.kind {
            Cdn | Network | ZipfBursts | OnOff => true,
            TraceKind::Example | TraceKind::Steps | Csv | OracleGeneral | TraceKind::Capture => {
                false
            }
        };
        let store = match self.store.kind {
            StoreKind::ThreeOrigins | StoreKind::PerObject | StoreKind::Sampled => true,
            StoreKind::Constant | StoreKind::PerOrigin | StoreKind::Hbm => false,
        };
        trace || store
    }

    /// That a cache whose size is in bytes gets a trace whose objects have sizes.
    ///
    /// # Errors
    /// Every object would take one byte.
    pub fn check_sizes(&self) -> Result<(), ParameterError> {
        let problem = match self.trace.kind {
            _ if self.cache.bytes.is_none() => return Ok(()),
            Cdn | Network | OracleGeneral | TraceKind::Capture => return Ok(()),
            Csv if !self.trace.size_column.is_empty() => return Ok(()),
            Csv => {
                "no column is known that has the objects' sizes: name it by trace.size_column, or \
                 give the cache's size in objects"
            }
            ZipfBursts | OnOff | TraceKind::Example | TraceKind::Steps => {
                "the objects of this kind of trace have no sizes: give the cache's size in objects"
            }
        };
        Err(CacheConfig::BYTES.refuse(problem))
    }
}

impl TraceKind {
    /// Whether it is read from a file.
    #[must_use]
    pub fn is_recorded(self) -> bool {
        use TraceKind::{Capture, Csv, OracleGeneral, Steps};
        matches!(self, Csv | Steps | OracleGeneral | Capture)
    }

    /// Whether it says at which time step each request comes, so that no clock is chosen.
    #[must_use]
    pub fn counts_steps(self) -> bool {
        matches!(self, TraceKind::Example | TraceKind::Steps)
    }
}

/// When requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum ClockKind {
    /// One a time step.
    Index,
    /// When the trace says.
    Time,
}

/// Whether the first line of a csv names the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum Header {
    /// If a column is given by name.
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Where misses go.
#[derive(Clone, Debug, Configure)]
#[parameter(group = "store.")]
pub struct StoreConfig {
    /// Constant; three origins in the ratio 68 : 103 : 226 (§2.6.2) around Z; what store.latencies
    /// says of the request's origin; from Z/2 to 3Z/2 by object; Z/2 and an exponential Z/2; or a
    /// read of the flow's state from HBM (clock = time).
    #[parameter(paper = "thesis §2.1")]
    pub kind: StoreKind,
    /// The latency of the backing store in time, for clock = "time"; comes before Z.
    #[parameter(assumed = "0: Z in time steps decides", when = self.takes_latency())]
    pub latency: Option<Duration>,
    /// Z: the latency of the backing store in time steps.
    #[parameter(range = 0..=1_000_000_000, when = self.takes_latency() && self.latency.is_none())]
    #[parameter(paper = "thesis Table 2.1")]
    pub z: u64,
    /// The latency of each origin from 0, for store.kind = "per-origin"; of further origins that of
    /// the last.
    #[parameter(kind = Kind::Text, when = self.kind == StoreKind::PerOrigin)]
    #[parameter(paper = "thesis §2.6.1")]
    pub latencies: String,
}

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Word)]
pub enum StoreKind {
    /// One latency.
    Constant,
    /// The three of §2.6.2, which ids choose.
    ThreeOrigins,
    /// What the request's origin takes.
    PerOrigin,
    /// From Z/2 to 3Z/2 by object.
    PerObject,
    /// Z/2 and an exponential Z/2.
    Sampled,
    /// A read of the flow's state from HBM.
    Hbm,
}

/// How much is kept, and how.
#[derive(Clone, Copy, Debug, Configure)]
#[parameter(group = "cache.")]
pub struct CacheConfig {
    /// Cache size in objects.
    #[parameter(assumed = "0: the share decides", kind = OBJECTS)]
    pub objects: Option<u64>,
    /// Cache size in bytes of objects, instead of objects.
    #[parameter(assumed = "0: the size is in objects", when = self.objects.is_none())]
    pub bytes: Option<Bytes>,
    /// Cache size as a share of the most objects active at once.
    #[parameter(range = 0.0..=1.0, when = self.objects.is_none() && self.bytes.is_none())]
    #[parameter(paper = "thesis §2.6.1")]
    pub share: f64,
    /// Associativity.
    #[parameter(range = 0..=1 << 24, only = self.evicts)]
    #[parameter(
        assumed = "0: fully associative, as the program of belatedly is; the prototype has 64 ways \
                   (§2.6.1)",
        sensitivity = "delayed-hits/sensitivity-ways"
    )]
    pub ways: u64,
    /// How policies evict.
    #[parameter(part = "cache.", when = self.evicts)]
    pub policy: PolicyConfig,
    /// Whether the policy evicts by them.
    #[parameter(skip)]
    pub evicts: bool,
}

/// Which objects are measured apart.
#[derive(Clone, Copy, Debug, Configure)]
#[parameter(group = "measure.")]
pub struct MeasureConfig {
    /// Measure object latency only of objects whose Goh-Barabási score is within `bin` / 2 of this.
    #[parameter(assumed = "-2: all objects", range = -2.0..=1.0)]
    pub burstiness: f64,
    /// Width of the bin of scores.
    #[parameter(assumed = "a tenth of the range", range = 0.01..=2.0, when = self.is_apart())]
    pub bin: f64,
}

impl Config {
    /// The thesis's experiments.
    #[must_use]
    pub fn new(contender: Contender) -> Self {
        let measure = MeasureConfig { burstiness: -2.0, bin: 0.2 };
        Config {
            trace: TraceConfig {
                kind: TraceKind::Cdn,
                file: String::new(),
                requests: 250_000,
                objects: None,
                exponent: -1.0,
                burst: 0.0,
                sizes: "wide-area".to_owned(),
                interval: None,
                clock: ClockKind::Index,
                object_column: "object".to_owned(),
                time_column: "time".to_owned(),
                size_column: String::new(),
                origin_column: String::new(),
                header: Header::Auto,
                delimiter: "auto".to_owned(),
                time_unit: Duration::from_ms(1_000),
            },
            store: StoreConfig {
                kind: StoreKind::Constant,
                latency: None,
                z: 1000,
                latencies: "68 ms, 103 ms, 226 ms".to_owned(),
            },
            cache: CacheConfig {
                objects: None,
                bytes: None,
                share: 0.05,
                ways: 0,
                policy: PolicyConfig::default(),
                evicts: contender.evicts(),
            },
            measure: Some(measure).filter(|_| !matches!(contender, Contender::Pairs)),
            contender,
        }
    }
}

const COLUMN: Source = Source::assumed("the column's usual name");
const OWN: Source = Source::assumed("0: the generator's own");
/// Objects of a generator or a cache.
const OBJECTS: Kind = Kind::Int { min: 0, max: 1 << 31 };

impl StoreConfig {
    /// Whether latencies come from `z` or `latency`.
    #[must_use]
    pub fn takes_latency(&self) -> bool {
        !matches!(self.kind, StoreKind::Hbm | StoreKind::PerOrigin)
    }
}

impl MeasureConfig {
    /// Whether objects are measured apart at all: scores are not below -1.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.burstiness >= -1.0
    }
}
