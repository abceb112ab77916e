//! What is asked of a pseudo channel and what comes back.

use core::fmt;

use forebay_parameters::Word;
use forebay_units::{Bytes, Time};

use crate::Geometry;

/// Which way data moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the memory.
    Read,
    /// To the memory.
    Write,
}

impl Word for Direction {
    const WORDS: &'static [(&'static str, Self)] =
        &[("read", Direction::Read), ("write", Direction::Write)];
}

/// A bank within a pseudo channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BankAddress {
    /// The bank group, from 0; columns of one group move at half rate.
    pub group: u8,
    /// The bank within its group.
    pub bank: u8,
}

/// Consecutive columns of one row of one bank, moved one way.
///
/// Requests carry no data, so a controller may reorder two of them freely; a caller whose read
/// depends on a write submits the read after the write completed (a packet buffer does so by
/// nature).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The caller's name for it, handed back on completion.
    pub id: u64,
    /// Read or write.
    pub direction: Direction,
    /// The bank that holds the row.
    pub bank: BankAddress,
    /// The row in the bank.
    pub row: u32,
    /// The first column access (of 32 B) in the row.
    pub column: u16,
    /// How many column accesses: at least one, and all within the row.
    pub columns: u16,
    /// The bytes among those moved that the caller wanted, for statistics; the rest is padding.
    pub useful: Bytes,
}

impl Request {
    /// A request from column 0 whose every byte is useful: `access` bytes a column (for a striped
    /// device, the stripe). Change the fields for anything else.
    #[must_use]
    pub fn new(
        id: u64,
        direction: Direction,
        bank: BankAddress,
        row: u32,
        columns: u16,
        access: Bytes,
    ) -> Self {
        let useful = access * u64::from(columns);
        Request { id, direction, bank, row, column: 0, columns, useful }
    }

    /// Whether the request addresses columns that exist. O(1).
    ///
    /// # Errors
    /// [`SubmitError::OutsideGeometry`] naming the field.
    pub fn check(&self, geometry: &Geometry) -> Result<(), SubmitError> {
        self.check_within(geometry, geometry.columns())
    }

    /// As [`Request::check`], with the columns of a row known.
    #[inline]
    pub(crate) fn check_within(
        &self,
        geometry: &Geometry,
        columns: u64,
    ) -> Result<(), SubmitError> {
        let outside = |field| Err(SubmitError::OutsideGeometry { id: self.id, field });
        if self.bank.group >= geometry.bank_groups {
            return outside("bank.group");
        }
        if self.bank.bank >= geometry.banks_per_group {
            return outside("bank.bank");
        }
        if self.row >= geometry.rows {
            return outside("row");
        }
        if self.columns == 0 || u64::from(self.column) + u64::from(self.columns) > columns {
            return outside("columns");
        }
        Ok(())
    }
}

/// A request whose last data has passed the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request's id.
    pub id: u64,
    /// Whether it was read or written.
    pub direction: Direction,
    /// When its last data left (read) or entered (write) the bus.
    pub at: Time,
}

/// Why a request was not taken. The memory is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitError {
    /// The pseudo channel holds as many requests as its queue depth; submit again after a
    /// completion.
    QueueFull {
        /// The id of the request that was not taken.
        id: u64,
    },
    /// The request names a place that the geometry does not have, or no column at all.
    OutsideGeometry {
        /// The id of the request that was not taken.
        id: u64,
        /// The offending field of [`Request`].
        field: &'static str,
    },
    /// The device has no such pseudo channel.
    NoSuchChannel {
        /// The id of the request that was not taken.
        id: u64,
        /// The channel asked for.
        channel: usize,
    },
}

impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmitError::QueueFull { id } => {
                write!(
                    f,
                    "request {id}: the command queue is full; submit again after a completion"
                )
            }
            SubmitError::OutsideGeometry { id, field } => {
                write!(f, "request {id}: `{field}` is outside the memory's geometry; correct it")
            }
            SubmitError::NoSuchChannel { id, channel } => {
                write!(f, "request {id}: there is no pseudo channel {channel}; correct the number")
            }
        }
    }
}

impl core::error::Error for SubmitError {}
