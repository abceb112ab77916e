//! `AdmissionPipeline`: the golden model of `rtl/admission`.

use forebay_buffer::onchip::{
    AbmPipelineConfig, Admission, AdmissionPipeline as Model, AdmissionPipelineConfig,
    AdmissionScheme, DtPipelineConfig, Victim,
};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::arguments::{Whole, whole};
use crate::errors;

/// Whether the packet is accepted, and the queue of which the youngest packet goes first.
type Verdict = (bool, Option<u32>);

/// The parameters of a scheme that have been given, by name.
type Given = [(&'static str, Option<Whole<u32>>); 5];

/// Admission in hardware, cycle by cycle: by Dynamic Threshold, ABM or Pushout.
#[pyclass(module = "forebay")]
pub(crate) struct AdmissionPipeline {
    model: Model,
    scheme: &'static str,
}

/// The scheme of this name, with what is given of its parameters; what it does not have is refused.
fn scheme_of(name: &str, given: &Given) -> PyResult<(&'static str, AdmissionScheme)> {
    let (name, read): (&'static str, &[&str]) = match name {
        "dt" => ("dt", &["alpha_log2"]),
        "abm" => {
            ("abm", &["alpha_log2", "classes_log2", "congested", "interval_log2", "port_cells"])
        }
        "pushout" => ("pushout", &[]),
        other => {
            return Err(errors::shape(format_args!(
                "there is no scheme `{other}`; give `dt`, `abm` or `pushout`"
            )));
        }
    };
    if let Some((unread, _)) =
        given.iter().find(|(key, value)| value.is_some() && !read.contains(key))
    {
        return Err(errors::shape(format_args!(
            "{unread}: the scheme `{name}` does not read it; leave it out"
        )));
    }
    let [alpha_log2, classes_log2, congested, interval_log2, port_cells] =
        given.each_ref().map(|(_, value)| value.map(|number| number.0));
    let scheme = match name {
        "dt" => {
            let default = DtPipelineConfig::default();
            AdmissionScheme::Dt(DtPipelineConfig {
                alpha_log2: alpha_log2.unwrap_or(default.alpha_log2),
            })
        }
        "abm" => {
            let default = AbmPipelineConfig::default();
            AdmissionScheme::Abm(AbmPipelineConfig {
                alpha_log2: alpha_log2.unwrap_or(default.alpha_log2),
                classes_log2: classes_log2.unwrap_or(default.classes_log2),
                congested: congested.unwrap_or(default.congested),
                interval_log2: interval_log2.unwrap_or(default.interval_log2),
                port_cells: port_cells.unwrap_or(default.port_cells),
            })
        }
        _ => AdmissionScheme::Pushout,
    };
    Ok((name, scheme))
}

#[pymethods]
impl AdmissionPipeline {
    /// Of an empty buffer, under the scheme `dt`, `abm` or `pushout`; the parameters are the
    /// core's, powers of two by their logarithms.
    #[new]
    #[pyo3(signature = (
        scheme,
        *,
        queues: "SupportsIndex" = 64,
        cells: "SupportsIndex" = 2050,
        largest: "SupportsIndex" = 8,
        alpha_log2: "SupportsIndex | None" = None,
        classes_log2: "SupportsIndex | None" = None,
        congested: "SupportsIndex | None" = None,
        interval_log2: "SupportsIndex | None" = None,
        port_cells: "SupportsIndex | None" = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        scheme: &str,
        #[pyo3(from_py_with = whole)] queues: u32,
        #[pyo3(from_py_with = whole)] cells: u32,
        #[pyo3(from_py_with = whole)] largest: u32,
        alpha_log2: Option<Whole<u32>>,
        classes_log2: Option<Whole<u32>>,
        congested: Option<Whole<u32>>,
        interval_log2: Option<Whole<u32>>,
        port_cells: Option<Whole<u32>>,
    ) -> PyResult<Self> {
        let given = [
            ("alpha_log2", alpha_log2),
            ("classes_log2", classes_log2),
            ("congested", congested),
            ("interval_log2", interval_log2),
            ("port_cells", port_cells),
        ];
        let (scheme, parameters) = scheme_of(scheme, &given)?;
        let config = AdmissionPipelineConfig { queues, cells, largest };
        let model = Model::new(&config, &parameters).map_err(errors::shape)?;
        Ok(AdmissionPipeline { model, scheme })
    }

    /// One cycle: a packet of so many cells that arrives for a queue, and one that has left.
    ///
    /// Returns what becomes of the packet that arrived `latency` cycles before (None if none did):
    /// whether it is accepted, and the queue whose youngest packet is to be pushed out for it.
    #[pyo3(signature = (
        arrival: "tuple[SupportsIndex, SupportsIndex] | None" = None,
        gone: "tuple[SupportsIndex, SupportsIndex] | None" = None
    ))]
    fn cycle(
        &mut self,
        arrival: Option<(Whole<u32>, Whole<u32>)>,
        gone: Option<(Whole<u32>, Whole<u32>)>,
    ) -> PyResult<Option<Verdict>> {
        let plain = |packet: Option<(Whole<u32>, Whole<u32>)>| {
            packet.map(|(queue, cells)| (queue.0, cells.0))
        };
        let shown = self.model.cycle(plain(arrival), plain(gone));
        let shown = shown.map_err(|misuse| PyValueError::new_err(misuse.to_string()))?;
        Ok(shown.map(|verdict| match verdict {
            Admission::Accept => (true, None),
            Admission::Drop => (false, None),
            Admission::PushOut(
                Victim::Head(victim) | Victim::Tail(victim) | Victim::Packet(victim),
            ) => (false, Some(victim)),
        }))
    }

    /// The cells of a queue.
    fn length(&self, queue: Whole<u32>) -> PyResult<u32> {
        let length = self.model.length(queue.0);
        length.ok_or_else(|| PyIndexError::new_err(format!("there is no queue {}", queue.0)))
    }

    /// Cycles from an arrival to its verdict.
    #[getter]
    fn latency(&self) -> u32 {
        self.model.latency()
    }

    /// Free cells.
    #[getter]
    fn free(&self) -> u32 {
        self.model.free()
    }

    fn __repr__(&self) -> String {
        format!("<AdmissionPipeline {}: {} cells free>", self.scheme, self.model.free())
    }
}
