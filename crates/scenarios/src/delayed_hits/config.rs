//! What can be set of the delayed-hits experiments, and where each default comes from.

use forebay_cache::policies::PolicyConfig;
use forebay_parameters::{Configure, Kind, Parameter, Source, Walk, Word};
use forebay_units::{Bytes, Duration};
use forebay_workload::SizeDistribution;

use super::policies::{BELATEDLY, PAIRS};

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where requests come from.
    pub trace: TraceConfig,
    /// Where misses go.
    pub store: StoreConfig,
    /// How much is kept, and how.
    pub cache: CacheConfig,
    /// Which objects are measured apart; none: what is asked for does not measure them.
    pub measure: Option<MeasureConfig>,
}

/// Where requests come from.
#[derive(Clone, Debug)]
pub struct TraceConfig {
    /// A generator, or a file's format.
    pub kind: TraceKind,
    /// The file; empty: a generator.
    pub file: String,
    /// How many requests are taken.
    pub requests: u64,
    /// Objects or sources; none: the generator's own.
    pub objects: Option<u64>,
    /// The Zipf exponent; negative: the generator's own.
    pub exponent: f64,
    /// The mean length of bursts; 0: the generator's own.
    pub burst: f64,
    /// Flow sizes, by name.
    pub sizes: String,
    /// The mean time between requests; none: the generator's own.
    pub interval: Option<Duration>,
    /// When requests come.
    pub clock: ClockKind,
    /// The column of the object, by name or number.
    pub object_column: String,
    /// That of the time.
    pub time_column: String,
    /// That of the bytes; empty: none.
    pub size_column: String,
    /// That of the origin; empty: none.
    pub origin_column: String,
    /// Whether columns have names.
    pub header: Header,
    /// One character, or the word tab.
    pub delimiter: String,
    /// What recorded time counts.
    pub time_unit: Duration,
}

/// A generator, or a file's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// A line for each time step.
    Steps,
    /// The format of libCacheSim.
    OracleGeneral,
    /// Captured packets.
    Capture,
}

impl Word for TraceKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("cdn", TraceKind::Cdn),
        ("network", TraceKind::Network),
        ("zipf-bursts", TraceKind::ZipfBursts),
        ("on-off", TraceKind::OnOff),
        ("example", TraceKind::Example),
        ("csv", TraceKind::Csv),
        ("steps", TraceKind::Steps),
        ("oracle-general", TraceKind::OracleGeneral),
        ("capture", TraceKind::Capture),
    ];
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// One a time step.
    Index,
    /// When the trace says.
    Time,
}

impl Word for ClockKind {
    const WORDS: &'static [(&'static str, Self)] =
        &[("index", ClockKind::Index), ("time", ClockKind::Time)];
}

/// Whether the first line of a csv names the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// If a column is given by name.
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

impl Word for Header {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Header::Auto), ("yes", Header::Yes), ("no", Header::No)];
}

/// Where misses go.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// Which store.
    pub kind: StoreKind,
    /// Z, in time; none: `z` decides.
    pub latency: Option<Duration>,
    /// Z, in time steps.
    pub z: u64,
    /// The latency of each origin, with commas between them.
    pub latencies: String,
}

/// Which store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Word for StoreKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("constant", StoreKind::Constant),
        ("three-origins", StoreKind::ThreeOrigins),
        ("per-origin", StoreKind::PerOrigin),
        ("per-object", StoreKind::PerObject),
        ("sampled", StoreKind::Sampled),
        ("hbm", StoreKind::Hbm),
    ];
}

/// How much is kept, and how.
#[derive(Clone, Copy, Debug)]
pub struct CacheConfig {
    /// The size in objects.
    pub objects: Option<u64>,
    /// The size in bytes, if it is not in objects.
    pub bytes: Option<Bytes>,
    /// Else the size as a share of the most objects active at once.
    pub share: f64,
    /// Associativity; 0: full.
    pub ways: u64,
    /// How policies evict.
    pub policy: PolicyConfig,
    /// Whether the policy evicts by them.
    pub evicts: bool,
}

/// Which objects are measured apart.
#[derive(Clone, Copy, Debug)]
pub struct MeasureConfig {
    /// Their Goh-Barabási score; -2: all.
    pub burstiness: f64,
    /// The width of the bin.
    pub bin: f64,
}

impl Config {
    /// The thesis's experiments, as the policy of this name reads them.
    #[must_use]
    pub fn new(policy: &str) -> Self {
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
                delimiter: ",".to_owned(),
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
                evicts: ![BELATEDLY, "cache-a", "cache-b"].contains(&policy),
            },
            measure: Some(measure).filter(|_| policy != PAIRS),
        }
    }
}

const COLUMN: Source = Source::assumed("the column's usual name");
const OWN: Source = Source::assumed("0: the generator's own");
/// Objects of a generator or a cache.
const OBJECTS: Kind = Kind::Int { min: 0, max: 1 << 31 };

