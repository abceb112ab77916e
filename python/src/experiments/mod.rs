//! Experiments and their results, over `forebay-lab`.
//!
//! | file | Python |
//! |---|---|
//! | `experiment` | `Experiment`: an experiment file with what is changed in it |
//! | `running` | a run on threads of its own, while Python sees signals and progress |
//! | `results` | `Results`: tables, figures, claims |
//! | `table` | `Table`: columns through Arrow's C stream |
//! | `errors` | the laboratory's errors as exceptions |

mod errors;
mod experiment;
mod results;
mod running;
mod table;

use pyo3::prelude::*;

pub(crate) use table::Table;

/// Adds every class.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    experiment::register(module)?;
    results::register(module)?;
    table::register(module)
}
