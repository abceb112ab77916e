//! `forebay net flows`: flow files from the generators.

use std::fs::File;
use std::io::{BufWriter, Write};

use clap::ValueEnum;
use forebay_files::Files;
use forebay_lab::results::number::{Shown, plural};
use forebay_net::flow::{Flow, write_flows};
use forebay_net::workload::{
    IncastConfig, Load, PermutationConfig, PoissonConfig, WorkloadError, incast, permutation_flows,
    poisson_flows,
};
use forebay_units::Time;
use forebay_workload::SizeDistribution;

use super::{FlowsArguments, Pattern, only_new, unwritten, wrong};
use crate::given::ReadBeside;
use crate::{Failure, terminal};

/// Which patterns read an option; all read those that are not here.
const READ_BESIDE: &[ReadBeside] = &[
    ("load", &["poisson", "incast"]),
    ("rate", &["poisson", "incast"]),
    ("sizes", &["poisson"]),
    ("span", &["poisson", "incast"]),
    ("query", &["incast"]),
    ("degree", &["incast"]),
    ("per-second", &["incast"]),
    ("bytes", &["permutation"]),
];

/// That every option that was given is read.
fn check(
    FlowsArguments { given, pattern, per_second, .. }: &FlowsArguments,
) -> Result<(), Failure> {
    let name =
        pattern.to_possible_value().map_or_else(String::new, |name| name.get_name().to_owned());
    given.beside("--pattern ", &name, READ_BESIDE)?;
    given.read_if("rate", per_second.is_none(), "--per-second", "--load")
}

/// Generates the flows and writes them.
pub(super) fn write(arguments: &FlowsArguments) -> Result<(), Failure> {
    check(arguments)?;
    only_new(&files(arguments))?;
    let flows = match arguments.pattern {
        Pattern::Poisson => poisson(arguments),
        Pattern::Incast => queries(arguments),
        Pattern::Permutation => permutation(arguments),
    }?;
    match &arguments.out {
        None => terminal::written(write_to(std::io::stdout().lock(), &flows))?,
        Some(path) => {
            let written = File::create(path).and_then(|file| write_to(file, &flows));
            written.map_err(|error| unwritten(path, &error))?;
            let bytes: u64 = flows.iter().map(|flow| flow.bytes.get()).sum();
            let bytes = Shown::alone("B", bytes as f64).value(bytes as f64);
            terminal::warn(&format!(
                "{}: {}, {bytes}",
                path.display(),
                plural(flows.len(), "flow", "flows")
            ));
        }
    }
    Ok(())
}

fn write_to(output: impl Write, flows: &[Flow]) -> std::io::Result<()> {
    let mut output = BufWriter::new(output);
    write!(output, "{}", write_flows(flows))?;
    output.flush()
}

/// The files read and written.
fn files(arguments: &FlowsArguments) -> Files {
    let files = Files::default().write_some("out", arguments.out.as_ref());
    match SizeDistribution::BUILTIN.contains(&arguments.sizes.as_str()) {
        true => files,
        false => files.read("the distribution of sizes", &arguments.sizes),
    }
}

fn poisson(arguments: &FlowsArguments) -> Result<Vec<Flow>, Failure> {
    let config = PoissonConfig {
        hosts: arguments.hosts,
        load: load(arguments, "poisson")?,
        sizes: forebay_net_run::sizes(&arguments.sizes).map_err(super::run::failure)?,
        span: needed(arguments.span, "span", "poisson", "4ms")?,
        seed: arguments.seed,
    };
    let flows = poisson_flows(&config).map_err(|error| match error {
        WorkloadError::LargeFlows { .. } => {
            wrong("sizes", format!("{}: {error}", place(arguments)))
        }
        other => failure(other),
    })?;
    warn_of_large_sizes(arguments, &config);
    Ok(flows)
}

/// Sizes in bits mostly show in the largest: its flow then takes longer than the span.
fn warn_of_large_sizes(arguments: &FlowsArguments, config: &PoissonConfig) {
    let (largest, rate) = (config.sizes.largest(), arguments.rate.unwrap_or_default());
    let takes = rate.time_for(largest);
    if takes > config.span && !SizeDistribution::BUILTIN.contains(&arguments.sizes.as_str()) {
        terminal::warn(&format!(
            "warning: {}: flows of {} take {takes} at {rate}, longer than the span of {}: \
             check that sizes are bytes, not bits",
            place(arguments),
            largest,
            config.span,
        ));
    }
}

/// The file of the sizes, with the line of the largest, or the name of the sizes.
fn place(arguments: &FlowsArguments) -> String {
    let text = std::fs::read_to_string(&arguments.sizes).unwrap_or_default();
    let lines = (1..).zip(text.lines().map(str::trim));
    match lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).last() {
        Some((line, _)) => format!("{}, line {line}", arguments.sizes),
        None => arguments.sizes.clone(),
    }
}

fn queries(arguments: &FlowsArguments) -> Result<Vec<Flow>, Failure> {
    let query = needed(arguments.query, "query", "incast", "1MiB")?;
    let span = needed(arguments.span, "span", "incast", "20ms")?;
    let per_second = match arguments.per_second {
        Some(per_second) => per_second,
        None => {
            load(arguments, "incast")?.bytes_per_second().map_err(failure)? / query.get() as f64
        }
    };
    let config = IncastConfig::new(arguments.hosts, arguments.degree, query, per_second, span);
    let workload = incast(&IncastConfig { seed: arguments.seed, ..config }).map_err(failure)?;
    Ok(workload.into_flows())
}

fn permutation(arguments: &FlowsArguments) -> Result<Vec<Flow>, Failure> {
    let config = PermutationConfig {
        hosts: arguments.hosts,
        bytes: needed(arguments.bytes, "bytes", "permutation", "10MB")?,
        start: Time::ZERO,
        seed: arguments.seed,
    };
    permutation_flows(&config).map_err(|error| match error {
        WorkloadError::NoMemory { .. } => wrong("hosts", error),
        other => failure(other),
    })
}

fn load(arguments: &FlowsArguments, pattern: &str) -> Result<Load, Failure> {
    let fraction = needed(arguments.load, "load", pattern, "0.8")?;
    Ok(Load::of_hosts(fraction, needed(arguments.rate, "rate", pattern, "50G")?))
}

fn needed<T>(value: Option<T>, option: &str, pattern: &str, example: &str) -> Result<T, Failure> {
    let problem = || wrong(option, format!("{pattern} flows need it: add --{option} {example}"));
    value.ok_or_else(problem)
}

/// The error of a workload, at the option that sets what is wrong.
fn failure(error: WorkloadError) -> Failure {
    let option = match error {
        WorkloadError::Hosts { .. }
        | WorkloadError::TooManyHosts(_)
        | WorkloadError::HostRange { .. }
        | WorkloadError::TwiceInGroup(_) => "hosts",
        WorkloadError::NoSpan
        | WorkloadError::TooMany
        | WorkloadError::NoRounds
        | WorkloadError::NoMemory { .. } => "span",
        WorkloadError::Load(_) | WorkloadError::Crossing(_) => "load",
        WorkloadError::NoCapacity => "rate",
        WorkloadError::PerSecond(_) => "per-second",
        WorkloadError::Degree { .. } => "degree",
        WorkloadError::Size { field, .. } => field,
        WorkloadError::LargeFlows { .. } => "sizes",
    };
    wrong(option, error)
}
