//! Flow sizes of an experiment: a built-in distribution, or a file in its place.

use forebay_parameters::{Parameter, ParameterError};
use forebay_workload::SizeDistribution;

/// The distribution in `file`, or the built-in one where that is empty; `of` are their parameters.
pub(crate) fn flow_sizes(
    builtin: &str,
    file: &str,
    of: [&Parameter; 2],
) -> Result<SizeDistribution, ParameterError> {
    if file.is_empty() {
        return SizeDistribution::builtin(builtin).map_err(|error| of[0].refuse(error));
    }
    let read = std::fs::File::open(file)
        .map_err(|error| of[1].refuse(format_args!("cannot read {file}: {error}")))?;
    SizeDistribution::from_reader(read, file).map_err(|error| of[1].refuse(error))
}
