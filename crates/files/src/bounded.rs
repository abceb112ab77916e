//! Inputs of a bounded size: neither a device that never ends nor a file of another kind fills the
//! memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

const NOT_TEXT: &str = "it is not text (UTF-8)";

/// The content of a file of at most `most` bytes.
///
/// # Errors
/// The system's, or that the file is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let problem =
            format!("it has more than {most} bytes, the most that are read: make it smaller");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// The text of a file of at most `most` bytes.
///
/// # Errors
/// As of [`read`], or that the content is not text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(ErrorKind::InvalidData, NOT_TEXT);
    String::from_utf8(read(path, most)?).map_err(not_text)
}

/// Shows each line of a file to `visit`, numbered from 1 and without its end, and holds one of them
/// at a time. A line has at most `longest` bytes.
///
/// # Errors
/// What `visit` returns, and what `unreadable` makes of the number of a line that cannot be read
/// and the reason.
///
/// ```
/// # if cfg!(target_os = "linux") {
/// let never_ends = std::path::Path::new("/dev/zero");
/// let read = forebay_files::for_each_line(never_ends, 100, |_, _| Ok(()), |line, why| format!("line {line}: {why}"));
/// assert_eq!(read, Err("line 1: the line has more than 100 bytes".to_owned()));
/// # }
/// ```
pub fn for_each_line<E>(
    path: &Path,
    longest: u64,
    mut visit: impl FnMut(usize, &str) -> Result<(), E>,
    unreadable: impl Fn(usize, io::Error) -> E,
) -> Result<(), E> {
    let mut reader = BufReader::new(File::open(path).map_err(|error| unreadable(0, error))?);
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let read = reader.by_ref().take(longest.saturating_add(1)).read_line(&mut line);
        let named = |error: io::Error| match error.kind() {
            ErrorKind::InvalidData => io::Error::new(ErrorKind::InvalidData, NOT_TEXT),
            _ => error,
        };
        if read.map_err(|error| unreadable(number, named(error)))? == 0 {
            break;
        }
        let content = line.trim_end_matches(['\n', '\r']);
        if content.len() as u64 > longest {
            let problem = format!("the line has more than {longest} bytes");
            return Err(unreadable(number, io::Error::new(ErrorKind::InvalidData, problem)));
        }
        visit(number, content)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "1234").unwrap();
        assert_eq!(read_text(&file, 4).unwrap(), "1234");
        assert_eq!(read(&file, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::fs::write(&file, [0xff]).unwrap();
        assert_eq!(read_text(&file, 3).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_device_that_never_ends_is_refused() {
        let zeros = Path::new("/dev/zero");
        assert_eq!(read(zeros, 1 << 16).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn lines_come_without_their_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "one\r\n\nthree").unwrap();
        let mut lines = Vec::new();
        let add = |number, line: &str| {
            lines.push((number, line.to_owned()));
            Ok::<(), (usize, ErrorKind)>(())
        };
        for_each_line(&file, 5, add, |line, why| (line, why.kind())).unwrap();
        assert_eq!(lines, [(1, "one".to_owned()), (2, String::new()), (3, "three".to_owned())]);
        std::fs::write(&file, b"one\ncaf\xe9\n").unwrap();
        let latin =
            for_each_line(&file, 9, |_, _| Ok(()), |line, why| format!("line {line}: {why}"));
        assert_eq!(latin, Err("line 2: it is not text (UTF-8)".to_owned()));
        std::fs::write(&file, "one\r\n\nthree").unwrap();
        let short = for_each_line(&file, 4, |_, _| Ok(()), |line, why| (line, why.kind()));
        assert_eq!(short, Err((3, ErrorKind::InvalidData)));
    }
}
