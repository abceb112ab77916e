//! How headers are stored: as Pingora stores them, but not compressed.
//!
//! Pingora compresses each header with zstd, and every hit pays for that: to build the tables of so
//! short a text takes longer than to copy it. A zstd frame may also hold its text as it is (RFC
//! 8878, 3.1.1.2), which every reader of zstd takes.

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use pingora_cache::CacheMeta;
use pingora_error::Result;

use crate::disk::Meta;

/// A zstd frame whose blocks are the text itself.
fn frame(text: &[u8]) -> Option<Vec<u8>> {
    /// No block may be longer than 128 KiB.
    const MOST: usize = 1 << 16;
    let length = u32::try_from(text.len()).ok().filter(|length| *length > 0)?;
    let mut frame = Vec::with_capacity(text.len() + 16);
    // One segment, whose length has four bytes.
    frame.extend_from_slice(&[0x28, 0xb5, 0x2f, 0xfd, 0xa0]);
    frame.extend_from_slice(&length.to_le_bytes());
    let blocks = text.len().div_ceil(MOST);
    for (number, block) in text.chunks(MOST).enumerate() {
        let is_last = u32::from(number + 1 == blocks);
        let head = ((block.len() as u32) << 3 | is_last).to_le_bytes();
        frame.extend_from_slice(&head[..3]);
        frame.extend_from_slice(block);
    }
    Some(frame)
}

/// A header as HTTP/1.1 writes it, which is what Pingora compresses.
fn text(meta: &CacheMeta) -> Vec<u8> {
    let header = meta.response_header();
    let reason = header.status.canonical_reason().unwrap_or_default();
    let mut text = format!("HTTP/1.1 {} {reason}\r\n", header.status.as_str()).into_bytes();
    header.header_to_h1_wire(&mut text);
    text.extend_from_slice(b"\r\n");
    text
}

pub(crate) fn write(meta: &CacheMeta) -> Result<Meta> {
    let (internal, compressed) = meta.serialize()?;
    // What Pingora could not read again stays as it would have it.
    let plain = frame(&text(meta)).filter(|plain| {
        let read = CacheMeta::deserialize(&internal, plain);
        read.is_ok_and(|read| read.headers() == meta.headers())
    });
    Ok(Meta { internal, header: plain.unwrap_or(compressed) })
}

pub(crate) fn read(meta: &Meta) -> Result<CacheMeta> {
    CacheMeta::deserialize(&meta.internal, &meta.header)
}

/// The header of a whole says how long it is, also where its origin could not: of what says no
/// length, Pingora answers no ranges.
pub(crate) fn with_length(mut meta: CacheMeta, length: u64) -> Result<CacheMeta> {
    let header = meta.response_header_mut();
    let bodiless = matches!(header.status.as_u16(), 204 | 304);
    if !bodiless && !header.headers.contains_key(CONTENT_LENGTH) {
        header.remove_header(&TRANSFER_ENCODING);
        header.insert_header(CONTENT_LENGTH, length)?;
    }
    Ok(meta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    use pingora_http::ResponseHeader;

    fn meta(fields: &[(&'static str, String)]) -> Result<CacheMeta> {
        let mut header = ResponseHeader::build(203, None)?;
        for (name, value) in fields {
            header.append_header(*name, value.as_str())?;
        }
        let now = SystemTime::now();
        Ok(CacheMeta::new(now + Duration::from_secs(60), now, 7, 8, header))
    }

    #[test]
    fn headers_of_any_length_are_read_as_they_were_written_and_are_not_compressed() -> Result<()> {
        for length in [0, 1, 1000, 65_400, 65_536, 100_000] {
            let fields = [
                ("ETag", "\"one\"".to_owned()),
                ("Set-Cookie", "a=1".to_owned()),
                ("Set-Cookie", "b=2".to_owned()),
                ("X-Long", "x".repeat(length)),
            ];
            let meta = meta(&fields)?;
            let written = write(&meta)?;
            let has = |part: &[u8]| written.header.windows(part.len()).any(|found| found == part);
            assert!(has(b"ETag: \"one\""), "{length}: it is compressed");
            let read = read(&written)?;
            assert_eq!(read.headers(), meta.headers());
            assert_eq!(read.response_header().status, 203);
            assert_eq!(read.created(), meta.created());
        }
        Ok(())
    }

    #[test]
    fn what_pingora_wrote_itself_can_be_read() -> Result<()> {
        let meta = meta(&[("etag", "\"old\"".to_owned())])?;
        let (internal, header) = meta.serialize()?;
        assert_eq!(read(&Meta { internal, header })?.headers(), meta.headers());
        Ok(())
    }
}
