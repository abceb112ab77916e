//! The policies of the experiments on SurgeProtector.

use forebay_lab::PolicyInfo;
use forebay_parameters::Choices;
use forebay_surge::policies::JobPolicy;

use crate::engine_policies;

/// What a policy's name ends with that drops what arrives instead of the largest.
pub(super) const TAIL: &str = "-tail";

/// Every one of `jobs`, dropping the largest by its own order, or with [`TAIL`] what arrives: the
/// same in order of arrival.
pub(super) fn infos(jobs: &Choices<dyn JobPolicy>) -> Vec<PolicyInfo> {
    let forms = |largest: PolicyInfo| {
        let tail = (largest.name != "fcfs").then(|| PolicyInfo {
            name: format!("{}{TAIL}", largest.name).into(),
            label: format!("{}, drop-tail", largest.label).into(),
            doc: format!("{}, dropping what arrives", largest.name).into(),
        });
        [largest].into_iter().chain(tail)
    };
    engine_policies(jobs).into_iter().flat_map(forms).collect()
}
