//! Verifies a command trace of one pseudo channel by brute force.
//!
//! Independent of the controller on purpose: it keeps no timers, but compares every command with
//! every earlier one by the distance that JEDEC's tables (with the values of [`Timing`]) ask
//! between the two, O(n · w) for n commands of which w lie within the longest distance. It also
//! replays which rows are open, so that a column in a closed or other row, a second activation, or
//! a refresh of an open bank is found.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::{Command, CommandKind, Direction, HbmConfig, Timing};

/// A command that came too early, or that the bank's state forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Two commands closer than a parameter allows.
    TooClose {
        /// The timing parameter, as the datasheet names it.
        parameter: &'static str,
        /// The clocks it asks.
        clocks: u64,
        /// The command from which the gap is counted.
        earlier: Command,
        /// The command that came too soon.
        later: Command,
    },
    /// A command that makes no sense in the state its bank is in.
    State {
        /// What is wrong.
        reason: &'static str,
        /// The command that is not allowed.
        command: Command,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::TooClose { parameter, clocks, earlier, later } => {
                write!(
                    f,
                    "{parameter} requires {clocks} clocks, but {later} follows {earlier} sooner"
                )
            }
            Violation::State { reason, command } => write!(f, "{reason}: {command}"),
        }
    }
}

impl core::error::Error for Violation {}

/// Checks a trace from time zero, in time order, against every constraint of `hbm`.
///
/// # Errors
/// The first [`Violation`].
pub fn check_commands(hbm: &HbmConfig, trace: &[Command]) -> Result<(), Violation> {
    let commands = with_auto_precharges(hbm, trace);
    check_states(hbm, &commands)?;
    check_distances(hbm, &commands)
}

/// Turns each auto-precharge into a precharge of its own at the earliest clock that its bank's last
/// activation and columns allow; the flag marks it as using no row bus.
fn with_auto_precharges(hbm: &HbmConfig, trace: &[Command]) -> Vec<(Command, bool)> {
    let t = &hbm.timing;
    let mut commands: Vec<(Command, bool)> = trace.iter().map(|&c| (c, false)).collect();
    for (index, command) in trace.iter().enumerate() {
        if !matches!(command.kind, CommandKind::Column { auto_precharge: true, .. }) {
            continue;
        }
        let mut tick = command.tick;
        for earlier in trace[..=index].iter().rev().filter(|c| c.bank == command.bank) {
            let before = match earlier.kind {
                CommandKind::Activate { .. } => t.t_ras,
                CommandKind::Column { direction: Direction::Read, .. } => t.t_rtp,
                CommandKind::Column { direction: Direction::Write, .. } => t.cwl + t.burst + t.t_wr,
                CommandKind::Precharge | CommandKind::RefreshAll | CommandKind::RefreshBank => {
                    break;
                }
            };
            tick = tick.max(earlier.tick + u64::from(before));
            if matches!(earlier.kind, CommandKind::Activate { .. }) {
                break;
            }
        }
        commands.push((Command { tick, bank: command.bank, kind: CommandKind::Precharge }, true));
    }
    commands.sort_by_key(|(command, _)| command.tick);
    commands
}

fn check_states(hbm: &HbmConfig, commands: &[(Command, bool)]) -> Result<(), Violation> {
    let mut open: Vec<Option<u32>> = vec![None; hbm.geometry.banks()];
    for &(command, _) in commands {
        let wrong = |reason| Err(Violation::State { reason, command });
        let Some(bank) = open.get_mut(command.bank) else {
            return wrong("there is no such bank");
        };
        match command.kind {
            CommandKind::Activate { row } => {
                if bank.is_some() {
                    return wrong("the bank has a row open already");
                }
                if row >= hbm.geometry.rows {
                    return wrong("there is no such row");
                }
                *bank = Some(row);
            }
            CommandKind::Precharge => *bank = None,
            CommandKind::Column { row, column, .. } => {
                if *bank != Some(row) {
                    return wrong("the row is not open");
                }
                if u64::from(column) >= hbm.geometry.columns() {
                    return wrong("there is no such column");
                }
            }
            CommandKind::RefreshAll => {
                if open.iter().any(Option::is_some) {
                    return wrong("a bank is open at an all-bank refresh");
                }
            }
            CommandKind::RefreshBank => {
                if bank.is_some() {
                    return wrong("the bank is open at its refresh");
                }
            }
        }
    }
    Ok(())
}

