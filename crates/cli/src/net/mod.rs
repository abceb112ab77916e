//! `forebay net`: a packet-level network on a user's flows, and flow files for any simulator.

mod flows;
mod progress;
mod report;
mod run;
mod switch;
mod train;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use forebay_files::Files;
use forebay_net::network::HostConfig;
use forebay_scenarios::Policies;
use forebay_units::{Bytes, Duration, Rate};
use forebay_workload::SizeDistribution;

use crate::Failure;
use crate::arguments::{number, whole};
use crate::configured::Options;
pub(crate) use crate::failure::wrong;
use crate::given::Given;
use crate::replay::trace::TraceArguments;
pub(crate) use report::microseconds;
pub(crate) use switch::{SwitchArguments, SwitchSettings, decided, read_by, switch, with_settings};

/// The subcommands of `forebay net`.
#[derive(Subcommand)]
pub(crate) enum NetCommand {
    /// Run a flow file through a network until every flow has finished.
    ///
    /// Prints completion times and slowdowns by flow size, where packets were lost and why, the
    /// busiest links, and how fast the simulation was. Ctrl-C prints what has been measured so far.
    #[command(after_help = RUN_HELP)]
    Run(Box<RunArguments>),
    /// Write a flow file, one line `src dst bytes start_ns` per flow, which any simulator can read.
    #[command(after_help = FLOWS_HELP)]
    Flows(FlowsArguments),
    /// Run a training job through a network: when its ranks are done, and how long they wait.
    ///
    /// A job is a generator with its parameters, or Chakra execution traces. Rank r is host r.
    #[command(after_help = train::HELP)]
    Train(Box<train::TrainArguments>),
}

const RUN_HELP: &str = "Besides files (hosts N / switches N / link h0 s0 10Gb/s 1us), a topology can be one of:
  star:HOSTS,RATE,DELAY                                  star:8,10G,1us
  dumbbell:HOSTS_A_SIDE,HOST_RATE,MIDDLE_RATE,DELAY      dumbbell:4,10G,40G,1us
  leaf-spine:LEAVESxHOSTSxSPINES,HOST_RATE,FABRIC_RATE,DELAY
                                                         leaf-spine:9x16x4,50G,200G,10us
  fat-tree:k=K,RATE,DELAY                                fat-tree:k=16,100G,1us
  fat-tree:PODSxEDGESxHOSTSxAGGREGATIONSxCORES,HOST_RATE,FABRIC_RATE,DELAY
                                                         fat-tree:4x2x32x2x1,100G,100G,1us
A shape's delay applies to every link. docs/network.md says what is modelled.

Exit codes: 0 done, 1 a flow did not end, 2 the input is wrong, 130 stopped. Whatever was measured is printed.";

const FLOWS_HELP: &str = "Examples:
  forebay net flows --hosts 144 --load 0.8 --rate 50G --sizes websearch --span 4ms --out flows.txt
  forebay net flows --hosts 128 --pattern incast --query 1MiB --degree 16 --per-second 200 --span 20ms
  forebay net flows --hosts 1024 --pattern permutation --bytes 10MB";

