//! What comes back from the model: `rtl/tm_hybrid/replay/replay.cpp` says how.

use std::io::{self, Read};

use forebay_buffer::ThemisOperation;

use crate::rtl::events::{record, unknown, whole};

/// What the core says of a packet that asks for buffer, `tm_hybrid_pkg::verdict_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Near,
    Far,
    Staging,
    Full,
}

impl Verdict {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Verdict::Near => "let in, near",
            Verdict::Far => "let in, far",
            Verdict::Staging => "dropped, the staging buffer is full",
            Verdict::Full => "dropped, the queue is full",
        }
    }
}

/// How a packet leaves the queue, `tm_hybrid_pkg::leave_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    SentNear,
    SentFar,
    Dropped,
}

impl Leaving {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Leaving::SentNear => "sent from SRAM",
            Leaving::SentFar => "sent from HBM",
            Leaving::Dropped => "dropped",
        }
    }
}

/// What the queue answers: the operation, whether it found or stored an element, whether that is
/// far, and its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) operation: ThemisOperation,
    pub(super) done: bool,
    pub(super) is_far: bool,
    pub(super) rank: u32,
}

/// What the manager is asked in a cycle, and what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cycle {
    /// The rank that arrives.
    pub(super) arrival: Option<u16>,
    pub(super) departs: bool,
    pub(super) takes_batch: bool,
    pub(super) takes_swap_in: bool,
    pub(super) arrived: bool,
    pub(super) lost: bool,
    pub(super) departure_taken: bool,
    pub(super) answer: Option<Answer>,
}

/// What is read of the core's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Packets in each tier, before this cycle.
    Near,
    Far,
    /// The same and what is free, when nothing is under way.
    NearAtRest,
    FarAtRest,
    FreeCells,
    FreeRegions,
    /// At the end: bursts to the HBM that found their row open, and that did not.
    RowHits,
    RowMisses,
}

const LEVELS: [Level; 8] = [
    Level::Near,
    Level::Far,
    Level::NearAtRest,
    Level::FarAtRest,
    Level::FreeCells,
    Level::FreeRegions,
    Level::RowHits,
    Level::RowMisses,
];

/// What is read at the end, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    Malformed,
    Near,
    Far,
    FreeCells,
    FreeRegions,
    SwappedOut,
    SwappedIn,
    Writes,
    Reads,
    Errors,
}

pub(super) const REGISTERS: [Register; 10] = [
    Register::Malformed,
    Register::Near,
    Register::Far,
    Register::FreeCells,
    Register::FreeRegions,
    Register::SwappedOut,
    Register::SwappedIn,
    Register::Writes,
    Register::Reads,
    Register::Errors,
];

impl Register {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Register::Malformed => "malformed packets",
            Register::Near => "packets near",
            Register::Far => "packets far",
            Register::FreeCells => "free cells",
            Register::FreeRegions => "free regions",
            Register::SwappedOut => "packets swapped out",
            Register::SwappedIn => "packets swapped in",
            Register::Writes => "packets written to the HBM",
            Register::Reads => "packets read from the HBM",
            Register::Errors => "errors of the HBM",
        }
    }
}

/// Something that happens in the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A cycle; what else happens in it follows.
    Cycle(Cycle),
    /// A packet was malformed.
    Malformed,
    Verdict {
        verdict: Verdict,
        port: u16,
        bytes: u32,
    },
    /// A packet leaves the queue.
    Left {
        leaving: Leaving,
        port: u16,
        bytes: u32,
    },
    /// A packet's last beat is out.
    Out {
        port: u16,
        source: u8,
        data: Vec<u8>,
    },
    Level {
        level: Level,
        value: u32,
    },
    /// A counter, at the end.
    Counter {
        port: u16,
        number: u16,
        packets: u32,
        bytes: u64,
    },
    Register {
        register: Register,
        value: u32,
    },
    /// Everything has been told.
    End,
}

/// An event and its cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) cycle: u64,
    pub(super) event: Event,
}

/// The next event; `None` where they end.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Told>> {
    let Some(record) = record(from)? else { return Ok(None) };
    let (small, queue, value) = (record.small, record.queue, record.value);
    let event = match record.kind {
        0 => Event::Malformed,
        1 => {
            let verdict = match small {
                0 => Verdict::Near,
                1 => Verdict::Far,
                2 => Verdict::Staging,
                3 => Verdict::Full,
                _ => return Err(unknown("verdict", small)),
            };
            Event::Verdict { verdict, port: queue, bytes: value }
        }
        4 => {
            let leaving = match small {
                0 => Leaving::SentNear,
                1 => Leaving::SentFar,
                2 => Leaving::Dropped,
                _ => return Err(unknown("way to leave", small)),
            };
            Event::Left { leaving, port: queue, bytes: value }
        }
        6 => {
            let mut data = vec![0; value as usize];
            whole(from, &mut data)?;
            Event::Out { port: small.into(), source: (queue >> 8) as u8, data }
        }
        8 => {
            Event::Counter { port: small.into(), number: queue, packets: value, bytes: record.wide }
        }
        9 => Event::End,
        10 => match REGISTERS.get(usize::from(small)) {
            Some(register) => Event::Register { register: *register, value },
            None => return Err(unknown("register", small)),
        },
        11 => Event::Cycle(cycle(small, queue, value)?),
        12 => match LEVELS.get(usize::from(small)) {
            Some(level) => Event::Level { level: *level, value },
            None => return Err(unknown("level", small)),
        },
        kind => return Err(unknown("event", kind)),
    };
    Ok(Some(Told { cycle: record.wide, event }))
}

fn cycle(bits: u8, rank: u16, answer: u32) -> io::Result<Cycle> {
    let bit = |at: u8| bits >> at & 1 != 0;
    let answer = match bit(7) {
        true => Some(Answer {
            operation: match answer & 7 {
                0 => ThemisOperation::Enqueue,
                1 => ThemisOperation::EnqueueNear,
                2 => ThemisOperation::EnqueueFar,
                4 => ThemisOperation::Dequeue,
                5 => ThemisOperation::DropLargest,
                6 => ThemisOperation::SwapOut,
                7 => ThemisOperation::SwapIn,
                _ => return Err(unknown("operation", 3)),
            },
            done: answer >> 3 & 3 == 0,
            is_far: answer >> 5 & 1 != 0,
            rank: answer >> 8,
        }),
        false => None,
    };
    Ok(Cycle {
        arrival: bit(0).then_some(rank),
        departs: bit(1),
        takes_batch: bit(2),
        takes_swap_in: bit(3),
        arrived: bit(4),
        lost: bit(5),
        departure_taken: bit(6),
        answer,
    })
}
