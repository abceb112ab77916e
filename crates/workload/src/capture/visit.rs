//! The IP packets of a capture one by one, with the captured part of their payloads: for code that
//! processes packets rather than replaying their sizes. Streaming: one record in memory, O(1) per
//! byte.
//!
//! Packets come in the file's order. A packet's size is its original length, as in
//! [`Capture`](super::Capture); records that are not IP packets, or of an unknown link type, are
//! left out, and counted.

use std::io::Read;
use std::net::IpAddr;
use std::ops::ControlFlow;

use super::CaptureError;
use super::container::{Ending, Filled, Prompt, for_each_record};
use super::error::CaptureWarning;
use super::headers::net_payload;
use super::left_out::LeftOut;

/// An IP packet of a capture, as far as it was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpPacket<'a> {
    /// Nanoseconds since the epoch of the capture's clock.
    pub at_ns: u64,
    /// Its bytes, with its link header.
    pub bytes: u32,
    /// The address that sent it, as its IP header says.
    pub source: IpAddr,
    /// The address it goes to.
    pub destination: IpAddr,
    /// The protocol number of what follows.
    pub protocol: u8,
    /// What follows the IP header and its extensions: for example a TCP segment, without link
    /// padding.
    pub payload: &'a [u8],
    /// Whether it is a fragment of an IP packet.
    pub fragment: bool,
    /// Whether the capture kept less than was on the wire.
    pub cut: bool,
}

