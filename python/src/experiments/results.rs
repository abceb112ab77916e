//! `Results`: what an experiment yielded, and how a notebook shows it.

use std::path::PathBuf;

use forebay_lab::config::{Figure as Described, FigureKind};
use forebay_lab::report;
use forebay_lab::results::claims::measure;
use forebay_lab::results::number::plural;
use forebay_lab::run::{self, Finished};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use super::errors;
use super::table::Table;
use crate::arguments::FilePath;
use crate::detached;
use crate::errors::InternalError;
use crate::shown::{Named, one_line};

/// The finished results of an experiment.
#[pyclass(frozen, module = "forebay")]
pub(crate) struct Results {
    finished: Finished,
    folder: PathBuf,
    table: Py<Table>,
    timelines: Option<Py<Table>>,
}

impl Results {
    pub(super) fn new(py: Python<'_>, finished: Finished, folder: PathBuf) -> PyResult<Self> {
        let record = &finished.manifest.experiment;
        let table = Py::new(py, Table::new(finished.results.metrics_frame(record))?)?;
        let series = finished.results.series_frame(record);
        let timelines = match series.rows() {
            0 => None,
            _ => Some(Py::new(py, Table::new(series)?)?),
        };
        Ok(Results { finished, folder, table, timelines })
    }
}

#[pymethods]
impl Results {
    /// Reads the finished results in a folder.
    #[staticmethod]
    fn load(py: Python<'_>, folder: FilePath) -> PyResult<Self> {
        let FilePath(folder) = folder;
        let finished = detached::run(py, || run::load(&folder))?;
        Results::new(py, finished.map_err(|error| errors::lab(&error))?, folder)
    }

    /// The table of metrics: a row per policy, point, seed and metric.
    #[getter]
    fn table(&self, py: Python<'_>) -> Py<Table> {
        self.table.clone_ref(py)
    }

    /// The table of recorded series: a row per sample; None if nothing was recorded.
    #[getter]
    fn timelines(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.timelines.as_ref().map(|table| table.clone_ref(py))
    }

    /// The folder of the results: tables, manifest, report.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The report, as one self-contained HTML page.
    fn report(&self) -> String {
        report::html(&self.finished.manifest, &self.finished.results, &[])
    }

    /// What was run, by which version, on which machine, in what time.
    #[getter]
    fn manifest<'py>(&self, py: Python<'py>) -> PyResult<Named<String, Bound<'py, PyAny>>> {
        let text = serde_json::to_string(&self.finished.manifest)
            .map_err(|error| InternalError::new_err(error.to_string()))?;
        let read = py.import("json")?.call_method1("loads", (text,))?.cast_into::<PyDict>()?;
        let entries = read.iter().map(|(name, value)| Ok((name.extract()?, value)));
        Ok(Named(entries.collect::<PyResult<_>>()?))
    }

    /// The figures by name.
    #[getter]
    fn figures(&self) -> Named<&str, Figure> {
        let figures = self.finished.manifest.experiment.figures.iter();
        let drawn = |figure: &Described| Figure::draw(&self.finished, figure);
        Named(figures.map(|figure| (figure.id.as_str(), drawn(figure))).collect())
    }

    /// The paper's claims beside what was measured.
    #[getter]
    fn claims(&self) -> Vec<Claim> {
        let (record, results) = (&self.finished.manifest.experiment, &self.finished.results);
        let claim = |claim| Claim::judge(record, results, claim);
        record.claims.iter().map(claim).collect()
    }

    fn __len__(&self) -> usize {
        self.finished.manifest.runs
    }

    fn __repr__(&self) -> String {
        let manifest = &self.finished.manifest;
        let (title, runs) = (&manifest.experiment.title, manifest.runs);
        let runs = plural(runs, "run", "runs");
        one_line(&format!("<Results of \"{title}\": {runs}, {} computed>", manifest.computed))
    }

    /// The report in a frame of its own, so that its style and the notebook's do not meet.
    fn _repr_html_(&self) -> String {
        let page = self.report().replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe srcdoc=\"{page}\" sandbox=\"\" style=\"width:100%;height:640px;border:0\" \
             title=\"Forebay report\"></iframe>"
        )
    }

    /// Arrow's PyCapsule interface, of the table of metrics.
    #[pyo3(signature = (requested_schema: "object | None" = None) -> "object")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        self.table.get().stream(py)
    }
}

/// A figure of an experiment.
#[pyclass(frozen, get_all, module = "forebay")]
pub(crate) struct Figure {
    /// Its name in the experiment file.
    id: String,
    /// The heading above it in reports.
    title: String,
    /// What it draws: `line`, `bars` or `timeline`.
    kind: &'static str,
    /// The picture as an SVG element; None if no run yielded a value for it.
    svg: Option<String>,
}

impl Figure {
    fn draw(finished: &Finished, figure: &Described) -> Self {
        let svg = report::figure_svg(&finished.manifest.experiment, &finished.results, figure);
        let kind = match figure.kind {
            FigureKind::Line => "line",
            FigureKind::Bars => "bars",
            FigureKind::Timeline => "timeline",
        };
        Figure { id: figure.id.clone(), title: figure.title.clone(), kind, svg }
    }
}

#[pymethods]
impl Figure {
    fn __repr__(&self) -> String {
        one_line(&format!("<Figure {}: {}>", self.id, self.title))
    }

    fn _repr_html_(&self) -> String {
        match &self.svg {
            Some(svg) => format!("<div style=\"max-width:720px;background:#fff\">{svg}</div>"),
            None => "<p>No run yielded a value for this figure.</p>".to_owned(),
        }
    }
}

/// A claim of a paper, judged by what was measured.
#[pyclass(frozen, get_all, module = "forebay")]
pub(crate) struct Claim {
    /// What the paper states.
    text: String,
    /// Where it states it.
    source: String,
    /// Its measured value, in the claim's own measure; None if nothing was measured.
    measured: Option<f64>,
    /// "reproduced", "same direction", "same direction, other size", "differs" or "not measured".
    verdict: &'static str,
    /// The whole in one line, as the command prints it.
    line: String,
}

impl Claim {
    fn judge(
        record: &run::record::Record,
        results: &forebay_lab::results::Results,
        claim: &forebay_lab::config::Claim,
    ) -> Self {
        let judged = measure(claim, record, results);
        Claim {
            text: claim.text.clone(),
            source: claim.source.clone(),
            measured: judged.ours,
            verdict: judged.verdict.name(),
            line: report::claim_line(record, results, claim),
        }
    }
}

#[pymethods]
impl Claim {
    fn __repr__(&self) -> String {
        one_line(&format!("<Claim: {}: {}>", self.text, self.line))
    }
}