const KIND: Parameter = Parameter::new(
    "trace.kind",
    Kind::of::<TraceKind>(),
    Source::assumed("the thesis's traces are not public; a generator with their published rates"),
    "A generator (cdn, network, zipf-bursts, on-off, example) or a file's format (csv, steps, oracle-general, capture).",
);
pub(super) const FILE: Parameter = Parameter::new(
    "trace.file",
    Kind::Path,
    Source::assumed("none: a generator"),
    "The trace, for formats of files.",
);
const REQUESTS: Parameter = Parameter::new(
    "trace.requests",
    Kind::Int { min: 1, max: 1_000_000_000_000 },
    Source::paper("thesis §2.4.2, for the offline optimum"),
    "How many requests are taken, the first ones.",
);
const TRACE_OBJECTS: Parameter = Parameter::new(
    "trace.objects",
    OBJECTS,
    Source::shown(
        "0: the generator's own; of cdn, the thesis's 31.6 requests an object (§2.6.1)",
        "delayed-hits/sensitivity-cdn-scale",
    ),
    "Objects of cdn and zipf-bursts, sources of on-off.",
);
const EXPONENT: Parameter = Parameter::new(
    "trace.exponent",
    Kind::Float { min: -1.0, max: 8.0 },
    Source::assumed("-1: the generator's own"),
    "Zipf exponent of cdn and zipf-bursts.",
);
const BURST: Parameter = Parameter::new(
    "trace.burst",
    Kind::Float { min: 0.0, max: 1e6 },
    OWN,
    "Mean requests of a burst, of cdn and zipf-bursts; mean packets of a train, of network.",
);
pub(super) const SIZES: Parameter = Parameter::new(
    "trace.sizes",
    Kind::Choice(&SizeDistribution::BUILTIN),
    Source::assumed("6.6 packets a connection, as in the fragment of thesis §2.4.3"),
    "Flow sizes of network.",
);
const INTERVAL: Parameter = Parameter::new(
    "trace.interval",
    Kind::Duration,
    OWN,
    "Mean time between requests of cdn and network.",
);
const CLOCK: Parameter = Parameter::new(
    "trace.clock",
    Kind::of::<ClockKind>(),
    Source::shown(
        "one request a time step, as the model of §2.1 has it",
        "delayed-hits/sensitivity-clock",
    ),
    "Whether requests come one a time step, or when the trace says; then a step is the mean time between requests.",
);
const OBJECT_COLUMN: Parameter = Parameter::new(
    "trace.object_column",
    Kind::Text,
    COLUMN,
    "Column of the object in a csv, by name, or by number from 1.",
);
const TIME_COLUMN: Parameter = Parameter::new(
    "trace.time_column",
    Kind::Text,
    COLUMN,
    "Column of the time in a csv, for clock = \"time\".",
);
const SIZE_COLUMN: Parameter = Parameter::new(
    "trace.size_column",
    Kind::Text,
    Source::assumed("none: every object takes one byte"),
    "Column of an object's bytes in a csv.",
);
const ORIGIN_COLUMN: Parameter = Parameter::new(
    "trace.origin_column",
    Kind::Text,
    Source::assumed("none: all objects are at origin 0"),
    "Column of the origin in a csv, a number from 0, for store.kind = \"per-origin\".",
);
pub(super) const HEADER: Parameter = Parameter::new(
    "trace.header",
    Kind::of::<Header>(),
    Source::assumed("columns that are named need a header, numbered ones usually have none"),
    "Whether the first line of a csv is a header; auto: if a column is given by name.",
);
pub(super) const DELIMITER: Parameter = Parameter::new(
    "trace.delimiter",
    Kind::Text,
    Source::assumed("what csv says"),
    "What separates the columns of a csv: one character, or the word tab.",
);
const TIME_UNIT: Parameter = Parameter::new(
    "trace.time_unit",
    Kind::Duration,
    Source::assumed("seconds, with decimals"),
    "What a csv's or oracle-general's time counts.",
);

impl Configure for TraceConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        use TraceKind::{Cdn, Csv, Network, OnOff, OracleGeneral, ZipfBursts};
        let all = walk.wants_all();
        walk.field(&KIND, &mut self.kind);
        let kind = self.kind;
        let of = |kinds: &[TraceKind]| all || kinds.contains(&kind);
        if all || kind.is_recorded() {
            walk.field(&FILE, &mut self.file);
        }
        walk.field(&REQUESTS, &mut self.requests);
        if of(&[Cdn, ZipfBursts, OnOff]) {
            walk.field(&TRACE_OBJECTS, &mut self.objects);
        }
        if of(&[Cdn, ZipfBursts]) {
            walk.field(&EXPONENT, &mut self.exponent);
        }
        if of(&[Cdn, ZipfBursts, Network]) {
            walk.field(&BURST, &mut self.burst);
        }
        if of(&[Network]) {
            walk.field(&SIZES, &mut self.sizes);
        }
        if of(&[Cdn, Network]) {
            walk.field(&INTERVAL, &mut self.interval);
        }
        if all || !kind.counts_steps() {
            walk.field(&CLOCK, &mut self.clock);
        }
        let timed = all || self.clock == ClockKind::Time;
        if of(&[Csv]) {
            walk.field(&OBJECT_COLUMN, &mut self.object_column);
            if timed {
                walk.field(&TIME_COLUMN, &mut self.time_column);
            }
            walk.field(&SIZE_COLUMN, &mut self.size_column);
            walk.field(&ORIGIN_COLUMN, &mut self.origin_column);
            walk.field(&HEADER, &mut self.header);
            walk.field(&DELIMITER, &mut self.delimiter);
        }
        if timed && of(&[Csv, OracleGeneral]) {
            walk.field(&TIME_UNIT, &mut self.time_unit);
        }
    }
}

