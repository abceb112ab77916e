//! Traffic from files: a distribution of sizes, a list of flows.

use std::sync::Arc;

use forebay_lab::{ConfigError, Resolved};
use forebay_net::flow::{Flow, read_flows};
use forebay_net::topology::Graph;
use forebay_workload::SizeDistribution;

/// Sizes of flows: the file's, if there is one, or those of the distribution that is named.
pub(super) fn sizes(params: &Resolved) -> Result<SizeDistribution, ConfigError> {
    let Some(path) = params.path("size_file")? else {
        return SizeDistribution::builtin(params.text("sizes")?)
            .map_err(|error| params.blame("sizes", error.to_string()));
    };
    let blame = |message| params.blame("size_file", message);
    let file = std::fs::File::open(&path)
        .map_err(|error| blame(format!("cannot read {}: {error}", path.display())))?;
    SizeDistribution::from_reader(file, &path.display().to_string())
        .map_err(|error| blame(error.to_string()))
}

/// The flows of the background's file; none if the background is another.
pub(super) fn flows(params: &Resolved, graph: &Graph) -> Result<Arc<[Flow]>, ConfigError> {
    if params.text("background")? != "file" {
        return Ok(Arc::default());
    }
    let text = read(params, "flow_file")?;
    read_flows(&text, graph.hosts)
        .map(Arc::from)
        .map_err(|error| params.blame("flow_file", error.to_string()))
}

/// The text of the file that a parameter names.
pub(in super::super) fn read(params: &Resolved, name: &str) -> Result<String, ConfigError> {
    let path = params.path(name)?.ok_or_else(|| {
        params.blame(name, "no file is named").fix(format!("give {name} = \"FILE\""))
    })?;
    std::fs::read_to_string(&path)
        .map_err(|error| params.blame(name, format!("cannot read {}: {error}", path.display())))
}
