//! A batch of requests on its way through a memory of its own.

use forebay_mem::{BankAddress, Completion, Direction, Geometry, Request};
use forebay_units::{Bytes, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::device::Memory;
use crate::arrays::Column;
use crate::rows::Rows;
use crate::{detached, errors};

/// Checks that every request of a batch is in the memory, before any is made.
pub(super) fn check(
    py: Python<'_>,
    table: &Rows<'_, 5>,
    geometry: &Geometry,
    channels: usize,
) -> PyResult<()> {
    let (banks, rows, columns) =
        (geometry.banks() as u64, u64::from(geometry.rows), geometry.columns());
    let there_are = |what: &str, count: u64| format!("there are {count} {what}, numbered from 0");
    table.at_most(py, 0, banks.saturating_sub(1), &there_are("banks", banks))?;
    table.at_most(py, 1, rows.saturating_sub(1), &there_are("rows", rows))?;
    table.at_most(py, 2, columns, &format!("a row has {columns} columns"))?;
    table.at_most(py, 3, columns.saturating_sub(1), &there_are("columns", columns))?;
    let channels = channels as u64;
    table.at_most(py, 4, channels - 1, &there_are("channels", channels))?;
    detached::in_pieces(py, table.len(), |mut piece| {
        let wrong = |row: &usize| {
            let (first, count) = (table.at(3, *row, 0), table.at(2, *row, 0));
            count == 0 || first + count > columns
        };
        piece.find(wrong).map_or(Ok(()), Err)
    })?
    .map_err(|row| {
        let (first, count) = (table.at(3, row, 0), table.at(2, row, 0));
        PyValueError::new_err(format!(
            "columns: element {row} asks for {count} from column {first} on; a row has {columns}, \
             and at least one must move"
        ))
    })
}

pub(super) fn direction(write: bool) -> Direction {
    if write { Direction::Write } else { Direction::Read }
}

/// Which requests of a batch are writes.
pub(super) enum Writes {
    All(bool),
    Each(Vec<bool>),
}

impl Writes {
    pub(super) fn of(&self, row: usize) -> bool {
        match self {
            Writes::All(all) => *all,
            Writes::Each(flags) => flags.get(row).copied().unwrap_or_default(),
        }
    }
}

pub(super) fn writes(given: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Writes> {
    let Some(given) = given else { return Ok(Writes::All(false)) };
    if let Ok(all) = given.extract::<bool>() {
        return Ok(Writes::All(all));
    }
    let flags = Column::read_flags(given, "write")?;
    if flags.len() != rows {
        return Err(PyValueError::new_err(format!(
            "banks has {rows} elements and write {}; they must have as many",
            flags.len()
        )));
    }
    Ok(Writes::Each(flags))
}

/// The request of a row that was checked.
pub(super) fn request(
    table: &Rows<'_, 5>,
    row: usize,
    per_group: u64,
    direction: Direction,
    access: Bytes,
) -> Request {
    let bank = table.at(0, row, 0);
    let bank = BankAddress { group: (bank / per_group) as u8, bank: (bank % per_group) as u8 };
    let (address, columns) = (table.at(1, row, 0) as u32, table.at(2, row, 0) as u16);
    let request = Request::new(row as u64, direction, bank, address, columns, access);
    Request { column: table.at(3, row, 0) as u16, ..request }
}

/// A batch on its way through a memory of its own.
pub(super) struct Run {
    pub(super) memory: Memory,
    now: Time,
    pub(super) done: Vec<u64>,
}

impl Run {
    /// Of so many requests, none of which has been made.
    pub(super) fn new(memory: Memory, requests: usize) -> Self {
        Run { memory, now: Time::ZERO, done: vec![u64::MAX; requests] }
    }

    /// Submits a request as soon as there is room.
    pub(super) fn submit(&mut self, channel: usize, request: Request) -> PyResult<()> {
        while !self.memory.has_room(channel) && self.drain(1) {}
        self.memory.submit(self.now, channel, request).map_err(errors::shape)
    }

    /// Lets so many events happen; whether there may be more.
    pub(super) fn drain(&mut self, events: usize) -> bool {
        let done = &mut self.done;
        let mut note = |completion: Completion| {
            if let Some(at) = done.get_mut(completion.id as usize) {
                *at = completion.at.as_ps();
            }
        };
        for _ in 0..events {
            let Some(next) = self.memory.next_event() else { return false };
            self.now = self.now.max(next);
            self.memory.advance(self.now, &mut note);
        }
        true
    }
}
