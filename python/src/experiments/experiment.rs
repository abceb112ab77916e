//! `Experiment`: an experiment file, checked, with what is changed in it.
//!
//! Immutable: `set` and `with_seeds` give another one. What can be changed, and how it is written,
//! is as with the command's `--set` and `--seed`; errors name Python's arguments. Pickling keeps
//! the file's text, so a worker on another machine needs the file itself no more (but any file that
//! it names).

use std::path::PathBuf;

use forebay_lab::Overrides;
use forebay_lab::resolved::Parameter;
use forebay_lab::results::number::plural;
use forebay_lab::run::share::{self, RunShare};
use forebay_lab::run::{self, Options, traced};
use forebay_parameters::Value;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyFloat, PyInt, PyString};

use super::errors::{self, ConfigError};
use super::results::Results;
use super::running;
use crate::arguments::{FilePath, List, Whole, of_argument, type_name, whole};
use crate::catalogue::registry;
use crate::detached;
use crate::settings;
use crate::shown::{Named, one_line};

/// An experiment file, checked, with what is changed in it.
#[pyclass(frozen, module = "forebay")]
pub(crate) struct Experiment {
    folder: PathBuf,
    overrides: Overrides,
    checked: forebay_lab::Experiment,
}

impl Experiment {
    fn read(
        py: Python<'_>,
        (name, text): (&str, &str),
        folder: PathBuf,
        overrides: Overrides,
    ) -> PyResult<Self> {
        let checked = detached::run(py, || {
            forebay_lab::Experiment::read(name, text.as_bytes(), &folder, &overrides, &registry())
        })?;
        let checked = checked.map_err(|problems| errors::config(&problems))?;
        Ok(Experiment { folder, overrides, checked })
    }

    /// The same file with other changes.
    fn changed(&self, py: Python<'_>, overrides: Overrides) -> PyResult<Self> {
        let source = &self.checked.source;
        Experiment::read(py, (&source.name, &source.text), self.folder.clone(), overrides)
    }

    fn options(&self, out: Option<FilePath>, jobs: usize) -> Options {
        let default = || run::default_folder(self.name().as_ref(), &self.overrides);
        Options { out: out.map_or_else(default, |out| out.0), jobs }
    }
}

/// How many runs at once.
fn jobs(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(value).map_err(|error| of_argument(value.py(), "jobs", error))
}

/// Whole numbers, whose errors have the argument's name.
fn numbers<T: TryFrom<u64>>(name: &str, value: Borrowed<'_, '_, PyAny>) -> PyResult<Vec<T>> {
    let read = value.extract::<List<Whole<T>>>();
    let List(numbers) = read.map_err(|error| of_argument(value.py(), name, error))?;
    Ok(numbers.into_iter().map(|number| number.0).collect())
}

/// The argument `seeds`.
struct Seeds(Vec<u64>);

impl<'py> FromPyObject<'_, 'py> for Seeds {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = <List<Whole<u64>>>::INPUT_TYPE;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        numbers("seeds", value).map(Seeds)
    }
}

/// The argument `runs`: places of runs.
struct Places(Vec<usize>);

impl<'py> FromPyObject<'_, 'py> for Places {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = <List<Whole<usize>>>::INPUT_TYPE;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        numbers("runs", value).map(Places)
    }
}

/// A value as the command line writes it.
fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(truth.is_true().to_string());
    }
    // An array, or a number of numpy's.
    if value.hasattr("tolist")? {
        return text_of(&value.call_method0("tolist")?);
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return Ok(value.repr()?.to_str()?.to_owned());
    }
    let items = value.try_iter().map_err(|_| {
        let kind = type_name(value);
        PyTypeError::new_err(format!("a value is a number, a text or a list of them, not {kind}"))
    })?;
    let items: Vec<String> = items.map(|item| item_of(&item?)).collect::<PyResult<_>>()?;
    Ok(format!("[{}]", items.join(", ")))
}

/// An item of a list, where a text has quotes.
fn item_of(item: &Bound<'_, PyAny>) -> PyResult<String> {
    match item.cast::<PyString>() {
        Ok(text) => Ok(serde_json::Value::from(text.to_str()?).to_string()),
        Err(_) => text_of(item),
    }
}

