//! Named values that a function of the package passes on: numbers, and texts that the crates read
//! as the command does. What is wrong with one begins with its name, in the exception of the
//! function's module.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::str::FromStr;

use forebay_parameters::{Configure, Entry, Parameter, ParameterError, Renamed};
use forebay_sched::scheduler::tree;
use forebay_sched::tree::TreeConfig;
use forebay_switch::SwitchConfig;
use forebay_trace::{Bounds, TraceOutput};
use forebay_units::Bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{FilePath, List, Whole};
use crate::catalogue::policies;
use crate::errors::ShapeError;
use crate::parameters::{Parameters, named};

/// Named values, and the exception for one that does not fit.
pub(crate) struct Settings<'a, 'py> {
    values: &'a Bound<'py, PyDict>,
    refused: fn(String) -> PyErr,
}

impl<'a, 'py> Settings<'a, 'py> {
    pub(crate) fn new(values: &'a Bound<'py, PyDict>, refused: fn(String) -> PyErr) -> Self {
        Settings { values, refused }
    }

    /// A value that does not fit.
    pub(crate) fn wrong(&self, name: &str, problem: impl Display) -> PyErr {
        (self.refused)(format!("{name}: {problem}"))
    }

    /// The value of this name.
    pub(crate) fn get<T>(&self, name: &str) -> PyResult<T>
    where
        T: for<'b, 'q> FromPyObject<'b, 'q, Error = PyErr>,
    {
        let value = self.values.as_any().get_item(name)?;
        value.extract().map_err(|error: PyErr| {
            let problem = error.value(value.py());
            if error.is_instance_of::<PyTypeError>(value.py()) {
                PyTypeError::new_err(format!("{name}: {problem}"))
            } else {
                self.wrong(name, problem)
            }
        })
    }

    /// A text with a unit.
    pub(crate) fn read<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<T> {
        self.parsed(name, &self.get::<String>(name)?)
    }

    /// A text with a unit, or None.
    pub(crate) fn optional<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Option<T>> {
        let text: Option<String> = self.get(name)?;
        text.map(|text| self.parsed(name, &text)).transpose()
    }

    /// Several texts with units.
    pub(crate) fn several<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Vec<T>> {
        let List(texts) = self.get::<List<String>>(name)?;
        texts.iter().map(|text| self.parsed(name, text)).collect()
    }

    fn parsed<T: FromStr<Err: Display>>(&self, name: &str, text: &str) -> PyResult<T> {
        text.parse().map_err(|error| self.wrong(name, error))
    }

    /// The switch of `switch`, `tree`, `buffer` and `mark`.
    pub(crate) fn switch(&self) -> PyResult<SwitchConfig> {
        let known = policies().switches.switch(&self.get::<String>("switch")?);
        let config = known.map_err(|error| self.wrong("switch", error))?;
        let config = match self.get::<Option<String>>("tree")? {
            Some(text) => self.with_tree(config, &text)?,
            None => config,
        };
        let config = match self.optional::<Bytes>("buffer")? {
            Some(Bytes::ZERO) => {
                return Err(
                    self.wrong("buffer", "a buffer of 0 B cannot hold a packet: give a larger one")
                );
            }
            Some(size) => config.with_buffer(size),
            None => config,
        };
        Ok(config.with_marks(self.optional("mark")?))
    }

