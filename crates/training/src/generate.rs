//! Jobs by their rules: pipeline, expert and data parallelism.
//!
//! A generator is given as words: its name, and parameters that are not at their default, as
//! `pipeline:stages=8,microbatches=16`. Times and sizes have units.

mod data;
mod expert;
mod pipeline;

use std::fmt;

use forebay_parameters::{Configure, ParameterError, listed, set};
use forebay_units::printable;

use crate::job::Job;
use crate::plan::MAX_NODES;
pub use data::DataConfig;
pub use expert::ExpertConfig;
pub use pipeline::{PipelineConfig, Schedule};

/// A generator that makes no job.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GenerateError {
    /// There is no such generator.
    Unknown(String),
    /// A word is no `name=value`.
    Word(String),
    /// A parameter is impossible.
    Parameter(ParameterError),
    /// The job would have too many nodes.
    TooMany(u64),
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Unknown(name) => write!(
                f,
                "there is no generator {}: give one of {}",
                printable(name).at_most(60),
                GENERATORS.map(|(name, _)| name).join(", ")
            ),
            GenerateError::Word(word) => {
                write!(f, "{}: give a parameter as name=value", printable(word).at_most(60))
            }
            GenerateError::Parameter(error) => error.fmt(f),
            GenerateError::TooMany(nodes) => write!(
                f,
                "the job would have about {nodes} nodes, more than {MAX_NODES}: give smaller \
                 numbers"
            ),
        }
    }
}

impl std::error::Error for GenerateError {}

impl From<ParameterError> for GenerateError {
    fn from(error: ParameterError) -> Self {
        GenerateError::Parameter(error)
    }
}

/// A kind of job with its parameters.
trait Generator: Configure {
    /// About how many nodes it makes; saturating.
    fn nodes(&self) -> u64;

    fn job(&self) -> Job;
}

type Make = fn() -> Box<dyn Generator>;

/// The generators by name.
const GENERATORS: [(&str, Make); 3] = [
    ("data", || Box::new(DataConfig::default())),
    ("expert", || Box::new(ExpertConfig::default())),
    ("pipeline", || Box::new(PipelineConfig::default())),
];

/// The names of all generators, each with the names of its parameters.
#[must_use]
pub fn generators() -> Vec<(&'static str, Vec<String>)> {
    let parameters = |make: Make| {
        let shown = listed(&mut *make());
        shown.iter().map(|one| one.parameter.name.to_string()).collect()
    };
    GENERATORS.map(|(name, make)| (name, parameters(make))).into()
}

/// Whether a text begins with the name of a generator, alone or before a colon.
#[must_use]
pub fn names_generator(text: &str) -> bool {
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    GENERATORS.iter().any(|(known, _)| *known == name)
}

/// The job that these words describe.
///
/// ```
/// use forebay_training::generate::generate;
///
/// let job = generate("data:ranks=4,buckets=2,gradients=1MB")?;
/// // Forward, two parts of backward with an all-reduce each, and the optimizer's step.
/// assert_eq!(job.ranks[3].len(), 6);
/// let error = generate("data:rank=4").unwrap_err();
/// assert!(error.to_string().contains("rank"));
/// # Ok::<(), forebay_training::generate::GenerateError>(())
/// ```
///
/// # Errors
/// Names the word that is wrong.
pub fn generate(words: &str) -> Result<Job, GenerateError> {
    let (name, given) = words.split_once(':').unwrap_or((words, ""));
    let Some((_, make)) = GENERATORS.iter().find(|(known, _)| *known == name) else {
        return Err(GenerateError::Unknown(name.to_owned()));
    };
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for word in given.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let pair = word.split_once('=').ok_or_else(|| GenerateError::Word(word.to_owned()))?;
        if pairs.iter().any(|(name, _)| *name == pair.0) {
            return Err(ParameterError::value(pair.0, "it is given twice: give it once").into());
        }
        pairs.push(pair);
    }
    let mut generator = make();
    set(&mut *generator, &pairs)?;
    match generator.nodes() {
        nodes if nodes > MAX_NODES as u64 => Err(GenerateError::TooMany(nodes)),
        _ => Ok(generator.job()),
    }
}

#[cfg(test)]
mod tests;
