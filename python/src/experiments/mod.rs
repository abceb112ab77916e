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
pub(crate) mod experiment;
pub(crate) mod results;
mod running;
pub(crate) mod table;

pub(crate) use table::Table;
