//! Flows from a file.

use std::path::Path;
use std::sync::Arc;

use forebay_net::flow::{Flow, FlowLines, LONGEST_LINE};
use forebay_net::topology::{Graph, LARGEST_FILE};
use forebay_parameters::{Parameter, ParameterError};

use crate::network::params::{Background, WorkloadConfig};

/// The flows of the background's file; none if the background is another.
pub(super) fn flows(config: &WorkloadConfig, graph: &Graph) -> Result<Arc<[Flow]>, ParameterError> {
    if config.background != Background::File {
        return Ok(Arc::default());
    }
    let (path, of) = (&config.flow_file, &WorkloadConfig::FLOW_FILE);
    let mut flows = FlowLines::new(graph.hosts);
    forebay_files::for_each_line(
        named(path, of)?,
        LONGEST_LINE,
        |_, line| flows.read(line).map_err(|error| of.refuse(error)),
        |line, error| match line {
            0 => unreadable(path, of, &error),
            _ => of.refuse(format_args!("line {line}: {error}")),
        },
    )?;
    Ok(Arc::from(flows.into_flows()))
}

/// The text of the topology file that a parameter names.
pub(in super::super) fn read_topology(
    path: &str,
    of: &Parameter,
) -> Result<String, ParameterError> {
    forebay_files::read_text(named(path, of)?, LARGEST_FILE)
        .map_err(|error| unreadable(path, of, &error))
}

fn named<'a>(path: &'a str, of: &Parameter) -> Result<&'a Path, ParameterError> {
    if path.is_empty() {
        return Err(of.refuse(format_args!("no file is named; give {} = \"FILE\"", of.word())));
    }
    Ok(Path::new(path))
}

fn unreadable(path: &str, of: &Parameter, error: &std::io::Error) -> ParameterError {
    of.refuse(format_args!("cannot read {path}: {error}"))
}