#[derive(Args)]
pub(crate) struct RunArguments {
    /// A topology file, or a shape such as leaf-spine:9x16x4,50G,200G,10us (see below).
    #[arg(long, value_name = "FILE|SHAPE")]
    topology: String,
    /// The flow file: one line `src dst bytes start_ns` per flow.
    #[arg(long, value_name = "FILE")]
    flows: PathBuf,
    #[command(flatten)]
    hosts: Options<HostConfig>,
    #[command(flatten)]
    switches: SwitchArguments,
    #[command(flatten)]
    more: SwitchSettings,
    /// The rank of a packet, for switches that order by rank: the name of a rank function, or a
    /// rule over now (ps), size, flow, input, class and flow_size, whole numbers. The smallest
    /// leaves first.
    #[arg(long, value_name = "RULE|NAME")]
    rank: Option<String>,
    /// The class of a flow, a rule over src, dst, bytes, start_ns and flow (its number), for
    /// switches that order by class: 0 is the most urgent.
    #[arg(long, value_name = "RULE")]
    class: Option<String>,
    /// Cut the network into this many parts, each with its own thread; the results are the same.
    /// There are never more parts than switches with hosts. Each takes about 400 bytes per link and
    /// up to 12 per flow.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(1_u16..=64))]
    threads: u16,
    /// Seed of the hash that chooses among equal paths.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Stop after this much simulated time, even if flows have not finished.
    #[arg(long, value_name = "SPAN")]
    give_up: Option<Duration>,
    /// Flows that begin earlier run but are left out of the size classes; --out has them all.
    #[arg(long, value_name = "SPAN", default_value = "0 s")]
    warm_up: Duration,
    /// Stop when a flow has this many timeouts in a row.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = whole(1_u8..=40))]
    max_timeouts: u8,
    /// Let a link fail at a time, and be repaired at a later one: 3@1ms, s0:s9@1ms-5ms. Links are
    /// numbered from 0 as in the topology file; repeat the option for several failures.
    #[arg(long, value_name = "LINK@TIME[-REPAIR]")]
    fail: Vec<String>,
    /// The upper bounds of the size classes in the report.
    #[arg(
        long,
        value_name = "SIZES",
        value_delimiter = ',',
        default_value = "10KB,100KB,1MB,10MB"
    )]
    size_classes: Vec<Bytes>,
    /// What `--size-classes` was called; in other commands it is the number of queues.
    #[arg(long, hide = true)]
    classes: Option<String>,
    /// How many places of loss and links to print.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// How often to report progress.
    #[arg(long, value_name = "SPAN", default_value = "5 s")]
    progress: Duration,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Write a line per flow to this CSV file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceArguments,
}

/// Which flows to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Pattern {
    /// Flows between random hosts, by a Poisson process at each host.
    Poisson,
    /// Every host asks several others at once, by a Poisson process.
    Incast,
    /// Every host sends to one other at time 0.
    Permutation,
}

#[derive(Args)]
pub(crate) struct FlowsArguments {
    #[command(flatten)]
    given: Given,
    /// How many hosts there are.
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    hosts: u32,
    /// Which flows to generate.
    #[arg(long, value_enum, default_value = "poisson")]
    pattern: Pattern,
    /// What each host sends, as a fraction of --rate (poisson, incast).
    #[arg(long, value_name = "FRACTION", value_parser = number)]
    load: Option<f64>,
    /// The rate of a host's link, as 50G (with --load).
    #[arg(long, value_name = "RATE")]
    rate: Option<Rate>,
    #[arg(long, value_name = "NAME|FILE", default_value = "websearch", help = format!(
        "Sizes of flows: {}, or a CSV file `size_bytes,cum_prob` (poisson)",
        SizeDistribution::BUILTIN.join(", ")
    ))]
    sizes: String,
    /// No flow begins later than this (poisson, incast).
    #[arg(long, value_name = "SPAN")]
    span: Option<Duration>,
    /// Total bytes of a query's responses (incast).
    #[arg(long, value_name = "SIZE")]
    query: Option<Bytes>,
    /// Number of responses to a query (incast).
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = whole(0..=u32::MAX))]
    degree: u32,
    /// Queries of each host per second, instead of --load (incast).
    #[arg(long, value_name = "N", conflicts_with = "load", value_parser = number)]
    per_second: Option<f64>,
    /// Bytes that each host sends (permutation).
    #[arg(long, value_name = "SIZE")]
    bytes: Option<Bytes>,
    /// Seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// The output file [default: standard output].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(command: &NetCommand, policies: &Policies) -> Result<(), Failure> {
    match command {
        NetCommand::Run(arguments) => run::run(arguments, policies),
        NetCommand::Flows(arguments) => flows::write(arguments),
        NetCommand::Train(arguments) => train::run(arguments, policies),
    }
}

/// Refuses to overwrite an input file, or to write two outputs to one file.
pub(crate) fn only_new(files: &Files) -> Result<(), Failure> {
    files.check().map_err(|error| wrong(error.parameter, error.problem))
}

/// A file that cannot be written.
fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("error: cannot write {}: {error}", path.display()), 1)
}