fn check_distances(hbm: &HbmConfig, commands: &[(Command, bool)]) -> Result<(), Violation> {
    let longest = longest_distance(&hbm.timing);
    for (index, &(later, later_busless)) in commands.iter().enumerate() {
        let mut activates = 0;
        for &(earlier, busless) in commands[..index].iter().rev() {
            let gap = later.tick - earlier.tick;
            if gap > longest {
                break;
            }
            let too_close = |parameter, clocks: u64| {
                Err(Violation::TooClose { parameter, clocks, earlier, later })
            };
            if !busless && !later_busless && gap == 0 && same_bus(earlier.kind, later.kind) {
                return too_close("the command bus", 1);
            }
            for (parameter, clocks) in distances(hbm, &earlier, &later).into_iter().flatten() {
                if gap < u64::from(clocks) {
                    return too_close(parameter, u64::from(clocks));
                }
            }
            let both_activate = matches!(
                (earlier.kind, later.kind),
                (CommandKind::Activate { .. }, CommandKind::Activate { .. })
            );
            activates += u32::from(both_activate);
            if both_activate && activates == 4 && gap < u64::from(hbm.timing.t_faw) {
                return too_close("tFAW", u64::from(hbm.timing.t_faw));
            }
        }
    }
    Ok(())
}

fn is_column(kind: CommandKind) -> bool {
    matches!(kind, CommandKind::Column { .. })
}

fn same_bus(earlier: CommandKind, later: CommandKind) -> bool {
    is_column(earlier) == is_column(later)
}

fn longest_distance(t: &Timing) -> u64 {
    let write_recovery = t.cwl + t.burst + t.t_wr;
    let all = [
        t.t_rc,
        t.t_ras,
        t.t_rp,
        t.t_rcd_rd,
        t.t_rcd_wr,
        t.t_rtp,
        write_recovery,
        t.t_ccd_l,
        t.t_rrd_l,
        t.t_faw,
        t.t_rtw,
        t.write_to_read_clocks(),
        t.t_rfc,
        t.t_rfc_sb,
        t.cl + t.burst,
    ];
    u64::from(all.into_iter().fold(0, u32::max))
}

type Distance = Option<(&'static str, u32)>;

/// The distances that two commands must keep, whatever happens between them.
fn distances(hbm: &HbmConfig, earlier: &Command, later: &Command) -> [Distance; 3] {
    use CommandKind::{Activate, Column, Precharge, RefreshAll, RefreshBank};
    let t = &hbm.timing;
    let per_group = usize::from(hbm.geometry.banks_per_group);
    let same_bank = earlier.bank == later.bank;
    let same_group = earlier.bank / per_group == later.bank / per_group;
    let if_same_bank = |name, clocks| same_bank.then_some((name, clocks));
    match (earlier.kind, later.kind) {
        (Activate { .. }, Activate { .. }) => [
            if_same_bank("tRC", t.t_rc),
            same_group.then_some(("tRRD_L", t.t_rrd_l)),
            Some(("tRRD_S", t.t_rrd_s)),
        ],
        (Activate { .. }, Precharge) => [if_same_bank("tRAS", t.t_ras), None, None],
        (Activate { .. }, Column { direction, .. }) => match direction {
            Direction::Read => [if_same_bank("tRCDRD", t.t_rcd_rd), None, None],
            Direction::Write => [if_same_bank("tRCDWR", t.t_rcd_wr), None, None],
        },
        (Activate { .. }, RefreshBank) => [if_same_bank("tRC", t.t_rc), None, None],
        (Activate { .. }, RefreshAll) => [Some(("tRC", t.t_rc)), None, None],
        (Precharge, Activate { .. } | RefreshBank) => [if_same_bank("tRP", t.t_rp), None, None],
        (Precharge, RefreshAll) => [Some(("tRP", t.t_rp)), None, None],
        (Column { direction: Direction::Read, .. }, Precharge) => {
            [if_same_bank("tRTP", t.t_rtp), None, None]
        }
        (Column { direction: Direction::Write, .. }, Precharge) => {
            [if_same_bank("tWR", t.cwl + t.burst + t.t_wr), None, None]
        }
        (Column { direction: first, .. }, Column { direction: second, .. }) => {
            let turnaround = match (first, second) {
                (Direction::Read, Direction::Write) => Some(("read to write", t.t_rtw)),
                (Direction::Write, Direction::Read) => {
                    Some(("write to read", t.write_to_read_clocks()))
                }
                (Direction::Read, Direction::Read) | (Direction::Write, Direction::Write) => {
                    Some(("tCCD_S", t.t_ccd_s))
                }
            };
            let latency = |direction| match direction {
                Direction::Read => t.cl,
                Direction::Write => t.cwl,
            };
            let bus = (latency(first) + t.burst).saturating_sub(latency(second));
            [turnaround, same_group.then_some(("tCCD_L", t.t_ccd_l)), Some(("the data bus", bus))]
        }
        (RefreshAll, Activate { .. } | RefreshAll | RefreshBank) => {
            [Some(("tRFC", t.t_rfc)), None, None]
        }
        (RefreshBank, Activate { .. } | RefreshBank) => {
            [if_same_bank("tRFCsb", t.t_rfc_sb), None, None]
        }
        (Precharge | RefreshAll | RefreshBank, Column { .. } | Precharge)
        | (Column { .. }, Activate { .. } | RefreshAll | RefreshBank)
        | (RefreshBank, RefreshAll) => [None, None, None],
    }
}
