//! The parameters of the delayed-hits experiments, where each comes from, and their policies.

use forebay_lab::DefaultSource::{self, Paper};
use forebay_lab::{Kind, ParamSpec, PolicyInfo, assumed, param, shown};
use forebay_workload::SizeDistribution;

/// Where requests come from.
pub const KINDS: &[&str] = &[
    "cdn",
    "network",
    "zipf-bursts",
    "on-off",
    "example",
    "csv",
    "steps",
    "oracle-general",
    "capture",
];

/// The pseudo policy that judges four online ones by hit rate and by latency (Fig. 2.4).
pub const PAIRS: &str = "pairs";

/// The offline optimum.
pub const BELATEDLY: &str = "belatedly";

const fn policy(name: &'static str, label: &'static str, doc: &'static str) -> PolicyInfo {
    PolicyInfo { name, label, doc }
}

const MAD: &str = "The same, weighed by estimated aggregate delay (§2.5.2).";

/// Every policy.
pub const POLICIES: &[PolicyInfo] = &[
    policy("lru", "LRU", "Evicts the least recently used."),
    policy("lru-mad", "LRU-MAD", MAD),
    policy(
        "lru-mad-all",
        "LRU-MAD, all counters",
        "LRU-MAD with counters of every object ever seen (§2.6.2).",
    ),
    policy("lfu", "LFU", "Evicts the least often used."),
    policy("lfu-mad", "LFU-MAD", MAD),
    policy("arc", "ARC", "By recency or frequency, as ghosts teach."),
    policy("arc-mad", "ARC-MAD", MAD),
    policy("lhd", "LHD", "Evicts the least learnt hit density."),
    policy("lhd-mad", "LHD-MAD", MAD),
    policy("s3-fifo", "S3-FIFO", "Evicts what a small queue has filtered out."),
    policy("s3-fifo-mad", "S3-FIFO-MAD", MAD),
    policy("sieve", "SIEVE", "Evicts what a moving hand finds unused."),
    policy("sieve-mad", "SIEVE-MAD", MAD),
    policy("w-tinylfu", "W-TinyLFU", "Evicts what loses to a newcomer by frequency."),
    policy("w-tinylfu-mad", "W-TinyLFU-MAD", MAD),
    policy("gdsf", "GDSF", "Evicts the least frequency times fetch time per size."),
    policy("gdsf-mad", "GDSF-MAD", MAD),
    policy("belady", "Bélády", "Evicts what is wanted last, from the future."),
    policy(
        "belady-ad",
        "Bélády-AD",
        "Evicts the least aggregate delay per time to next access, from the future (§2.5.1).",
    ),
    policy(
        BELATEDLY,
        "belatedly",
        "The offline optimum (§2.4): the schedule rounded from the solved program.",
    ),
    policy("cache-a", "Cache bursty, A", "Always keeps object A of the example (§2.3.1)."),
    policy("cache-b", "Cache paced, B", "Always keeps object B of the example (§2.3.1)."),
    policy(
        PAIRS,
        "LRU, LFU, ARC, LHD",
        "All four, compared in pairs by hit rate and by latency (Fig. 2.4).",
    ),
];

const TRACE: DefaultSource =
    assumed("the thesis's traces are not public; a generator with their published rates");
const COLUMN: DefaultSource = assumed("the column's usual name");
const OWN: DefaultSource = assumed("0: the generator's own");

