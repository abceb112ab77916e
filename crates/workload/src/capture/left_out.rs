//! The records of a capture that are not used, counted by their reasons.

use super::container::{Ending, Scan};
use super::error::{CaptureError, CaptureWarning};
use super::headers::Parsed;

/// How many records were left out so far, and why.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    not_ip: u64,
    implausible: u64,
    unknown_link: u64,
    unknown_link_type: Option<i32>,
}

impl LeftOut {
    /// Counts a record that is not used: an IP packet among them claims an absurd length.
    pub(super) fn add(&mut self, parsed: &Parsed, link_type: i32) {
        match parsed {
            Parsed::Ip { .. } => self.implausible += 1,
            Parsed::NotIp => self.not_ip += 1,
            Parsed::UnknownLink => {
                self.unknown_link += 1;
                self.unknown_link_type.get_or_insert(link_type);
            }
        }
    }

    /// The error of the capture `name` of which nothing else was read.
    pub(super) fn all_of(&self, name: &str, scan: &Scan) -> CaptureError {
        let (record, offset) = (scan.records, scan.offset);
        match scan.ending {
            Ending::Truncated => CaptureError::Truncated { name: name.to_owned(), record, offset },
            Ending::Complete | Ending::Limit => self.no_packets(name, record),
        }
    }

    /// The error of a capture that was read to its end, or to a limit.
    pub(super) fn no_packets(&self, name: &str, records: u64) -> CaptureError {
        let name = name.to_owned();
        match self.unknown_link_type {
            Some(link_type) => CaptureError::LinkType { name, link_type, records },
            None => CaptureError::NoIpPackets { name, records },
        }
    }

    /// The warnings of a capture in which so many packets were out of order.
    pub(super) fn warnings(&self, reordered: u64) -> Vec<CaptureWarning> {
        [
            CaptureWarning::Reordered { packets: reordered },
            CaptureWarning::NotIp { records: self.not_ip },
            CaptureWarning::Implausible { records: self.implausible },
            CaptureWarning::UnknownLink { records: self.unknown_link },
        ]
        .into_iter()
        .filter(|warning| warning.count() > 0)
        .collect()
    }
}
