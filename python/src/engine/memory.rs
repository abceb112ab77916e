//! `Hbm`: a stack of HBM2E whose pseudo channels work in lockstep, as hybrid buffers use it.

use forebay_mem::{
    BankAddress, Completion, ControllerConfig, Direction, HbmConfig, Request, StripedDevice,
};
use forebay_units::Time;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::rule::same_length;
use crate::arguments::Whole;
use crate::arrays::Column;
use crate::detached;
use crate::errors;

/// The memory model: requests in, completions out, bank by bank. `scheduling` is "fr-fcfs" or "in-order".
#[pyclass(module = "forebay")]
pub(crate) struct Hbm {
    controller: ControllerConfig,
    device: StripedDevice,
}

fn build(controller: &ControllerConfig) -> PyResult<StripedDevice> {
    StripedDevice::new(&HbmConfig::samsung_hbm2e(), controller).map_err(errors::shape)
}

fn completed(done: &Completion) -> (u64, u64) {
    (done.id, done.at.as_ps())
}

#[pymethods]
impl Hbm {
    #[new]
    #[pyo3(signature = (*, scheduling="fr-fcfs", lookahead=Whole(0)))]
    fn new(scheduling: &str, lookahead: Whole<usize>) -> PyResult<Self> {
        let controller = match scheduling {
            "fr-fcfs" => ControllerConfig::fr_fcfs(),
            "in-order" => ControllerConfig::in_order(lookahead.0),
            other => {
                return Err(PyValueError::new_err(format!(
                    "scheduling: \"{other}\" is neither \"fr-fcfs\" nor \"in-order\""
                )));
            }
        };
        let device = build(&controller)?;
        Ok(Hbm { controller, device })
    }

    /// Asks at `now` for `columns` stripes of a row, from `column` on.
    #[pyo3(signature = (now, id, row, columns, *, write=false, group=Whole(0), bank=Whole(0), column=Whole(0)))]
    #[expect(clippy::too_many_arguments, reason = "an address has so many parts")]
    fn submit(
        &mut self,
        now: Whole<u64>,
        id: Whole<u64>,
        row: Whole<u32>,
        columns: Whole<u16>,
        write: bool,
        group: Whole<u8>,
        bank: Whole<u8>,
        column: Whole<u16>,
    ) -> PyResult<()> {
        let direction = if write { Direction::Write } else { Direction::Read };
        let bank = BankAddress { group: group.0, bank: bank.0 };
        let stripe = self.device.geometry().stripe_bytes();
        let request = Request::new(id.0, direction, bank, row.0, columns.0, stripe);
        let request = Request { column: column.0, ..request };
        self.device.submit(Time::from_ps(now.0), request).map_err(errors::shape)
    }

    /// Lets time pass until `now`: the id and the time of every request that is done.
    fn advance(&mut self, now: Whole<u64>) -> Vec<(u64, u64)> {
        let mut done = Vec::new();
        self.device
            .advance(Time::from_ps(now.0), &mut |completion| done.push(completed(&completion)));
        done
    }

    /// When something inside is due next; None if nothing is.
    fn next_event(&self) -> Option<u64> {
        self.device.next_event().map(Time::as_ps)
    }

    /// Whether the controller's queue takes another request.
    fn has_room(&self) -> bool {
        self.device.has_room()
    }

    /// Runs requests as fast as the queue takes them in a memory of their own, from time 0: banks (bank +
    /// 4 group), rows and stripes of each, all reads or all writes. The time at which each is done.
    #[pyo3(signature = (banks, rows, columns, *, write=false))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        banks: &Bound<'py, PyAny>,
        rows: &Bound<'py, PyAny>,
        columns: &Bound<'py, PyAny>,
        write: bool,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let read = [
            Column::read(banks, "banks")?,
            Column::read(rows, "rows")?,
            Column::read(columns, "columns")?,
        ];
        let [banks, rows, columns] = [&read[0], &read[1], &read[2]].map(Column::as_slice);
        let (banks, rows, columns) = (banks?, rows?, columns?);
        let count = same_length(&["banks", "rows", "columns"], &[banks, rows, columns])?;
        let direction = if write { Direction::Write } else { Direction::Read };
        let mut device = build(&self.controller)?;
        let stripe = device.geometry().stripe_bytes();
        let mut requests = Vec::with_capacity(count);
        for index in 0..count {
            let part = |name: &str, number: u64, most: u64| {
                u32::try_from(number).ok().filter(|_| number <= most).ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "{name}: element {index} is {number}; at most {most}"
                    ))
                })
            };
            let bank = part("banks", banks[index], 255)?;
            let bank = BankAddress { group: (bank / 4) as u8, bank: (bank % 4) as u8 };
            let row = part("rows", rows[index], u32::MAX.into())?;
            let columns = part("columns", columns[index], u16::MAX.into())? as u16;
            requests.push(Request::new(index as u64, direction, bank, row, columns, stripe));
        }
        let done = detached::run(py, || all(&mut device, requests))?;
        Ok(PyArray1::from_vec(py, done.map_err(errors::shape)?))
    }
}

/// Submits each request as soon as there is room, and waits for all.
fn all(
    device: &mut StripedDevice,
    requests: Vec<Request>,
) -> Result<Vec<u64>, forebay_mem::SubmitError> {
    let mut done = vec![0; requests.len()];
    let mut note = |completion: Completion| {
        if let Some(at) = done.get_mut(completion.id as usize) {
            *at = completion.at.as_ps();
        }
    };
    let mut now = Time::ZERO;
    for request in requests {
        while !device.has_room() {
            let Some(next) = device.next_event() else { break };
            now = now.max(next);
            device.advance(now, &mut note);
        }
        device.submit(now, request)?;
    }
    while let Some(next) = device.next_event() {
        device.advance(next, &mut note);
    }
    Ok(done)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Hbm>()
}