/// Every parameter.
pub const PARAMS: &[ParamSpec] = &[
    param(
        "trace.kind",
        Kind::Choice(KINDS),
        "cdn",
        TRACE,
        "A generator (cdn, network, zipf-bursts, on-off, example) or a file's format (csv, steps, oracle-general, capture).",
    ),
    param(
        "trace.file",
        Kind::Path,
        "",
        assumed("none: a generator"),
        "The trace, for formats of files.",
    ),
    param(
        "trace.requests",
        Kind::Int { min: 1, max: 1_000_000_000_000 },
        "250000",
        Paper("thesis §2.4.2, for the offline optimum"),
        "How many requests are taken, the first ones.",
    ),
    param(
        "trace.objects",
        Kind::Int { min: 0, max: 1 << 31 },
        "0",
        shown(
            "0: the generator's own; of cdn, the thesis's 31.6 requests an object (§2.6.1)",
            "delayed-hits/sensitivity-cdn-scale",
        ),
        "Objects of cdn and zipf-bursts, sources of on-off.",
    ),
    param(
        "trace.exponent",
        Kind::Float { min: -1.0, max: 10.0 },
        "-1",
        assumed("-1: the generator's own"),
        "Zipf exponent of cdn and zipf-bursts.",
    ),
    param(
        "trace.burst",
        Kind::Float { min: 0.0, max: 1e6 },
        "0",
        OWN,
        "Mean requests of a burst, of cdn and zipf-bursts; mean packets of a train, of network.",
    ),
    param(
        "trace.sizes",
        Kind::Choice(&SizeDistribution::BUILTIN),
        "wide-area",
        assumed("6.6 packets a connection, as in the fragment of thesis §2.4.3"),
        "Flow sizes of network.",
    ),
    param(
        "trace.interval",
        Kind::Duration,
        "0 s",
        OWN,
        "Mean time between requests of cdn and network.",
    ),
    param(
        "trace.clock",
        Kind::Choice(&["index", "time"]),
        "index",
        shown(
            "one request a time step, as the model of §2.1 has it",
            "delayed-hits/sensitivity-clock",
        ),
        "Whether requests come one a time step, or when the trace says; then a step is the mean time between requests.",
    ),
    param(
        "trace.object_column",
        Kind::Text,
        "object",
        COLUMN,
        "Column of the object in a csv, by name, or by number from 1.",
    ),
    param(
        "trace.time_column",
        Kind::Text,
        "time",
        COLUMN,
        "Column of the time in a csv; read only with clock = \"time\".",
    ),
    param(
        "trace.size_column",
        Kind::Text,
        "",
        assumed("none: every object takes one byte"),
        "Column of an object's bytes in a csv.",
    ),
    param(
        "trace.origin_column",
        Kind::Text,
        "",
        assumed("none: all objects are at origin 0"),
        "Column of the origin in a csv, a number from 0, for store.kind = \"per-origin\".",
    ),
    param(
        "trace.header",
        Kind::Choice(&["auto", "yes", "no"]),
        "auto",
        assumed("columns that are named need a header, numbered ones usually have none"),
        "Whether the first line of a csv is a header; auto: if a column is given by name.",
    ),
    param(
        "trace.delimiter",
        Kind::Text,
        ",",
        assumed("what csv says"),
        "What separates the columns of a csv: one character, or the word tab.",
    ),
    param(
        "trace.time_unit",
        Kind::Duration,
        "1 s",
        assumed("seconds, with decimals"),
        "What a csv's or oracle-general's time counts.",
    ),
    param(
        "store.z",
        Kind::Int { min: 0, max: 1_000_000_000 },
        "1000",
        Paper("thesis Table 2.1"),
        "Z: the latency of the backing store in time steps.",
    ),
    param(
        "store.latency",
        Kind::Duration,
        "0 s",
        assumed("0: Z in time steps decides"),
        "The latency of the backing store in time, for clock = \"time\"; comes before Z.",
    ),
    param(
        "store.kind",
        Kind::Choice(&["constant", "three-origins", "per-origin", "per-object", "sampled", "hbm"]),
        "constant",
        Paper("thesis §2.1"),
        "Constant; three origins in the ratio 68 : 103 : 226 (§2.6.2) around Z; what store.latencies says of the request's origin; from Z/2 to 3Z/2 by object; Z/2 and an exponential Z/2; or a read of the flow's state from HBM (clock = time).",
    ),
    param(
        "store.latencies",
        Kind::Text,
        "68 ms, 103 ms, 226 ms",
        Paper("thesis §2.6.1"),
        "The latency of each origin from 0, for store.kind = \"per-origin\"; of further origins that of the last.",
    ),
    param(
        "cache.share",
        Kind::Float { min: 0.0, max: 1.0 },
        "0.05",
        Paper("thesis §2.6.1"),
        "Cache size as a share of the most objects active at once.",
    ),
    param(
        "cache.objects",
        Kind::Int { min: 0, max: 1 << 31 },
        "0",
        assumed("0: the share decides"),
        "Cache size in objects.",
    ),
    param(
        "cache.bytes",
        Kind::Bytes,
        "0 B",
        assumed("0: the size is in objects"),
        "Cache size in bytes of objects, instead of objects.",
    ),
    param(
        "cache.ways",
        Kind::Int { min: 0, max: 1 << 24 },
        "0",
        shown(
            "0: fully associative, as the program of belatedly is; the prototype has 64 ways (§2.6.1)",
            "delayed-hits/sensitivity-ways",
        ),
        "Associativity.",
    ),
    param(
        "cache.eviction",
        Kind::Choice(&["exact", "sampled"]),
        "exact",
        Paper("thesis §2.6.2"),
        "Whether the victim is the first of all or of 64 drawn at random.",
    ),
    param(
        "measure.burstiness",
        Kind::Float { min: -2.0, max: 1.0 },
        "-2",
        assumed("-2: all objects"),
        "Measure object latency only of objects whose Goh-Barabási score is within `bin` / 2 of this.",
    ),
    param(
        "measure.bin",
        Kind::Float { min: 0.01, max: 2.0 },
        "0.2",
        assumed("a tenth of the range"),
        "Width of the bin of scores.",
    ),
];
