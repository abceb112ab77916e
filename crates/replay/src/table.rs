//! A line per packet, as CSV: which packet, where to, what became of it. Lines come in the order in which
//! fates are decided; the frame number names the packet in the capture.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::drive::{Fate, Witness};
use crate::error::ReplayError;
use crate::plan::Offered;

const HEAD: &str = "frame,port,flow,bytes,rank,class,arrived_ns,fate,begin_ns,end_ns,marked";

/// A table that is being written to `W`.
#[derive(Debug)]
pub struct PacketTable<W> {
    out: W,
    name: String,
}

impl PacketTable<BufWriter<File>> {
    /// A new file at `path`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(path: &Path) -> Result<Self, ReplayError> {
        let name = path.display().to_string();
        match File::create(path) {
            Ok(file) => PacketTable::new(BufWriter::new(file), name),
            Err(error) => Err(ReplayError::Write { name, reason: error.to_string() }),
        }
    }
}

impl<W: Write> PacketTable<W> {
    /// A table without lines; `name` stands for it in messages.
    ///
    /// # Errors
    /// If its head cannot be written.
    pub fn new(mut out: W, name: String) -> Result<Self, ReplayError> {
        let head = writeln!(out, "{HEAD}");
        let table = PacketTable { out, name };
        table.unless(head).map(|()| table)
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// If that is not possible.
    pub fn finish(&mut self) -> Result<(), ReplayError> {
        let flushed = self.out.flush();
        self.unless(flushed)
    }

    fn unless(&self, written: io::Result<()>) -> Result<(), ReplayError> {
        let unwritten = |error: io::Error| ReplayError::Write {
            name: self.name.clone(),
            reason: error.to_string(),
        };
        written.map_err(unwritten)
    }

    fn line(&mut self, packet: &Offered<'_>, fate: &Fate) -> io::Result<()> {
        let recorded = packet.recorded;
        write!(self.out, "{},", recorded.frame)?;
        if let Some(port) = packet.port {
            write!(self.out, "{port}")?;
        }
        write!(self.out, ",{},{},", recorded.flow, recorded.bytes)?;
        if let Some(rank) = packet.rank {
            write!(self.out, "{rank}")?;
        }
        write!(self.out, ",{},{},", packet.class, Nanoseconds(packet.at.as_ps()))?;
        match fate {
            Fate::Sent { begin, end, marked } => {
                let [begin, end] = [begin, end].map(|at| Nanoseconds(at.as_ps()));
                writeln!(self.out, "sent,{begin},{end},{}", u8::from(*marked))
            }
            Fate::Lost { at, cause } => {
                writeln!(self.out, "{cause},,{},", Nanoseconds(at.as_ps()))
            }
        }
    }
}

impl<W: Write> Witness for PacketTable<W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) -> Result<(), ReplayError> {
        let written = self.line(packet, fate);
        self.unless(written)
    }
}

/// Picoseconds, shown as nanoseconds with three decimals, exactly.
struct Nanoseconds(u64);

impl std::fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}
