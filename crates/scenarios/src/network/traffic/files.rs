//! Flows from a file.

use std::sync::Arc;

use forebay_net::flow::{Flow, read_flows};
use forebay_net::topology::Graph;
use forebay_parameters::{Parameter, ParameterError};

use crate::network::params::{Background, WorkloadConfig};

/// The flows of the background's file; none if the background is another.
pub(super) fn flows(config: &WorkloadConfig, graph: &Graph) -> Result<Arc<[Flow]>, ParameterError> {
    if config.background != Background::File {
        return Ok(Arc::default());
    }
    let text = read(&config.flow_file, &WorkloadConfig::FLOW_FILE)?;
    read_flows(&text, graph.hosts)
        .map(Arc::from)
        .map_err(|error| WorkloadConfig::FLOW_FILE.refuse(error))
}

/// The text of the file that a parameter names.
pub(in super::super) fn read(path: &str, of: &Parameter) -> Result<String, ParameterError> {
    if path.is_empty() {
        return Err(of.refuse(format_args!("no file is named; give {} = \"FILE\"", of.word())));
    }
    std::fs::read_to_string(path)
        .map_err(|error| of.refuse(format_args!("cannot read {path}: {error}")))
}
