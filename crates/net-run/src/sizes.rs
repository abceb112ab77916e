//! Distributions of flow sizes by name or file.

use std::fs::File;
use std::io::ErrorKind;

use forebay_parameters::UnknownName;
use forebay_workload::SizeDistribution;

use crate::error::NetRunError;

/// The distribution of this name ([`SizeDistribution::BUILTIN`]), or of a CSV file
/// `size_bytes,cum_prob`.
///
/// # Errors
/// There is neither, or the file cannot be read; the message has the line.
pub fn sizes(name: &str) -> Result<SizeDistribution, NetRunError> {
    let wrong = |problem: String| NetRunError::parameter("sizes", problem);
    if SizeDistribution::BUILTIN.contains(&name) {
        return SizeDistribution::builtin(name).map_err(|error| wrong(error.to_string()));
    }
    let file = File::open(name).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let known = SizeDistribution::BUILTIN;
            wrong(UnknownName::new("distribution of sizes or file", name, known).to_string())
        }
        _ => wrong(format!("cannot read {name}: {error}")),
    })?;
    SizeDistribution::from_reader(file, name).map_err(|error| wrong(error.to_string()))
}
