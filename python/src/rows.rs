//! Columns of one table, as the batches of the engine's classes take them: some required, some
//! optional, all of one length, each within its bounds. What is wrong is said before anything is
//! done.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::Column;
use crate::detached;

/// A table's columns as they were given; the first is always there.
pub(crate) struct Columns<'py, const N: usize> {
    names: [&'static str; N],
    columns: [Option<Column<'py>>; N],
}

impl<'py, const N: usize> Columns<'py, N> {
    /// Reads what was given.
    pub(crate) fn read(
        names: [&'static str; N],
        given: [Option<&Bound<'py, PyAny>>; N],
    ) -> PyResult<Self> {
        let mut columns = [const { None }; N];
        for ((place, value), name) in columns.iter_mut().zip(given).zip(names) {
            *place = value.map(|value| Column::read(value, name)).transpose()?;
        }
        Ok(Columns { names, columns })
    }

    /// The rows, if all columns have one length.
    pub(crate) fn rows(&self) -> PyResult<Rows<'_, N>> {
        let mut slices = [None; N];
        for (slice, column) in slices.iter_mut().zip(&self.columns) {
            *slice = column.as_ref().map(Column::as_slice).transpose()?;
        }
        let (mut names, mut given) = (Vec::new(), Vec::new());
        for (name, slice) in self.names.iter().zip(slices) {
            if let Some(slice) = slice {
                names.push(*name);
                given.push(slice);
            }
        }
        let len = same_length(&names, &given)?;
        Ok(Rows { names: self.names, slices, len })
    }
}

/// The rows of a table.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, const N: usize> {
    names: [&'static str; N],
    slices: [Option<&'a [u64]>; N],
    len: usize,
}

impl<const N: usize> Rows<'_, N> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether this column was given.
    pub(crate) fn has(&self, column: usize) -> bool {
        self.slices[column].is_some()
    }

    /// The number in a column, `other` where it was not given.
    #[inline]
    pub(crate) fn at(&self, column: usize, row: usize, other: u64) -> u64 {
        self.slices[column].map_or(other, |numbers| numbers[row])
    }

    /// Checks that no number of a column is above `most`, which is `why`, as "there are 4 ports".
    pub(crate) fn at_most(
        &self,
        py: Python<'_>,
        column: usize,
        most: u64,
        why: &str,
    ) -> PyResult<()> {
        let Some(numbers) = self.slices[column] else { return Ok(()) };
        detached::in_pieces(py, numbers.len(), |piece| {
            match piece.clone().find(|row| numbers[*row] > most) {
                Some(row) => Err(row),
                None => Ok(()),
            }
        })?
        .map_err(|row| {
            let (name, number) = (self.names[column], numbers[row]);
            PyValueError::new_err(format!("{name}: element {row} is {number}; {why}"))
        })
    }

    /// Checks that the numbers of a column fit into `bits` bits.
    pub(crate) fn within(&self, py: Python<'_>, column: usize, bits: u32) -> PyResult<()> {
        let most = u64::MAX >> 64_u32.saturating_sub(bits);
        self.at_most(py, column, most, &format!("at most 2^{bits} - 1"))
    }

    /// Checks that the rows have numbers of their own in 32 bits.
    pub(crate) fn numbered(&self) -> PyResult<()> {
        if self.len > u32::MAX as usize {
            let (name, len) = (self.names[0], self.len);
            let text = format!("{name} has {len} elements; at most 2^32 - 1 in one call");
            return Err(PyValueError::new_err(text));
        }
        Ok(())
    }

    /// Checks that the times of the first column do not go back.
    pub(crate) fn sorted(&self, py: Python<'_>) -> PyResult<()> {
        let Some(times) = self.slices[0] else { return Ok(()) };
        detached::in_pieces(py, times.len(), |piece| {
            match piece.clone().find(|row| *row > 0 && times[*row] < times[row - 1]) {
                Some(row) => Err(row),
                None => Ok(()),
            }
        })?
        .map_err(|row| {
            PyValueError::new_err(format!(
                "{}: element {row} is {}, before the one ahead of it; sort by time",
                self.names[0], times[row]
            ))
        })
    }
}

/// The length that all columns have.
pub(crate) fn same_length<N: AsRef<str>>(names: &[N], columns: &[&[u64]]) -> PyResult<usize> {
    let rows = columns.first().map_or(0, |column| column.len());
    for (name, column) in names.iter().zip(columns) {
        if column.len() != rows {
            let (first, name) = (names.first().map_or("", |name| name.as_ref()), name.as_ref());
            return Err(PyValueError::new_err(format!(
                "{first} has {rows} elements and {name} {}; they must have as many",
                column.len()
            )));
        }
    }
    Ok(rows)
}
