//! A file of whatever format, told by its content: what is not recognised is refused.
//!
//! The first bytes (of what a compressed file holds) decide, never the name alone; every reader
//! then checks each line or record that follows. O(1).

use std::collections::HashSet;
use std::io::{self, BufReader, Cursor, Read};

use super::compressed::{GZIP, Input, ZSTD, decompressed, is_compressed};
use super::error::Byte;
use super::oracle_general::is_oracle_general;
use super::step_trace::StepLine;
use super::{Problem, ReadError};

/// The first bytes of a file, by which it is recognised.
const HEAD_BYTES: u64 = 64 * 1024;

/// What a trace in a file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text with columns, for [`CsvTrace`](super::CsvTrace).
    Columns,
    /// A line for each time step, for [`StepTrace`](super::StepTrace).
    Steps,
    /// Records of 24 bytes, for [`OracleGeneral`](super::OracleGeneral).
    OracleGeneral,
    /// Captured packets, for [`flow_lookups`](super::flow_lookups).
    Capture,
}

impl Format {
    /// Whether it is text, which the readers of text tell apart line by line.
    #[must_use]
    pub fn is_text(self) -> bool {
        match self {
            Format::Columns | Format::Steps => true,
            Format::OracleGeneral | Format::Capture => false,
        }
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Format::Columns => "text with columns",
            Format::Steps => "text with a line for each time step",
            Format::OracleGeneral => "an oracleGeneral trace",
            Format::Capture => "a packet capture",
        })
    }
}

/// Formats that are known and not read: how they begin, what they are called, and what to do.
const FOREIGN: [(&[u8], &str, &str); 9] = [
    (b"PAR1", "a Parquet table", "write it as CSV"),
    (b"\xfd7zXZ\0", "an xz archive", "decompress it"),
    (b"BZh", "a bzip2 archive", "decompress it"),
    (b"\x04\x22\x4d\x18", "an lz4 archive", "decompress it"),
    (b"PK\x03\x04", "a zip archive", "unpack it"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "write it as CSV"),
    (b"ARROW1", "an Arrow file", "write it as CSV"),
    (
        &0x1234_5678_9abc_def0_u64.to_le_bytes(),
        "a trace in libCacheSim's lcs",
        "convert it to oracleGeneral",
    ),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
];

/// How captures begin: pcap in both orders of bytes and resolutions, and pcapng.
const CAPTURES: [u32; 5] = [0xa1b2_c3d4, 0xd4c3_b2a1, 0xa1b2_3c4d, 0x4d3c_b2a1, 0x0a0d_0d0a];

/// A trace's bytes, decompressed and recognised.
///
/// ```
/// use forebay_cache::readers::{CsvConfig, CsvTrace, Format, Source};
///
/// let source = Source::recognise(&b"# time, object, size\n0, 7, 512\n"[..], "trace.txt")?;
/// assert_eq!(source.format, Format::Columns);
/// let requests = CsvTrace::new(source.input, "trace.txt", CsvConfig::default())?;
/// assert_eq!(requests.count(), 1);
/// # Ok::<(), forebay_cache::readers::ReadError>(())
/// ```
pub struct Source {
    /// What the content looks like.
    pub format: Format,
    /// All of it, from its beginning.
    pub input: Input,
}

impl Source {
    /// Looks at the beginning of `reader`; `name` stands for it in messages, and one that ends in
    /// `.csv` or `.tsv` says that a single word a line is a column. Nothing at all is a trace of no
    /// steps.
    ///
    /// # Errors
    /// If it cannot be read, or is none of these formats.
    pub fn recognise(reader: impl Read + Send + 'static, name: &str) -> Result<Source, ReadError> {
        let wrong = |(place, problem)| {
            let position = Byte(place);
            ReadError { name: name.to_owned(), position, problem }
        };
        let unreadable = |error: io::Error| wrong((0, Problem::Unreadable(error.to_string())));
        let (head, packed) = with_head(Box::new(BufReader::new(reader))).map_err(unreadable)?;
        let (head, input) = match is_compressed(&head) {
            true => with_whole_head(decompressed(packed, &head)).map_err(unreadable)?,
            false => (head, packed),
        };
        let format = recognise(&head, name).map_err(wrong)?;
        Ok(Source { format, input })
    }
}

/// The first bytes of a reader, and a reader of all.
fn with_head(mut reader: Input) -> io::Result<(Vec<u8>, Input)> {
    let mut head = Vec::new();
    (&mut reader).take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(reader))))
}

