//! What left, as a capture: every packet that was sent, with its bytes from the recorded capture
//! and the time of its last bit. Format: pcapng (draft-ietf-opsawg-pcapng), an interface for each
//! port and link type that occurs, named "port N", nanoseconds.
//!
//! Packets are in the order of time: those that are still being sent, one a port, wait until they
//! have left. Their bytes are read again from the capture, so they are not kept in memory. An ECN
//! mark that the switch made is not written into them.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use forebay_units::Time;
use forebay_workload::RecordedPacket;

use crate::drive::{Fate, Witness};
use crate::error::ReplayError;
use crate::output::Output;
use crate::plan::{Offered, ReplayPlan};

/// A packet that is being sent, and through which port.
type Sending = (u16, RecordedPacket);

/// Block types.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// Option numbers of an interface.
const IF_NAME: u16 = 2;
const IF_TSRESOL: u16 = 9;

/// A capture of what left that is being written to `W`, from one that is read again from `R`.
#[derive(Debug)]
pub struct DepartureCapture<R, W> {
    capture: R,
    capture_name: String,
    out: Output<W>,
    first_ns: u64,
    /// Interfaces, by port and link type.
    interfaces: HashMap<(u16, u16), u32>,
    /// By when they have left, and their places among the packets.
    sending: BTreeMap<(Time, u32), Sending>,
    data: Vec<u8>,
    block: Vec<u8>,
}

impl DepartureCapture<File, BufWriter<File>> {
    /// A new file at `path`, with packets of the capture at `capture`.
    ///
    /// # Errors
    /// If the one cannot be read or the other not be made.
    pub fn create(path: &Path, capture: &Path, plan: &ReplayPlan<'_>) -> Result<Self, ReplayError> {
        let name = capture.display().to_string();
        match File::open(capture) {
            Ok(opened) => Ok(DepartureCapture::begun(opened, name, Output::create(path)?, plan)),
            Err(error) => Err(ReplayError::Reread { name, reason: error.to_string() }),
        }
    }
}

impl<R: Read + Seek, W: Write> DepartureCapture<R, W> {
    /// A capture without packets; the names stand for the files in messages.
    pub fn new(
        capture: R,
        capture_name: String,
        out: W,
        name: String,
        plan: &ReplayPlan<'_>,
    ) -> Self {
        DepartureCapture::begun(capture, capture_name, Output::new(out, name), plan)
    }

    fn begun(capture: R, capture_name: String, out: Output<W>, plan: &ReplayPlan<'_>) -> Self {
        let mut departures = DepartureCapture {
            capture,
            capture_name,
            out,
            first_ns: plan.first_ns(),
            interfaces: HashMap::new(),
            sending: BTreeMap::new(),
            data: Vec::new(),
            block: Vec::new(),
        };
        departures.write_section();
        departures
    }

    /// Writes what is still being sent and what is in memory.
    ///
    /// # Errors
    /// The first thing that could not be written or read; nothing was written after it.
    pub fn finish(&mut self) -> Result<(), ReplayError> {
        self.write_until(Time::MAX);
        self.out.finish()
    }

    fn write_section(&mut self) {
        self.block.clear();
        self.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        self.block.extend([1, 0, 0, 0]); // version 1.0
        self.block.extend((-1_i64).to_le_bytes()); // its length is not told
        self.write_block(SECTION);
    }

    /// The interface of this port and link type; described the first time.
    fn interface(&mut self, port: u16, link_type: u16) -> u32 {
        if let Some(known) = self.interfaces.get(&(port, link_type)) {
            return *known;
        }
        let number = self.interfaces.len() as u32;
        self.interfaces.insert((port, link_type), number);
        self.block.clear();
        self.block.extend(link_type.to_le_bytes());
        self.block.extend([0; 6]); // reserved, and no limit to what is kept of a packet
        let name = format!("port {port}");
        self.option(IF_NAME, name.as_bytes());
        self.option(IF_TSRESOL, &[9]);
        self.option(0, &[]);
        self.write_block(INTERFACE);
        number
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// Writes the body in `block` as a block of type `kind`.
    fn write_block(&mut self, kind: u32) {
        let length = (self.block.len() as u32 + 12).to_le_bytes();
        let block = &self.block;
        self.out.write(|out| {
            out.write_all(&kind.to_le_bytes())?;
            out.write_all(&length)?;
            out.write_all(block)?;
            out.write_all(&length)
        });
    }

    /// Writes what has left by `now`.
    fn write_until(&mut self, now: Time) {
        while let Some(first) = self.sending.first_entry().filter(|first| first.key().0 <= now) {
            let ((end, _), (port, packet)) = first.remove_entry();
            if let Err(error) = self.read(&packet) {
                let (name, reason) = (self.capture_name.clone(), error.to_string());
                self.out.fail(ReplayError::Reread { name, reason });
            }
            let at_ns = self.first_ns.saturating_add(end.as_ps() / 1000);
            self.write_packet(&packet, port, at_ns);
        }
    }

    /// Reads what the capture kept of a packet.
    fn read(&mut self, packet: &RecordedPacket) -> io::Result<()> {
        self.data.resize(packet.kept as usize, 0);
        self.capture.seek(SeekFrom::Start(packet.offset))?;
        self.capture.read_exact(&mut self.data)
    }

    fn write_packet(&mut self, packet: &RecordedPacket, port: u16, at_ns: u64) {
        let interface = self.interface(port, packet.link_type);
        self.block.clear();
        for word in [interface, (at_ns >> 32) as u32, at_ns as u32, packet.kept, packet.bytes] {
            self.block.extend(word.to_le_bytes());
        }
        self.block.extend_from_slice(&self.data);
        self.pad();
        self.write_block(PACKET);
    }
}

impl<R: Read + Seek, W: Write> Witness for DepartureCapture<R, W> {
    fn see(&mut self, packet: &Offered<'_>, fate: &Fate) {
        if let (Fate::Sent { begin, end, .. }, Some(port)) = (fate, packet.port) {
            self.write_until(*begin);
            self.sending.insert((*end, packet.index), (port, *packet.recorded));
        }
    }
}
