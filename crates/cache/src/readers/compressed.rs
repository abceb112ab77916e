//! gzip and zstd, undone while reading: bounded memory however much comes out of a file.
//!
//! A zstd window has at most 128 MiB (what the `zstd` command reads without further options); a
//! frame that needs more is refused. Several members or frames one after another are one text.
//! O(length).

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// A reader of whatever kind, which another thread may take.
pub type Input = Box<dyn BufRead + Send>;

/// The bytes of a gzip member's head that tell it.
pub(super) const GZIP: &[u8] = &[0x1f, 0x8b];
/// The same of a zstd frame.
pub(super) const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// What `reader`, which begins with `head`, holds when it is decompressed, or itself if it is not
/// compressed.
pub(super) fn decompressed(reader: Input, head: &[u8]) -> Input {
    if head.starts_with(GZIP) {
        Box::new(BufReader::new(GzipMembers(Some(GzDecoder::new(reader)))))
    } else if head.starts_with(ZSTD) || skippable(head) {
        Box::new(BufReader::new(ZstdFrames { reader, decoder: FrameDecoder::new(), within: false }))
    } else {
        reader
    }
}

/// Whether what begins so is compressed.
pub(super) fn is_compressed(head: &[u8]) -> bool {
    head.starts_with(GZIP) || head.starts_with(ZSTD) || skippable(head)
}

/// The members of a gzip file; none once they are over.
struct GzipMembers(Option<GzDecoder<Input>>);

impl Read for GzipMembers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        while let Some(decoder) = &mut self.0 {
            match decoder.read(buffer) {
                Ok(0) if !buffer.is_empty() => {}
                Err(error)
                    if [InvalidData, InvalidInput, UnexpectedEof].contains(&error.kind()) =>
                {
                    return Err(damaged("its gzip member is damaged or cut off: copy it again"));
                }
                read => return read,
            }
            let Some(mut rest) = self.0.take().map(GzDecoder::into_inner) else { break };
            let next = rest.fill_buf()?;
            if !next.is_empty() && !next.starts_with(&GZIP[..next.len().min(GZIP.len())]) {
                return Err(damaged("what follows its gzip member is no other: remove it"));
            }
            self.0 = (!next.is_empty()).then(|| GzDecoder::new(rest));
        }
        Ok(0)
    }
}

fn damaged(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// Whether a zstd frame begins here that only says something about others.
fn skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The frames of a zstd file, each with its checksum if it has one.
struct ZstdFrames {
    reader: Input,
    decoder: FrameDecoder,
    within: bool,
}

impl ZstdFrames {
    /// Begins the next frame; whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        use FrameDecoderError::ReadFrameHeaderError as Unread;
        while !self.reader.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.reader) {
                Ok(()) => return Ok(true),
                Err(Unread(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut (&mut self.reader).take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(invalid(&error)),
            }
        }
        Ok(false)
    }

    /// Compares the checksum of the frame that has ended.
    fn end(&mut self) -> io::Result<()> {
        self.within = false;
        let told = self.decoder.get_checksum_from_data();
        if told.is_some() && told != self.decoder.get_calculated_checksum() {
            return Err(damaged("the checksum of a zstd frame is another one: copy it again"));
        }
        Ok(())
    }
}

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.within {
                self.within = self.begin()?;
                if !self.within {
                    return Ok(0);
                }
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.reader, one).map_err(|e| invalid(&e))?;
            }
            match self.decoder.read(buffer)? {
                0 if !buffer.is_empty() => self.end()?,
                count => return Ok(count),
            }
        }
    }
}

fn invalid(error: &FrameDecoderError) -> io::Error {
    let problem = match error {
        FrameDecoderError::WindowSizeTooBig { .. } => {
            "its zstd window is larger than 128 MiB: decompress it with zstd -d --long=31"
        }
        _ => {
            "its zstd frame is damaged, cut off, or needs a dictionary: copy it again, or \
             decompress it"
        }
    };
    damaged(problem)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn read(packed: Vec<u8>) -> io::Result<Vec<u8>> {
        let head = packed.clone();
        let mut text = Vec::new();
        decompressed(Box::new(Cursor::new(packed)), &head).read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn members_and_frames_are_one_text() {
        let text: Vec<u8> = (0..300_000_u32).flat_map(|i| (i % 977).to_le_bytes()).collect();
        for pack in [gzip, zstd] {
            let packed = [pack(&text), pack(b"and more")].concat();
            assert!(read(packed).unwrap() == [&text[..], b"and more"].concat());
        }
        let skipped = [&[0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9], &zstd(b"text")[..]].concat();
        assert_eq!(read(skipped).unwrap(), b"text");
        assert_eq!(read(b"plain".to_vec()).unwrap(), b"plain");
    }

    #[test]
    fn damage_is_an_error() {
        for pack in [gzip, zstd] {
            let whole = pack(b"0123456789 0123456789 0123456789");
            assert!(read(whole[..whole.len() - 2].to_vec()).is_err());
            let mut other = whole.clone();
            let place = other.len() - 6;
            other[place] ^= 0x10;
            assert!(read(other).is_err());
        }
    }

    #[test]
    fn a_window_has_a_bound() {
        // A frame's head that says a window of 256 MiB.
        let error = read(vec![0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 0, 0]).unwrap_err().to_string();
        assert!(error.contains("128 MiB"), "{error}");
    }
}