pub(super) const STORE_KIND: Parameter = Parameter::new(
    "store.kind",
    Kind::of::<StoreKind>(),
    Source::paper("thesis §2.1"),
    "Constant; three origins in the ratio 68 : 103 : 226 (§2.6.2) around Z; what store.latencies says of the request's origin; from Z/2 to 3Z/2 by object; Z/2 and an exponential Z/2; or a read of the flow's state from HBM (clock = time).",
);
pub(super) const LATENCY: Parameter = Parameter::new(
    "store.latency",
    Kind::Duration,
    Source::assumed("0: Z in time steps decides"),
    "The latency of the backing store in time, for clock = \"time\"; comes before Z.",
);
const Z: Parameter = Parameter::new(
    "store.z",
    Kind::Int { min: 0, max: 1_000_000_000 },
    Source::paper("thesis Table 2.1"),
    "Z: the latency of the backing store in time steps.",
);
pub(super) const LATENCIES: Parameter = Parameter::new(
    "store.latencies",
    Kind::Text,
    Source::paper("thesis §2.6.1"),
    "The latency of each origin from 0, for store.kind = \"per-origin\"; of further origins that of the last.",
);

impl StoreConfig {
    /// Whether latencies come from `z` or `latency`.
    #[must_use]
    pub fn takes_latency(&self) -> bool {
        !matches!(self.kind, StoreKind::Hbm | StoreKind::PerOrigin)
    }
}

impl Configure for StoreConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let all = walk.wants_all();
        walk.field(&STORE_KIND, &mut self.kind);
        if all || self.takes_latency() {
            walk.field(&LATENCY, &mut self.latency);
            if all || self.latency.is_none() {
                walk.field(&Z, &mut self.z);
            }
        }
        if all || self.kind == StoreKind::PerOrigin {
            walk.field(&LATENCIES, &mut self.latencies);
        }
    }
}

pub(super) const CACHE_OBJECTS: Parameter = Parameter::new(
    "cache.objects",
    OBJECTS,
    Source::assumed("0: the share decides"),
    "Cache size in objects.",
);
const BYTES: Parameter = Parameter::new(
    "cache.bytes",
    Kind::Bytes,
    Source::assumed("0: the size is in objects"),
    "Cache size in bytes of objects, instead of objects.",
);
const SHARE: Parameter = Parameter::new(
    "cache.share",
    Kind::Float { min: 0.0, max: 1.0 },
    Source::paper("thesis §2.6.1"),
    "Cache size as a share of the most objects active at once.",
);
pub(super) const WAYS: Parameter = Parameter::new(
    "cache.ways",
    Kind::Int { min: 0, max: 1 << 24 },
    Source::shown(
        "0: fully associative, as the program of belatedly is; the prototype has 64 ways (§2.6.1)",
        "delayed-hits/sensitivity-ways",
    ),
    "Associativity.",
);

impl Configure for CacheConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        let all = walk.wants_all();
        walk.field(&CACHE_OBJECTS, &mut self.objects);
        if all || self.objects.is_none() {
            walk.field(&BYTES, &mut self.bytes);
            if all || self.bytes.is_none() {
                walk.field(&SHARE, &mut self.share);
            }
        }
        walk.field(&WAYS, &mut self.ways);
        if all || self.evicts {
            walk.part("cache.", &mut self.policy);
        }
    }
}

const BURSTINESS: Parameter = Parameter::new(
    "measure.burstiness",
    Kind::Float { min: -2.0, max: 1.0 },
    Source::assumed("-2: all objects"),
    "Measure object latency only of objects whose Goh-Barabási score is within `bin` / 2 of this.",
);
const BIN: Parameter = Parameter::new(
    "measure.bin",
    Kind::Float { min: 0.01, max: 2.0 },
    Source::assumed("a tenth of the range"),
    "Width of the bin of scores.",
);

impl MeasureConfig {
    /// Whether objects are measured apart at all: scores are not below -1.
    #[must_use]
    pub fn is_apart(&self) -> bool {
        self.burstiness >= -1.0
    }
}

impl Configure for MeasureConfig {
    fn walk(&mut self, walk: &mut dyn Walk) {
        walk.field(&BURSTINESS, &mut self.burstiness);
        if walk.wants_all() || self.is_apart() {
            walk.field(&BIN, &mut self.bin);
        }
    }
}

impl Configure for Config {
    fn walk(&mut self, walk: &mut dyn Walk) {
        self.trace.walk(walk);
        self.store.walk(walk);
        self.cache.walk(walk);
        if let Some(measure) = &mut self.measure {
            measure.walk(walk);
        }
    }
}