/// Shows every IP packet of a capture to `visit`, until it breaks off; messages call the file
/// `name`. Returns what was left out, and how the file ended, if not well.
///
/// ```
/// use std::ops::ControlFlow;
/// use forebay_workload::for_each_ip_packet;
///
/// let error = for_each_ip_packet(&b"GIF89a"[..], "x.pcap", u64::MAX, |_| ControlFlow::Continue(()));
/// assert!(error.is_err_and(|error| error.to_string().starts_with("x.pcap ")));
/// ```
///
/// # Errors
/// A [`CaptureError`] with the place and the fix, also if there was no IP packet to show. Packets
/// shown before it remain valid.
pub fn for_each_ip_packet(
    reader: impl Read + Send,
    name: &str,
    max_file_bytes: u64,
    visit: impl FnMut(IpPacket<'_>) -> ControlFlow<()>,
) -> Result<Vec<CaptureWarning>, CaptureError> {
    show(Filled(reader), name, max_file_bytes, visit)
}

/// The same for a capture that is still being written: each packet is shown as soon as it can be
/// read, for as long as the stream lasts.
///
/// # Errors
/// As for [`for_each_ip_packet`].
pub fn for_each_live_ip_packet(
    reader: impl Read + Send,
    name: &str,
    visit: impl FnMut(IpPacket<'_>) -> ControlFlow<()>,
) -> Result<Vec<CaptureWarning>, CaptureError> {
    show(Prompt::new(reader), name, u64::MAX, visit)
}

fn show(
    reader: impl Read + Send,
    name: &str,
    max_file_bytes: u64,
    mut visit: impl FnMut(IpPacket<'_>) -> ControlFlow<()>,
) -> Result<Vec<CaptureWarning>, CaptureError> {
    let (mut left_out, mut is_shown) = (LeftOut::default(), false);
    let scan = for_each_record(reader, max_file_bytes, |record| {
        let net = match net_payload(record.link_type, record.data) {
            Ok(net) => net,
            Err(other) => {
                left_out.add(&other, record.link_type);
                return ControlFlow::Continue(());
            }
        };
        is_shown = true;
        let bytes = record.original_bytes.max(record.data.len() as u32);
        let cut = bytes as usize > record.data.len();
        visit(IpPacket { at_ns: record.time_ns, bytes, cut, ..net })
    });
    let scan = scan.map_err(|failure| failure.named(name))?;
    if !is_shown {
        return Err(left_out.all_of(name, &scan));
    }
    let (record, offset) = (scan.records, scan.offset);
    let mut warnings = left_out.warnings(0);
    match scan.ending {
        Ending::Complete => {}
        Ending::Truncated => warnings.push(CaptureWarning::Truncated { record, offset }),
        Ending::Limit => warnings.push(CaptureWarning::Limited { record, offset }),
    }
    Ok(warnings)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Format, Made, PLAIN, pcapng, plain, records};
    use super::super::{Capture, CaptureLimits};
    use super::*;

    /// Returns one byte at a time, and counts the bytes it has returned.
    struct Slow<'a> {
        bytes: &'a [u8],
        given: &'a std::sync::atomic::AtomicUsize,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let one = self.bytes.len().min(buffer.len()).min(1);
            buffer[..one].copy_from_slice(&self.bytes[..one]);
            self.bytes = &self.bytes[one..];
            self.given.fetch_add(one, std::sync::atomic::Ordering::Relaxed);
            Ok(one)
        }
    }

    #[test]
    fn a_live_stream_shows_each_packet_when_it_has_come() {
        let made = |time_us| Made { time_us, source: 7, port: 99, bytes: 80 };
        let given = std::sync::atomic::AtomicUsize::new(0);
        let two = [made(5), made(3)];
        for file in [plain(&two), pcapng(PLAIN, &records(&two))] {
            given.store(0, std::sync::atomic::Ordering::Relaxed);
            let mut seen = Vec::new();
            let slow = Slow { bytes: &file, given: &given };
            let ending = for_each_live_ip_packet(slow, "t", |packet| {
                seen.push((packet.at_ns, given.load(std::sync::atomic::Ordering::Relaxed)));
                ControlFlow::Continue(())
            });
            assert!(ending.is_ok_and(|warnings| warnings.is_empty()));
            assert_eq!(seen.len(), 2);
            assert!(
                seen[0].1 < file.len() && seen[1].1 == file.len(),
                "{seen:?} of {}",
                file.len()
            );
        }
    }

    #[test]
    fn payloads_are_shown_until_told_to_stop() {
        let made = |time_us| Made { time_us, source: 7, port: 99, bytes: 80 };
        let file = plain(&[made(5), made(3), made(9)]);
        let mut seen = Vec::new();
        let ending = for_each_ip_packet(&file[..], "t", u64::MAX, |packet| {
            assert_eq!((packet.protocol, packet.payload.len(), packet.fragment), (17, 46, false));
            assert_eq!(packet.source, IpAddr::from([10, 0, 0, 7]));
            seen.push(packet.at_ns);
            if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, [5000, 3000]);
        assert!(matches!(ending.as_deref(), Ok([CaptureWarning::Limited { record: 1, .. }])));
        let cut = for_each_ip_packet(&file[..file.len() - 1], "t", u64::MAX, |_| {
            ControlFlow::Continue(())
        });
        assert!(matches!(cut.as_deref(), Ok([CaptureWarning::Truncated { record: 2, .. }])));
    }

    #[test]
    fn what_is_left_out_beside_packets_is_counted() {
        let made = |time_us| Made { time_us, source: 7, port: 99, bytes: 80 };
        let foreign = Format { link_type: 105, ..PLAIN }; // 802.11
        let sections = [(PLAIN, made(5)), (foreign, made(6)), (PLAIN, made(7))];
        let file = sections.map(|(format, packet)| pcapng(format, &records(&[packet]))).concat();
        let all = |_: IpPacket<'_>| ControlFlow::Continue(());
        for warnings in [
            for_each_ip_packet(&file[..], "t", u64::MAX, all),
            for_each_live_ip_packet(&file[..], "t", all),
        ] {
            assert_eq!(warnings.unwrap(), [CaptureWarning::UnknownLink { records: 1 }]);
        }
    }

    #[test]
    fn a_capture_without_a_packet_to_show_says_why() {
        let mut foreign = plain(&[Made { time_us: 5, source: 7, port: 99, bytes: 80 }]);
        foreign[20] = 105; // 802.11
        for (file, words) in [
            (&foreign[..], "among 1 record: link type 105 is not Ethernet"),
            (&foreign[..24], "no IP packets among 0 records"),
            (&foreign[..50], "cut off after 0 records, at byte 24, before its first IP packet"),
        ] {
            let shown = for_each_live_ip_packet(file, "t", |_| ControlFlow::Continue(()));
            let error = shown.unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
            let read = Capture::read(file, "t", CaptureLimits::default()).unwrap_err();
            assert_eq!(read.to_string(), error);
        }
    }
}
