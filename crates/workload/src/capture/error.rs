//! What can be wrong with a capture, and what the user should know about one that was read. Each
//! message names the file or the place in it, and the fix.

use std::fmt;

use forebay_parameters::grouped;
use forebay_units::{Bytes, printable};
use thiserror::Error;

use crate::SourceError;

/// "1 record", "2,000 records".
fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// How to keep what comes before a damage after `records` records.
fn rescue(records: u64) -> String {
    match records {
        0 => "copy it again".to_owned(),
        1 => "copy it again, or keep its first record (editcap -r)".to_owned(),
        _ => format!("copy it again, or keep its first {} records (editcap -r)", grouped(records)),
    }
}

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
        "{name} cannot be read after {} bytes: check the disk or the network",
        grouped(*.offset), name = printable(.name)
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
        "{name} is cut off after {}, at byte {}, before its first IP packet: record or copy it \
         again",
        counted(*.record, "record", "records"), grouped(*.offset), name = printable(.name)
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
        "{name} is cut off inside packet {}, at byte {}: record or copy it again, or keep its \
         first {} (editcap -r {name} OUT 1-{record})",
        grouped(record + 1), grouped(*.offset), counted(*.record, "packet", "packets"),
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
        "{name} is damaged after record {}, at byte {}: {}",
        grouped(*.record), grouped(*.offset), rescue(*.record), name = printable(.name)
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
        "{name} is damaged after record {}, at byte {}: the next record's time has {} units below \
         a second, where less than {} fit; {}",
        grouped(*.record), grouped(*.offset), grouped((*.fraction).into()),
        grouped((*.per_second).into()), rescue(*.record), name = printable(.name)
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
        "{name} has a record of more than {} after record {}, at byte {}: record with a snapshot \
         length below that",
        Bytes::new(*.limit as u64), grouped(*.record), grouped(*.offset), name = printable(.name)
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
        "{name} has no readable IP packets among {}: link type {link_type} is not Ethernet, Linux \
         cooked, raw IP or loopback; record on another interface",
        counted(*.records, "record", "records"), name = printable(.name)
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
        "{name} has no IP packets among {}: record IP traffic (tcpdump ip or ip6)",
        counted(*.records, "record", "records"), name = printable(.name)
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
                let (records, offset) = (counted(*record, "record", "records"), grouped(*offset));
                write!(f, "cut off after {records}, at byte {offset}: the rest is missing")
            }
            CaptureWarning::Limited { record, offset } => {
                let (record, offset) = (grouped(*record), grouped(*offset));
                write!(f, "used up to record {record}, byte {offset}: a limit was reached there")
            }
            CaptureWarning::Reordered { packets } => {
                let packets = counted(*packets, "packet was", "packets were");
                write!(f, "{packets} recorded out of order: sorted by time")
            }
            CaptureWarning::NotIp { records } => f.write_str(&counted(
                *records,
                "record that is not an IP packet was left out",
                "records that are not IP packets were left out",
            )),
            CaptureWarning::Implausible { records } => f.write_str(&counted(
                *records,
                "record that claims more than 1 MiB was left out",
                "records that claim more than 1 MiB were left out",
            )),
            CaptureWarning::UnknownLink { records } => f.write_str(&counted(
                *records,
                "record of an unknown link type was left out",
                "records of an unknown link type were left out",
            )),
        }
    }
}