/// The same of what is damaged further on: its reader says so where it comes to it.
fn with_whole_head(mut reader: Input) -> io::Result<(Vec<u8>, Input)> {
    let mut head = Vec::new();
    let damage = (&mut reader).take(HEAD_BYTES).read_to_end(&mut head).err();
    match damage {
        None => Ok((head.clone(), Box::new(Cursor::new(head).chain(reader)))),
        Some(error) if head.is_empty() => Err(error),
        Some(error) => {
            let rest = BufReader::new(Damage(Some(error)));
            Ok((head.clone(), Box::new(Cursor::new(head).chain(rest))))
        }
    }
}

/// A reader of which nothing is left but why.
struct Damage(Option<io::Error>);

impl Read for Damage {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The format of what begins with `head`, or what is wrong and at which byte.
fn recognise(head: &[u8], name: &str) -> Result<Format, (u64, Problem)> {
    let first = head.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    if first.is_some_and(|first| CAPTURES.contains(&first)) {
        return Ok(Format::Capture);
    }
    if let Some(text) = text(head) {
        return match foreign_text(text) {
            Some((what, fix)) => Err((0, Problem::Foreign { what, fix })),
            None => Ok(text_format(text, name)),
        };
    }
    // Before the short marks of others, which a time stamp may look like.
    if is_oracle_general(head) {
        return Ok(Format::OracleGeneral);
    }
    if head.starts_with(GZIP) || head.starts_with(ZSTD) {
        let twice = Problem::Foreign { what: "compressed twice", fix: "decompress it once" };
        return Err((0, twice));
    }
    match FOREIGN.iter().find(|(magic, ..)| head.starts_with(magic)) {
        Some((_, what, fix)) => Err((0, Problem::Foreign { what, fix })),
        None => Err(control_in_text(head).unwrap_or((0, Problem::Unrecognised))),
    }
}

/// The head as text, if it is: UTF-8 without control characters.
fn text(head: &[u8]) -> Option<&str> {
    utf_8(head).filter(|text| !text.contains(is_control))
}

/// What a text is that has no requests though it could be read as such, and what to do.
fn foreign_text(text: &str) -> Option<(&'static str, &'static str)> {
    const MARKUP: [&str; 6] = ["<!doctype", "<html", "<head", "<body", "<?xml", "<svg"];
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let begins = |mark: &&str| text.get(..mark.len()).is_some_and(|s| s.eq_ignore_ascii_case(mark));
    if MARKUP.iter().any(begins) {
        return Some(("a page (HTML or XML)", "download the trace itself"));
    }
    if text.starts_with("{\"") || text.starts_with("[{") {
        return Some(("JSON", "write it as CSV"));
    }
    is_base64(text).then_some(("base64", "decode it"))
}

/// Whether a text is one in base64: lines as long as encoders make them but the last, all
/// different, of letters of both cases and digits. Hashes, which are ids, are of one case, end in
/// padding, or are as long in the last line.
fn is_base64(text: &str) -> bool {
    /// As long as MIME and PEM have them, and longer than any id.
    const LINES: [usize; 2] = [76, 64];
    const LONG: usize = 512;
    let encodes = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let Some((last, whole)) = lines.split_last() else { return false };
    let length = whole.first().map_or(last.len(), |first| first.len());
    let is_long = match whole.is_empty() {
        true => length > LONG,
        false => LINES.contains(&length) && last.len() < length,
    };
    let mixed = [char::is_lowercase, char::is_uppercase, char::is_numeric];
    is_long
        && last.trim_end_matches('=').chars().all(encodes)
        && whole.iter().all(|line| line.len() == length && line.chars().all(encodes))
        && mixed.iter().all(|is| lines[0].chars().any(*is))
        && whole.iter().collect::<HashSet<_>>().len() == whole.len()
}

/// The head as UTF-8, if it is. It may end inside a character.
fn utf_8(head: &[u8]) -> Option<&str> {
    match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}

/// Whether a character controls something else than a text.
fn is_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\r' | '\n')
}

/// The first control character of what is otherwise text, and where it is: not of records that
/// happen to be UTF-8, which have many, or zeros.
fn control_in_text(head: &[u8]) -> Option<(u64, Problem)> {
    let text = utf_8(head).filter(|text| !text.contains('\0'))?;
    let (place, found) = text.char_indices().find(|(_, c)| is_control(*c))?;
    let few = 8 * text.chars().filter(|c| is_control(*c)).count() < text.len();
    few.then_some((place as u64, Problem::Control(found)))
}