    /// The parameters that have no argument of their own, of what takes them: `of`.
    pub(crate) fn parameters(&self, of: &str) -> PyResult<Parameters<'py>> {
        let given = self.values.as_any().get_item("parameters")?;
        Ok(Parameters::new(of, Some(given.cast::<PyDict>()?)))
    }

    /// The same with the exception of this module, where a parameter cannot have its value.
    pub(crate) fn refusing<T>(&self, py: Python<'_>, read: PyResult<T>) -> PyResult<T> {
        read.map_err(|error| match error.is_instance_of::<PyValueError>(py) {
            true => (self.refused)(error.value(py).to_string()),
            false => error,
        })
    }

    /// The rank of `rank`, if there is one.
    pub(crate) fn rank<T>(
        &self,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Option<T>> {
        let value = self.values.as_any().get_item("rank")?;
        let rank = (!value.is_none()).then(|| read(&value)).transpose();
        rank.map_err(|error| match error.is_instance_of::<ShapeError>(value.py()) {
            true => self.wrong("rank", error.value(value.py())),
            false => named(value.py(), "rank", &error),
        })
    }

    /// The same switch with the tree of a text.
    fn with_tree(&self, mut config: SwitchConfig, text: &str) -> PyResult<SwitchConfig> {
        match &mut config {
            SwitchConfig::Scheduled(scheduled) if scheduled.scheduler.name() == "tree" => {
                let read = TreeConfig::from_toml_over(text, &policies().switches.tree());
                scheduled.scheduler = read.map(tree).map_err(|error| self.wrong("tree", error))?;
                Ok(config)
            }
            SwitchConfig::Scheduled(_)
            | SwitchConfig::DropTail(_)
            | SwitchConfig::OnChip(_)
            | SwitchConfig::Hybrid(_) => {
                let problem = "only a switch that is a tree has one: give switch=\"tree\" too";
                Err(self.wrong("tree", problem))
            }
        }
    }

    /// The trace of `trace`, `trace_window` and `trace_sample`.
    pub(crate) fn trace(&self) -> PyResult<Option<TraceOutput>> {
        let sample = self.get::<Whole<u32>>("trace_sample")?;
        let window = self.get::<String>("trace_window")?;
        let bounds = bounds(&window, sample);
        let bounds =
            bounds.map_err(|(name, problem)| self.wrong(&format!("trace_{name}"), problem))?;
        let path = self.get::<Option<FilePath>>("trace")?.map(|path| path.0);
        for (name, given) in [("trace_window", window != ".."), ("trace_sample", sample.0 != 1)] {
            if given && path.is_none() {
                return Err(self.wrong(name, "without trace it has no effect: give trace too"));
            }
        }
        Ok(path.map(|path| TraceOutput { path, bounds }))
    }
}

/// The bounds of a trace; what does not fit is named `window` or `sample`.
pub(crate) fn bounds(window: &str, sample: Whole<u32>) -> Result<Bounds, (&'static str, String)> {
    let window = window.parse().map_err(|error| ("window", format!("{error}")))?;
    let none = || ("sample", "one packet in 0 is none; give at least 1".to_owned());
    Ok(Bounds { window, sample: NonZeroU32::new(sample.0).ok_or_else(none)? })
}

/// Fills the parameters of a switch, but for those that an argument sets or that follow from the
/// packets.
pub(crate) fn fill_switch(
    parameters: &mut Parameters<'_>,
    config: &mut SwitchConfig,
) -> PyResult<()> {
    let known = config.clone();
    let own = |one: &Parameter| match known.option(&one.name) {
        "buffer" | "mark" | "largest_packet" => None,
        _ => Some(in_arguments(one)),
    };
    parameters.fill_by(|walk| config.walk(&mut Renamed::new(walk, own)))
}

/// A parameter of a switch as an argument: those of a port's scheduler stand beside all others,
/// since `scheduler` is its name.
pub(crate) fn in_arguments(one: &Parameter) -> Parameter {
    one.called(argument(&one.name).to_owned())
}

/// What Python calls a parameter of a switch.
pub(crate) fn argument(name: &str) -> &str {
    name.strip_prefix("scheduler.").unwrap_or(name)
}

/// What is wrong with a parameter in the words of a front end: one that has no argument of its own
/// is named itself, not the switch that has it.
pub(crate) fn blamed(error: &ParameterError) -> String {
    match error.cause() {
        Some(own) if error.name() == "switch" => {
            format!("{}: {}", argument(own.name()), own.sentence())
        }
        Some(_) | None => format!("{}: {}", error.name().replace('-', "_"), error.sentence()),
    }
}
