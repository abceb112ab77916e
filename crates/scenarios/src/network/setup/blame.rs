//! Which parameter is at fault when the network, a transport or the traffic cannot be.

use forebay_lab::{ConfigError, Resolved};
use forebay_net::network::NetworkError;
use forebay_net::transport::ConfigError as TransportError;
use forebay_net::workload::WorkloadError;
use forebay_switch::SwitchBuildError;

use crate::schedulers;

pub(super) fn network(params: &Resolved, error: &NetworkError) -> ConfigError {
    let name = match error {
        NetworkError::Switch(error) => return switch(params, error),
        NetworkError::Transport(error) => return transport(params, error),
        NetworkError::Packet { place: "the shared buffer", .. } => "switch.pool",
        NetworkError::Packet { .. } => "mss",
        _ => "topology.kind",
    };
    params.blame(name, error.to_string())
}

fn switch(params: &Resolved, error: &SwitchBuildError) -> ConfigError {
    let name = match error {
        SwitchBuildError::OnChip(error) => return chip(params, error.name(), &error.sentence()),
        SwitchBuildError::Hybrid(error) => return hybrid(params, error.name(), &error.sentence()),
        SwitchBuildError::PacketScheduler(error) => return schedulers::blame(params, error),
        SwitchBuildError::Unknown(_) => "switch.pool",
        SwitchBuildError::RankFunction(_) => "switch.rank",
        SwitchBuildError::NoPortsPerPool => "ports_per_pool",
        SwitchBuildError::TooManyPorts => "topology.kind",
        SwitchBuildError::Scheduler(_) => "switch.scheduler",
        SwitchBuildError::NotRanked(_) => "switch.rank",
    };
    params.blame(name, error.to_string())
}

/// A parameter of an on-chip buffer, by its name there.
fn chip(params: &Resolved, parameter: &str, problem: &str) -> ConfigError {
    match parameter {
        name if name.contains("cell") => params.blame("switch.cell", problem),
        name if name.contains("class") || name.contains("queue") => {
            params.blame("switch.classes", problem)
        }
        name => params.blame("switch.pool", format!("{name}: {problem}")),
    }
}

/// A parameter of a hybrid buffer, by its name there.
fn hybrid(params: &Resolved, parameter: &str, problem: &str) -> ConfigError {
    match parameter {
        "rank" => params.blame("switch.rank", problem),
        name => params.blame("switch.sram", format!("{name}: {problem}")),
    }
}

pub(super) fn transport(params: &Resolved, error: &TransportError) -> ConfigError {
    let name = match error {
        TransportError::SegmentSize(_) => "mss",
        TransportError::NoInitialWindow => "initial_window",
        TransportError::ReceiveWindow { .. } => "receive_window",
        TransportError::RtoBounds { .. } => "min_rto",
        TransportError::DelayedAck => "delayed_ack",
        _ => "transport.control",
    };
    params.blame(name, error.to_string())
}

pub(super) fn background(params: &Resolved, error: &WorkloadError) -> ConfigError {
    let name = match error {
        WorkloadError::Load(_) => "workload.load",
        WorkloadError::Size { .. } => "flow_bytes",
        WorkloadError::Hosts { .. } => "topology.hosts",
        _ => return either(params, error),
    };
    params.blame(name, error.to_string())
}

pub(super) fn queries(params: &Resolved, error: &WorkloadError) -> ConfigError {
    let name = match error {
        WorkloadError::Load(_) => "query_load",
        WorkloadError::Size { field: "request", .. } => "request_bytes",
        WorkloadError::Size { .. } => "query_bytes",
        WorkloadError::HostRange { field: "clients", .. } => "receivers",
        WorkloadError::HostRange { .. } => "workload.servers",
        WorkloadError::Degree { .. } => "query_degree",
        WorkloadError::PerSecond(_) => "queries_per_second",
        _ => return either(params, error),
    };
    params.blame(name, error.to_string())
}

/// What may be wrong with queries and background alike.
fn either(params: &Resolved, error: &WorkloadError) -> ConfigError {
    let name = match error {
        WorkloadError::NoCapacity | WorkloadError::Crossing(_) => "load_of",
        WorkloadError::LargeFlows { .. } | WorkloadError::TooMany => "run.span",
        _ => "workload.background",
    };
    params.blame(name, error.to_string())
}
