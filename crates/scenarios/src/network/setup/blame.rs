//! Which parameter is at fault when the network, a transport or the traffic cannot be.

use forebay_net::network::NetworkError;
use forebay_net::transport::ConfigError as TransportError;
use forebay_net::workload::WorkloadError;
use forebay_parameters::{Parameter, ParameterError};

use crate::network::params::hosts::{HostPart, TopologyKind};
use crate::network::params::{Config, WorkloadConfig};

pub(super) fn network(config: &Config, error: &NetworkError) -> ParameterError {
    let name = match error {
        NetworkError::Switch(error) => {
            return config.switch.refuse(error, &slower_links(&config.hosts));
        }
        NetworkError::Transport(error) => return transport(error),
        NetworkError::Packet { .. } => "transport.mss",
        NetworkError::NoTransport | NetworkError::Timeouts(_) | NetworkError::Trimmed => {
            "transport.control"
        }
        NetworkError::Workload(_) | NetworkError::Flow { .. } | NetworkError::TooManyFlows => {
            "workload.background"
        }
        NetworkError::OneQueue => "host.nic",
        NetworkError::Graph(_)
        | NetworkError::UnknownLink { .. }
        | NetworkError::Memory { .. }
        | NetworkError::SwitchMemory { .. } => "topology.kind",
    };
    ParameterError::value(name, error)
}

/// Where the ports of the slower switches have their rate from.
fn slower_links(hosts: &HostPart) -> Parameter {
    match hosts.kind {
        TopologyKind::File => HostPart::FILE,
        TopologyKind::LeafSpine | TopologyKind::FatTree if hosts.fabric_rate < hosts.host_rate => {
            HostPart::FABRIC_RATE
        }
        TopologyKind::Star | TopologyKind::LeafSpine | TopologyKind::FatTree => HostPart::HOST_RATE,
    }
}

pub(super) fn transport(error: &TransportError) -> ParameterError {
    let name = format!("transport.{}", error.parameter());
    match error {
        TransportError::Parameter(own) => own.clone().renamed(name),
        other => ParameterError::value(name, other),
    }
}

pub(super) fn background(error: &WorkloadError) -> ParameterError {
    let name = match error {
        WorkloadError::Load(_) => "workload.load",
        WorkloadError::Size { .. } => "workload.flow_bytes",
        WorkloadError::Hosts { .. } => "topology.hosts",
        other => either(other),
    };
    ParameterError::value(name, error)
}

pub(super) fn queries(config: &Config, error: &WorkloadError) -> ParameterError {
    let (hosts, workload) = (&config.hosts, &config.workload);
    let name = match error {
        WorkloadError::Degree { servers: 0, .. } if workload.other_racks => {
            return WorkloadConfig::OTHER_RACKS.refuse(format_args!(
                "no host is in another rack of {} hosts; give more racks, or other_racks=false",
                hosts.hosts
            ));
        }
        WorkloadError::HostRange { field: "servers", .. } if workload.receivers == 0 => {
            return WorkloadConfig::SERVERS.refuse(
                "every host asks, so that none is left that only answers; give workload.receivers, \
                 or 0 servers",
            );
        }
        WorkloadError::HostRange { field: "servers", hosts, .. } => {
            let receivers = workload.receivers;
            return WorkloadConfig::SERVERS.refuse(format_args!(
                "{hosts} hosts less {receivers} receivers are {}; give no more servers than that",
                hosts - receivers
            ));
        }
        WorkloadError::Load(_) => "workload.query_load",
        WorkloadError::Size { field: "request", .. } => "workload.request_bytes",
        WorkloadError::Size { .. } => "workload.query_bytes",
        WorkloadError::HostRange { .. } => "workload.receivers",
        WorkloadError::Degree { .. } => "workload.query_degree",
        WorkloadError::PerSecond(_) => "workload.queries_per_second",
        other => either(other),
    };
    ParameterError::value(name, error)
}

/// What may be wrong with queries and background alike.
fn either(error: &WorkloadError) -> &'static str {
    match error {
        WorkloadError::NoCapacity | WorkloadError::Crossing(_) => "workload.load_of",
        WorkloadError::LargeFlows { .. }
        | WorkloadError::TooMany
        | WorkloadError::NoMemory { .. }
        | WorkloadError::NoSpan => "run.span",
        WorkloadError::Load(_) => "workload.load",
        WorkloadError::TooManyHosts(_) | WorkloadError::Hosts { .. } => "topology.hosts",
        WorkloadError::HostRange { .. }
        | WorkloadError::PerSecond(_)
        | WorkloadError::Degree { .. }
        | WorkloadError::Size { .. }
        | WorkloadError::TwiceInGroup(_)
        | WorkloadError::NoRounds => "workload.background",
    }
}
