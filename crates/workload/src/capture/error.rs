//! What can be wrong with a capture, and what the user should know about one that was read. Each
//! message names the file or the place in it, and the fix.

use std::fmt;

use forebay_units::printable;
use thiserror::Error;

use crate::SourceError;

/// A capture that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CaptureError {
    /// The file cannot be opened.
    #[error(
        "{name} cannot be opened: {reason}",
        name = printable(.name)
    )]
    Open {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// The system's reason.
        reason: String,
    },
    /// Reading failed.
    #[error(
        "{name} cannot be read after {offset} bytes: check the disk or the network",
        name = printable(.name)
    )]
    Read {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Bytes read so far.
        offset: u64,
    },
    /// The file does not begin like a capture.
    #[error(
        "{name} is not a capture: give a pcap or pcapng file (uncompressed)",
        name = printable(.name)
    )]
    NotACapture {
        /// The capture's path, or what its reader was told to call it.
        name: String,
    },
    /// The file ends before the first IP packet does.
    #[error(
        "{name} is cut off after {record} records, at byte {offset}, before its first IP packet: \
         record or copy it again",
        name = printable(.name)
    )]
    Truncated {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Complete records before that place.
        record: u64,
        /// Where in the file, in bytes from its beginning.
        offset: u64,
    },
    /// The file ends within a packet; those before it are usable.
    #[error(
        "{name} is cut off inside packet {}, at byte {offset}: record or copy it again, or keep \
         its first {record} packets (editcap -r {name} OUT 1-{record})",
        record + 1,
        name = printable(.name)
    )]
    CutOff {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Complete records before that place.
        record: u64,
        /// Where in the file, in bytes from its beginning.
        offset: u64,
    },
    /// A record is damaged.
    #[error(
        "{name} is damaged after record {record}, at byte {offset}: copy it again, or keep its \
         first {record} records (editcap -r)",
        name = printable(.name)
    )]
    Damaged {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Complete records before that place.
        record: u64,
        /// Where in the file, in bytes from its beginning.
        offset: u64,
    },
    /// A record's time counts more than a second in the part that is below a second.
    #[error(
        "{name} is damaged after record {record}, at byte {offset}: the next record's time has \
         {fraction} units below a second, where less than {per_second} fit; copy it again, or keep \
         its first {record} records (editcap -r)",
        name = printable(.name)
    )]
    Fraction {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Complete records before that place.
        record: u64,
        /// Where in the file, in bytes from its beginning.
        offset: u64,
        /// What the record says.
        fraction: u32,
        /// How many make a second.
        per_second: u32,
    },
    /// A record is larger than any packet.
    #[error(
        "{name} has a record of more than {limit} bytes after record {record}, at byte {offset}: \
         record with a snapshot length below that",
        name = printable(.name)
    )]
    RecordTooLarge {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Complete records before that place.
        record: u64,
        /// Where in the file, in bytes from its beginning.
        offset: u64,
        /// The most bytes that a record may have.
        limit: usize,
    },
    /// The link type is not known.
    #[error(
        "{name} has no readable IP packets among {records} records: link type {link_type} is not \
         Ethernet, Linux cooked, raw IP or loopback; record on another interface",
        name = printable(.name)
    )]
    LinkType {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// The first unknown link type.
        link_type: i32,
        /// Records read.
        records: u64,
    },
    /// No record is an IP packet.
    #[error(
        "{name} has no IP packets among {records} records: record IP traffic (tcpdump ip or ip6)",
        name = printable(.name)
    )]
    NoIpPackets {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// Records read.
        records: u64,
    },
    /// All packets have the same time.
    #[error(
        "{name} has no duration: its {packets} IP packets have the same time stamp; record for \
         longer",
        name = printable(.name)
    )]
    ZeroDuration {
        /// The capture's path, or what its reader was told to call it.
        name: String,
        /// How many IP packets it has.
        packets: usize,
    },
    /// A parameter of the replay is impossible.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Something that the user of a capture should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureWarning {
    /// The file ends in the middle of a record; what comes before is used.
    Truncated {
        /// Complete records before that place.
        record: u64,
        /// The place, in bytes.
        offset: u64,
    },
    /// A limit was reached; what comes before is used.
    Limited {
        /// Records before that place.
        record: u64,
        /// The place, in bytes.
        offset: u64,
    },
    /// Packets were recorded before earlier ones, and have been sorted.
    Reordered {
        /// How many.
        packets: u64,
    },
    /// Records that are not IP packets (ARP, say) were left out.
    NotIp {
        /// How many.
        records: u64,
    },
    /// Records that claim an absurd length were left out.
    Implausible {
        /// How many.
        records: u64,
    },
    /// Records of an unknown link type were left out.
    UnknownLink {
        /// How many.
        records: u64,
    },
}

impl CaptureWarning {
    /// How many packets or records it concerns.
    pub(super) fn count(self) -> u64 {
        match self {
            CaptureWarning::Truncated { record: count, .. }
            | CaptureWarning::Limited { record: count, .. }
            | CaptureWarning::Reordered { packets: count }
            | CaptureWarning::NotIp { records: count }
            | CaptureWarning::Implausible { records: count }
            | CaptureWarning::UnknownLink { records: count } => count,
        }
    }
}

impl fmt::Display for CaptureWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureWarning::Truncated { record, offset } => {
                write!(f, "cut off after {record} records, at byte {offset}: the rest is missing")
            }
            CaptureWarning::Limited { record, offset } => {
                write!(f, "used up to record {record}, byte {offset}: a limit was reached there")
            }
            CaptureWarning::Reordered { packets } => {
                write!(f, "{packets} packets were recorded out of order: sorted by time")
            }
            CaptureWarning::NotIp { records } => {
                write!(f, "{records} records that are not IP packets were left out")
            }
            CaptureWarning::Implausible { records } => {
                write!(f, "{records} records that claim more than 1 MiB were left out")
            }
            CaptureWarning::UnknownLink { records } => {
                write!(f, "{records} records of an unknown link type were left out")
            }
        }
    }
}
