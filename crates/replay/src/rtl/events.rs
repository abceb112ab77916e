//! What goes to the model and what comes back: `rtl/common/replay_driver.h` and
//! `rtl/tm/replay/replay.cpp` say how.

use std::io::{self, ErrorKind, Read, Write};

/// A packet as the core gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// Its place among the packets of the capture.
    pub(super) index: u32,
    /// The cycle before which it does not come.
    pub(super) earliest: u64,
    pub(super) bytes: u32,
    /// Its rank, job size or weight.
    pub(super) field: u32,
    pub(super) port: u16,
    pub(super) class: u8,
    pub(super) source: u8,
    pub(super) flow: u32,
}

impl Packet {
    /// Its bytes: not those of the capture, which may have been cut, but some that no other packet
    /// has.
    pub(super) fn data(&self) -> Vec<u8> {
        let mut state = u64::from(self.index).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut data = Vec::with_capacity(self.bytes as usize + 8);
        while data.len() < self.bytes as usize {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            data.extend(state.to_le_bytes());
        }
        data.truncate(self.bytes as usize);
        data
    }

    /// Writes it as the model reads it.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.earliest.to_le_bytes())?;
        out.write_all(&self.bytes.to_le_bytes())?;
        out.write_all(&self.field.to_le_bytes())?;
        out.write_all(&self.port.to_le_bytes())?;
        out.write_all(&[self.class, self.source])?;
        out.write_all(&self.data())
    }
}

/// What the core says of a packet that asks for buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Admitted,
    Threshold,
    Full,
}

impl Verdict {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Verdict::Admitted => "let in",
            Verdict::Threshold => "dropped, beyond its threshold",
            Verdict::Full => "dropped, the memory is full",
        }
    }
}

/// Something that happens in the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A packet was malformed.
    Malformed,
    Verdict {
        verdict: Verdict,
        queue: u16,
        bytes: u32,
    },
    /// A packet is in its queue.
    Linked {
        queue: u16,
    },
    /// A port asks whose turn it is.
    Request {
        port: u16,
    },
    /// A packet leaves the buffer.
    Left {
        expelled: bool,
        queue: u16,
        bytes: u32,
    },
    /// The queue whose turn it was is empty.
    None {
        queue: u16,
    },
    /// A packet's last beat is out.
    Out {
        port: u16,
        class: u8,
        source: u8,
        data: Vec<u8>,
    },
    /// Free cells, after what happened in this cycle.
    Cells {
        free: u32,
    },
    /// A counter, at the end.
    Counter {
        port: u16,
        number: u16,
        packets: u32,
        bytes: u64,
    },
    /// A register of the whole core, at the end.
    Register {
        register: Register,
        value: u32,
    },
    /// Everything has been told.
    End,
}

/// What of the whole core is read at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// How many packets were malformed.
    Malformed,
    /// How many cells are free.
    Free,
}

impl Register {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Register::Malformed => "malformed packets",
            Register::Free => "free cells",
        }
    }
}

/// An event and its cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) cycle: u64,
    pub(super) event: Event,
}

/// An event as the model writes it.
pub(super) struct Record {
    /// The cycle, or the bytes of a counter.
    pub(super) wide: u64,
    pub(super) kind: u8,
    pub(super) small: u8,
    pub(super) queue: u16,
    pub(super) value: u32,
}

/// The next record; `None` where they end.
pub(super) fn record(from: &mut impl Read) -> io::Result<Option<Record>> {
    let mut record = [0; 16];
    let (first, others) = record.split_at_mut(1);
    match from.read_exact(first) {
        Ok(()) => whole(from, others)?,
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let [c0, c1, c2, c3, c4, c5, c6, c7, kind, small, q0, q1, v0, v1, v2, v3] = record;
    let wide = u64::from_le_bytes([c0, c1, c2, c3, c4, c5, c6, c7]);
    let (queue, value) = (u16::from_le_bytes([q0, q1]), u32::from_le_bytes([v0, v1, v2, v3]));
    Ok(Some(Record { wide, kind, small, queue, value }))
}

/// The next event; `None` where they end.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Told>> {
    let Some(Record { wide, kind, small, queue, value }) = record(from)? else { return Ok(None) };
    let port = u16::from(small);
    let event = match kind {
        0 => Event::Malformed,
        1 => {
            let verdict = match small {
                0 => Verdict::Admitted,
                1 => Verdict::Threshold,
                2 => Verdict::Full,
                _ => return Err(unknown("verdict", small)),
            };
            Event::Verdict { verdict, queue, bytes: value }
        }
        2 => Event::Linked { queue },
        3 => Event::Request { port },
        4 => Event::Left { expelled: small != 0, queue, bytes: value },
        5 => Event::None { queue },
        6 => {
            let mut data = vec![0; value as usize];
            whole(from, &mut data)?;
            let [class, source] = queue.to_le_bytes();
            Event::Out { port, class, source, data }
        }
        7 => Event::Cells { free: value },
        8 => Event::Counter { port, number: queue, packets: value, bytes: wide },
        9 => Event::End,
        10 => {
            let register = match small {
                0 => Register::Malformed,
                1 => Register::Free,
                _ => return Err(unknown("register", small)),
            };
            Event::Register { register, value }
        }
        _ => return Err(unknown("event", kind)),
    };
    Ok(Some(Told { cycle: wide, event }))
}

/// Reads what must be there.
pub(super) fn whole(from: &mut impl Read, into: &mut [u8]) -> io::Result<()> {
    from.read_exact(into).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => {
            io::Error::new(ErrorKind::UnexpectedEof, "it ended amid an event")
        }
        _ => error,
    })
}

pub(super) fn unknown(what: &str, number: u8) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("there is no {what} {number}"))
}
