//! The IP packets of a pcap or pcapng file, in time order, with their sources and flows numbered.
//! O(packets · log packets); 24 bytes per packet and two hash tables over sources and flows,
//! bounded by [`CaptureLimits`]. Any bytes give a capture or an error.
//!
//! Sources (addresses) and flows (five-tuples: addresses, protocol, ports) are numbered by their
//! first packets in the file. Missing ports (ICMP, later fragments, a truncated header) count as 0.
//! A packet's size is its original length, even if the capture kept only its beginning. Packets
//! recorded out of order are sorted by time; packets of equal time stay in the file's order.

mod container;
mod error;
mod headers;
mod left_out;
mod recording;
mod visit;

use std::collections::HashMap;
use std::fs::File;
use std::hash::Hash;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

pub use container::is_short_block;
use container::{Ending, Filled, Record, for_each_record};
pub use error::{CaptureError, CaptureWarning};
use headers::parse;
pub use headers::{Headers, Parsed, Service};
use left_out::LeftOut;
pub use recording::{CaptureCut, RecordedPacket, Recording};
pub use visit::{IpPacket, for_each_ip_packet, for_each_live_ip_packet};

/// The largest plausible packet, in bytes: more than any offload assembles. Records that claim more
/// are skipped.
const MAX_PACKET_BYTES: u32 = 1 << 20;

/// How much of a file is used. Anything beyond is left out, with a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureLimits {
    /// The most IP packets that are kept, which bounds memory.
    pub max_packets: usize,
    /// The most bytes of the file that are read, which bounds time.
    pub max_file_bytes: u64,
}

impl Default for CaptureLimits {
    /// 4 million packets (about 100 MB of memory), 4 GiB of file.
    fn default() -> Self {
        CaptureLimits { max_packets: 4_000_000, max_file_bytes: 4 << 30 }
    }
}

/// One IP packet of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPacket {
    /// Nanoseconds since the capture's first packet. (Merged captures span years, a
    /// [`Duration`](forebay_units::Duration) only 213 days.)
    pub at_ns: u64,
    /// Its size in bytes, with its link header.
    pub bytes: u32,
    /// The bytes of its link header.
    pub link_bytes: u32,
    /// The number of its source address.
    pub source: u32,
    /// The number of its five-tuple.
    pub flow: u32,
}

/// The IP packets of a capture file, at least one.
#[derive(Clone, Debug)]
pub struct Capture {
    name: String,
    packets: Vec<CapturedPacket>,
    sources: u32,
    flows: u32,
    warnings: Vec<CaptureWarning>,
}

/// Opens the file of a capture.
///
/// # Errors
/// [`CaptureError::Open`] if it cannot be opened, or is a folder.
pub fn open_capture(path: &Path) -> Result<File, CaptureError> {
    let failed = |reason| CaptureError::Open { name: path.display().to_string(), reason };
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    match file.metadata() {
        Ok(found) if found.is_dir() => {
            Err(failed("it is a folder; give a pcap or pcapng file".to_owned()))
        }
        Ok(_) | Err(_) => Ok(file),
    }
}

impl Capture {
    /// Reads the capture at `path`.
    ///
    /// # Errors
    /// A [`CaptureError`] with the file, the place and the fix.
    pub fn open(path: &Path, limits: CaptureLimits) -> Result<Self, CaptureError> {
        let name = path.display().to_string();
        Self::read(open_capture(path)?, &name, limits)
    }

    /// Reads a capture from `reader`; messages call it `name`.
    ///
    /// # Errors
    /// A [`CaptureError`] with the place and the fix. A truncated capture is not an error if it
    /// holds an IP packet, but leaves a [warning](Self::warnings).
    pub fn read(
        reader: impl Read + Send,
        name: &str,
        limits: CaptureLimits,
    ) -> Result<Self, CaptureError> {
        let mut collector = Collector { limit: limits.max_packets.max(1), ..Collector::default() };
        let scan = for_each_record(Filled(reader), limits.max_file_bytes, |record| {
            collector.take(&record)
        })
        .map_err(|failure| failure.named(name))?;
        if collector.packets.is_empty() {
            return Err(collector.left_out.all_of(name, &scan));
        }
        let (record, offset) = (scan.records, scan.offset);
        let mut warnings = collector.warnings();
        match scan.ending {
            Ending::Complete => {}
            Ending::Truncated => warnings.push(CaptureWarning::Truncated { record, offset }),
            Ending::Limit => warnings.push(CaptureWarning::Limited { record, offset }),
        }
        Ok(collector.into_capture(name, warnings))
    }

    /// The capture's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its packets, ordered by time.
    #[must_use]
    pub fn packets(&self) -> &[CapturedPacket] {
        &self.packets
    }

    /// How many source addresses it has.
    #[must_use]
    pub fn sources(&self) -> u32 {
        self.sources
    }

    /// How many five-tuples it has.
    #[must_use]
    pub fn flows(&self) -> u32 {
        self.flows
    }

    /// From the first packet to the last, in nanoseconds.
    #[must_use]
    pub fn span_ns(&self) -> u64 {
        self.packets.last().map_or(0, |packet| packet.at_ns)
    }

    /// What the user should know: what was left out, and why.
    #[must_use]
    pub fn warnings(&self) -> &[CaptureWarning] {
        &self.warnings
    }
}

/// Numbers things by their first appearance.
fn number<K: Hash + Eq>(numbers: &mut HashMap<K, u32>, key: K) -> u32 {
    // At most one number per packet, and a capture keeps fewer than 2^32 of those.
    let next = numbers.len() as u32;
    *numbers.entry(key).or_insert(next)
}

/// What has been collected from a file so far.
#[derive(Debug, Default)]
struct Collector {
    limit: usize,
    packets: Vec<CapturedPacket>,
    sources: HashMap<std::net::IpAddr, u32>,
    flows: HashMap<Headers, u32>,
    left_out: LeftOut,
}

impl Collector {
    fn take(&mut self, record: &Record<'_>) -> ControlFlow<()> {
        // A record never claims less than it holds; an original length of zero means "unknown".
        let bytes = record.original_bytes.max(record.data.len() as u32);
        match parse(record.link_type, record.data) {
            Parsed::Ip { headers, link_bytes, .. } if bytes <= MAX_PACKET_BYTES => {
                if self.packets.len() == self.limit {
                    return ControlFlow::Break(());
                }
                let source = number(&mut self.sources, headers.source);
                let flow = number(&mut self.flows, headers);
                let at_ns = record.time_ns; // made relative once all are known
                self.packets.push(CapturedPacket { at_ns, bytes, link_bytes, source, flow });
            }
            other => self.left_out.add(&other, record.link_type),
        }
        ControlFlow::Continue(())
    }

    fn warnings(&self) -> Vec<CaptureWarning> {
        let reordered =
            self.packets.windows(2).filter(|pair| pair[1].at_ns < pair[0].at_ns).count();
        self.left_out.warnings(reordered as u64)
    }

    fn into_capture(mut self, name: &str, warnings: Vec<CaptureWarning>) -> Capture {
        self.packets.sort_by_key(|packet| packet.at_ns);
        let first_ns = self.packets.first().map_or(0, |packet| packet.at_ns);
        for packet in &mut self.packets {
            packet.at_ns -= first_ns;
        }
        Capture {
            name: name.to_owned(),
            packets: self.packets,
            sources: self.sources.len() as u32,
            flows: self.flows.len() as u32,
            warnings,
        }
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
