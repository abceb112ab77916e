//! A line per packet, as CSV: which packet, where to, what became of it. Lines come in the order in
//! which fates are decided; the frame number names the packet in the capture.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::drive::{Fate, Witness};
use crate::error::ReplayError;
use crate::output::Output;
use crate::plan::Offered;

const HEAD: &str = "frame,port,flow,bytes,rank,class,arrived_ns,fate,begin_ns,end_ns,marked";

/// A table that is being written to `W`.
#[derive(Debug)]
pub struct PacketTable<W>(Output<W>);

impl PacketTable<BufWriter<File>> {
    /// A new file at `path`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(path: &Path) -> Result<Self, ReplayError> {
        Output::create(path).map(PacketTable::begun)
    }
}

impl<W: Write> PacketTable<W> {
    /// A table without lines; `name` stands for it in messages.
    pub fn new(out: W, name: String) -> Self {
        PacketTable::begun(Output::new(out, name))
    }

    fn begun(mut file: Output<W>) -> Self {
        file.write(|out| writeln!(out, "{HEAD}"));
        PacketTable(file)
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// The first thing that could not be written; nothing was written after it.
    pub fn finish(&mut self) -> Result<(), ReplayError> {
        self.0.finish()
    }
}

impl<W: Write> Witness for PacketTable<W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        self.0.write(|out| line(out, packet, fate));
    }
}

fn line(out: &mut impl Write, packet: &Offered<'_>, fate: &Fate) -> io::Result<()> {
    let recorded = packet.recorded;
    write!(out, "{},", recorded.frame)?;
    if let Some(port) = packet.port {
        write!(out, "{port}")?;
    }
    write!(out, ",{},{},", recorded.flow, recorded.bytes)?;
    if let Some(rank) = packet.rank {
        write!(out, "{}", rank.get())?;
    }
    write!(out, ",{},{},", packet.class, Nanoseconds(packet.at.as_ps()))?;
    match fate {
        Fate::Sent { begin, end, marked } => {
            let [begin, end] = [begin, end].map(|at| Nanoseconds(at.as_ps()));
            writeln!(out, "sent,{begin},{end},{}", u8::from(*marked))
        }
        Fate::Lost { at, cause } => writeln!(out, "{cause},,{},", Nanoseconds(at.as_ps())),
    }
}

/// Picoseconds, shown as nanoseconds with three decimals, exactly.
struct Nanoseconds(u64);

impl std::fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}