#[pymethods]
impl Experiment {
    /// Reads and checks the file at `path`.
    #[staticmethod]
    fn load(py: Python<'_>, path: FilePath) -> PyResult<Self> {
        let FilePath(path) = path;
        let overrides = Overrides::default();
        let checked =
            detached::run(py, || forebay_lab::Experiment::load(&path, &overrides, &registry()))?;
        let checked = checked.map_err(|problems| errors::config(&problems))?;
        let folder = path.parent().map(PathBuf::from).unwrap_or_default();
        Ok(Experiment { folder, overrides, checked })
    }

    /// Checks the text of an experiment file whose paths are relative to `folder`.
    #[staticmethod]
    #[pyo3(
        signature = (text, *, name="experiment.toml", folder=PathBuf::from(".")),
        text_signature = "(text, *, name='experiment.toml', folder='.')"
    )]
    fn parse(py: Python<'_>, text: &str, name: &str, folder: PathBuf) -> PyResult<Self> {
        Experiment::read(py, (name, text), folder, Overrides::default())
    }

    /// The same with parameters changed, by name or path; on a swept one a value or a list replaces
    /// the sweep, a list on another one makes it an axis.
    #[pyo3(signature = (values: "dict[str, Any] | None" = None, /, **named: "Any"))]
    fn set(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyDict>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut overrides = self.overrides.clone();
        let mut given: Vec<(String, String)> = Vec::new();
        for (name, value) in [values, named].into_iter().flatten().flatten() {
            given.push((name.extract()?, text_of(&value)?));
        }
        // What was set before, by whatever name, gives way.
        let full = |name: &str| {
            let known = self.checked.params.parameter(name);
            known.map_or_else(|_| name.to_owned(), |one| one.spec.name.to_string())
        };
        let again = |name: &str| given.iter().any(|(other, _)| full(other) == full(name));
        overrides.set.retain(|(name, _)| !again(name));
        overrides.set.extend(given);
        self.changed(py, overrides)
    }

    /// The same with other seeds.
    fn with_seeds(&self, py: Python<'_>, seeds: Seeds) -> PyResult<Self> {
        let mut overrides = self.overrides.clone();
        overrides.seeds = seeds.0;
        self.changed(py, overrides)
    }

    /// Runs what is not stored yet and writes tables and report. `progress` is True, False, or a
    /// function of runs done, runs in all and the label of the run begun last; by default a bar,
    /// where one is seen.
    #[pyo3(signature = (*, out=None, jobs: "SupportsIndex" = 0, progress: "Progress" = None))]
    fn run(
        &self,
        py: Python<'_>,
        out: Option<FilePath>,
        #[pyo3(from_py_with = jobs)] jobs: usize,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Results> {
        let options = self.options(out, jobs);
        let title = &self.checked.title;
        let progress = py.import("forebay.progress")?.call_method1("choose", (progress, title))?;
        let progress = Some(progress.unbind()).filter(|chosen| !chosen.is_none(py));
        let finished = running::run(py, progress, |stop, observer| {
            run::run(&self.checked, &options, stop, observer)
        })?;
        Results::new(py, finished, options.out)
    }

    /// Computes some of the runs, by their places from 0, into a folder that other workers write to
    /// as well; no tables. How many were computed, not counting those that were stored.
    #[pyo3(signature = (runs, *, out=None, jobs: "SupportsIndex" = 1))]
    fn run_share(
        &self,
        py: Python<'_>,
        runs: Places,
        out: Option<FilePath>,
        #[pyo3(from_py_with = jobs)] jobs: usize,
    ) -> PyResult<usize> {
        let options = self.options(out, jobs);
        let share = RunShare::Runs(runs.0.into_iter().collect());
        let shared = running::run(py, None, |stop, observer| {
            share::share(&self.checked, &options, &share, stop, observer)
        })?;
        Ok(shared.runs - shared.reused)
    }

    /// Runs the one run that is left and traces it; its metrics. Nothing is stored but the trace.
    #[pyo3(signature = (
        path,
        *,
        policy=None,
        window="..",
        sample: "SupportsIndex" = 1
    ) -> "dict[str, float]")]
    fn trace<'py>(
        &self,
        py: Python<'py>,
        path: FilePath,
        policy: Option<&str>,
        window: &str,
        #[pyo3(from_py_with = whole)] sample: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let FilePath(path) = path;
        let bounds = settings::bounds(window, Whole(sample));
        let wrong = |(name, problem)| ConfigError::new_err(format!("{name}: {problem}"));
        let bounds = bounds.map_err(wrong)?;
        let mut experiment = self.checked.clone();
        if let Some(name) = policy {
            let chosen = traced::choose_policy(&mut experiment, name);
            chosen.map_err(|error| errors::lab(&error.into()))?;
        }
        let done = running::run(py, None, |stop, observer| {
            forebay_scenarios::traced(&experiment, &registry(), &path, bounds, stop, observer)
        })?;
        let metrics = done.output.values.into_py_dict(py)?;
        match done.unwritten {
            None => Ok(metrics),
            Some(error) => {
                let raised = errors::lab(&error.into());
                raised.value(py).setattr("measured", metrics)?;
                Err(raised)
            }
        }
    }

    /// The places of the runs that are not stored yet.
    #[pyo3(signature = (*, out=None))]
    fn missing(&self, py: Python<'_>, out: Option<FilePath>) -> PyResult<Vec<usize>> {
        let options = self.options(out, 1);
        let missing = detached::run(py, || share::missing(&self.checked, &options))?;
        missing.map_err(|error| errors::lab(&error))
    }

    /// The folder that results go to unless another is given.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.options(None, 0).out
    }

    /// The experiment file, as it was named.
    #[getter]
    fn name(&self) -> &str {
        &self.checked.source.name
    }

    /// The title that the file gives it.
    #[getter]
    fn title(&self) -> &str {
        &self.checked.title
    }

    /// What it is about, as the file says in a paragraph.
    #[getter]
    fn description(&self) -> &str {
        &self.checked.description
    }

    /// The scenario that it runs.
    #[getter]
    fn scenario(&self) -> &str {
        self.checked.scenario.name()
    }

    /// The policies, in order.
    #[getter]
    fn policies(&self) -> Vec<&str> {
        self.checked.policies.iter().map(|policy| &*policy.name).collect()
    }

    /// The seeds, in order.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.checked.seeds.clone()
    }

    /// The metrics that every run yields.
    #[getter]
    fn metrics(&self) -> Vec<&'static str> {
        self.checked.scenario.metrics().iter().map(|metric| metric.name).collect()
    }

    /// The swept parameters, each with the texts of its values.
    #[getter]
    fn axes(&self) -> Named<&str, Vec<String>> {
        let texts = |values: &[Value]| values.iter().map(Value::to_string).collect();
        let axes = self.checked.axes.iter();
        Named(axes.map(|axis| (axis.name.as_str(), texts(&axis.values))).collect())
    }

    /// Every parameter that a run reads, by path: the text of its value, where it comes from, what
    /// it means.
    #[getter]
    fn parameters(&self) -> Named<String, (String, String, &'static str)> {
        let all: &[Parameter] = self.checked.params.parameters();
        let shown = |parameter: &Parameter| {
            (parameter.value.to_string(), parameter.source(), parameter.spec.about)
        };
        Named(
            all.iter()
                .filter(|parameter| parameter.effective)
                .map(|parameter| (parameter.spec.name.to_string(), shown(parameter)))
                .collect(),
        )
    }

    fn __len__(&self) -> usize {
        self.checked.run_count()
    }

    fn __repr__(&self) -> String {
        one_line(&format!(
            "<Experiment {}: {}, {}>",
            self.name(),
            self.title(),
            plural(self.checked.run_count(), "run", "runs")
        ))
    }

    fn __reduce__<'py>(self_: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Restored)> {
        let this = self_.get();
        let restore = self_.get_type().getattr("_restore")?;
        let Experiment { folder, overrides, checked } = this;
        let changes = (overrides.set.clone(), overrides.seeds.clone());
        let source = (checked.source.name.clone(), checked.source.text.clone());
        Ok((restore, (source, folder.clone(), changes)))
    }

    /// What pickling kept.
    #[staticmethod]
    fn _restore(
        py: Python<'_>,
        source: (String, String),
        folder: PathBuf,
        changes: (Vec<(String, String)>, Vec<u64>),
    ) -> PyResult<Self> {
        let ((name, text), (set, seeds)) = (source, changes);
        Experiment::read(
            py,
            (&name, &text),
            folder,
            Overrides { set, seeds, ..Overrides::default() },
        )
    }
}

/// The arguments of `_restore`.
type Restored = ((String, String), PathBuf, (Vec<(String, String)>, Vec<u64>));