fn text_format(text: &str, name: &str) -> Format {
    let name = name.to_ascii_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    let says_columns = name.ends_with(".csv") || name.ends_with(".tsv");
    let lines = || text.lines().map(|line| line.trim_start_matches('\u{feff}').trim());
    let content = lines().filter(|line| !line.starts_with('#')).find_map(StepLine::of);
    // A header may begin as a comment does, and be all that there is.
    match content.or_else(|| lines().find_map(StepLine::of)) {
        Some(StepLine::Object(_)) if says_columns => Format::Columns,
        Some(StepLine::Several) => Format::Columns,
        Some(StepLine::Object(_) | StepLine::Stamped(_)) | None => Format::Steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(bytes: &[u8], name: &str) -> Result<Format, String> {
        let source = Source::recognise(Cursor::new(bytes.to_vec()), name);
        source.map(|source| source.format).map_err(|error| error.to_string())
    }

    #[test]
    fn content_decides_not_the_name() {
        let columns = "time,object\n1,2\n";
        for name in ["t.csv", "t.txt", "t", "t.oracleGeneral", "t.pcap"] {
            assert_eq!(format(columns.as_bytes(), name), Ok(Format::Columns), "{name}");
        }
        for text in ["a\tb\n", "a b c", "# time, object\n", "1;2;3", "\n\nx;y\n", "\u{feff}a,b"] {
            assert_eq!(format(text.as_bytes(), "t"), Ok(Format::Columns), "{text:?}");
        }
        for text in ["", "\n\n", "B\nA\nX\n", "0;17\n\n3;18\n", "page", "# of a b\n7\n8\n"] {
            assert_eq!(format(text.as_bytes(), "t.txt"), Ok(Format::Steps), "{text:?}");
        }
        assert_eq!(format(b"object\n5\n", "t.csv.gz"), Ok(Format::Columns));
    }

    #[test]
    fn texts_without_requests_are_called_what_they_are() {
        let base64 = |line: &str| format!("{}\n{}\nQUJD\n", line, line.replace('q', "Z"));
        let mime = base64(&"aGVsbG8gd29ybGQq1+/A".repeat(4)[..76]);
        for (text, what) in [
            ("<!DOCTYPE html>\n<html>\n<body>\n", "a page"),
            ("\n  <html>\nwords\n", "a page"),
            ("<?xml version=\"1.0\"?>\n", "a page"),
            ("{\"time\":1,\"object\":2}\n", "JSON"),
            (mime.as_str(), "base64"),
            (&"aGVsbG8gd29ybGQq1+/A".repeat(40), "base64"),
        ] {
            let error = format(text.as_bytes(), "t.txt").unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
        // Ids: SHA-256 in hexadecimal, and in base64 as it is of one hash.
        let hex = |i: u32| format!("{i:064x}\n").replace('0', "e");
        let hashes: String = (0..9).map(hex).collect();
        assert_eq!(format(hashes.as_bytes(), "t.txt"), Ok(Format::Steps));
        let hash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
        assert_eq!(format(hash.repeat(3).as_bytes(), "t.txt"), Ok(Format::Steps));
    }

    #[test]
    fn damage_is_said_where_it_is() {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write;
        let pack = |text: &str| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let text: String = (0..900).map(|i| format!("{i},{}\n", i * 7919 % 1000)).collect();
        let whole = pack(&format!("time,object\n{text}"));
        let read = |bytes: &[u8]| {
            let source = Source::recognise(Cursor::new(bytes.to_vec()), "t.csv.gz").unwrap();
            let config = crate::readers::CsvConfig { size: None, ..Default::default() };
            let trace = crate::readers::CsvTrace::new(source.input, "t.csv.gz", config).unwrap();
            trace.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())
        };
        assert_eq!(read(&whole).unwrap().len(), 900);
        let error = read(&whole[..whole.len() - 800]).unwrap_err();
        assert!(error.contains("line ") && error.contains("cut off"), "{error}");
        let error = read(&[&whole[..], b"garbage"].concat()).unwrap_err();
        assert!(error.contains("line 902") && error.contains("what follows"), "{error}");
    }

    #[test]
    fn what_is_not_recognised_is_refused_by_name() {
        for (magic, what, _) in FOREIGN {
            let error = format(&[magic, &[0; 96]].concat(), "t.csv").unwrap_err();
            assert!(error.starts_with("t.csv, byte 0: it is") && error.contains(what), "{error}");
        }
        let error = format(b"time,o\x1b[31mbject\n1,2\n", "t.csv").unwrap_err();
        assert_eq!(error, "t.csv, byte 6: the text has the control character \\u{1b}: remove it");
        let noise: Vec<u8> =
            (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for bytes in [&noise[..], &[0; 240], &[7; 23], b"\0", b"caf\xe9\n"] {
            let error = format(bytes, "t.txt").unwrap_err();
            assert!(error.contains("none of the formats"), "{error}");
        }
    }
}
