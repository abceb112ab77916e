//! The commands of a pseudo channel, as a trace records them.

use core::fmt;

use crate::Direction;

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Opens a row.
    Activate {
        /// The row that is opened.
        row: u32,
    },
    /// Closes the bank's row.
    Precharge,
    /// Moves one column access; with `auto_precharge` the bank closes itself as soon as it may.
    Column {
        /// Read or write.
        direction: Direction,
        /// The open row that is meant.
        row: u32,
        /// The column access in the row.
        column: u16,
        /// Whether the bank then closes itself.
        auto_precharge: bool,
    },
    /// Refreshes all banks; the bank number is 0 and means nothing.
    RefreshAll,
    /// Refreshes this bank.
    RefreshBank,
}

/// A command and when it was on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Clocks (tCK) since time zero.
    pub tick: u64,
    /// The bank: group times banks per group, plus the bank in its group.
    pub bank: usize,
    /// What it does.
    pub kind: CommandKind,
}

/// "activation of row 5 in bank 3 at clock 100".
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Command { tick, bank, kind } = self;
        match kind {
            CommandKind::Activate { row } => write!(f, "activation of row {row} in bank {bank}"),
            CommandKind::Precharge => write!(f, "precharge of bank {bank}"),
            CommandKind::Column { direction, row, column, auto_precharge } => {
                let what = match direction {
                    Direction::Read => "read",
                    Direction::Write => "write",
                };
                let closes = if *auto_precharge { " with auto-precharge" } else { "" };
                write!(f, "{what} of row {row}, column {column}{closes} in bank {bank}")
            }
            CommandKind::RefreshAll => f.write_str("refresh of all banks"),
            CommandKind::RefreshBank => write!(f, "refresh of bank {bank}"),
        }?;
        write!(f, " at clock {tick}")
    }
}
