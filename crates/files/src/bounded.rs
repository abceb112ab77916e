//! Inputs of a bounded size: neither a device that never ends nor a file of another kind fills the
//! memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use forebay_units::Bytes;

const NOT_TEXT: &str = "it is not text (UTF-8)";

/// The content of a file of at most `most` bytes.
///
/// # Errors
/// The system's, or that the file is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    all_of(File::open(path)?, most)
}

pub(crate) fn all_of(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let most = Bytes::new(most);
        let problem = format!("it has more than {most}, the most that is read: make it smaller");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Opens a file that a program has stored. What may stand in its place is not: a pipe would be
/// waited for.
///
/// # Errors
/// The system's, or that it is not a file.
pub fn open_stored(path: &Path) -> io::Result<File> {
    match std::fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::other("it is a folder, a pipe or a device, not a file: remove it")),
    }
}

/// The content of a file of at most `most` bytes that a program has stored.
///
/// # Errors
/// As of [`open_stored`] and [`read`].
pub fn read_stored(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    all_of(open_stored(path)?, most)
}

/// The text of a file of at most `most` bytes.
///
/// # Errors
/// As of [`read`], or that the content is not text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text_of(read(path, most)?)
}

/// The text that a reader has, of at most `most` bytes.
///
/// # Errors
/// As of [`read_text`].
pub fn read_text_from(reader: impl Read, most: u64) -> io::Result<String> {
    text_of(all_of(reader, most)?)
}

pub(crate) fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, NOT_TEXT))
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
/// assert_eq!(read, Err("line 1: the line has more than 100 B".to_owned()));
/// # }
/// ```
pub fn for_each_line<E>(
    path: &Path,
    longest: u64,
    visit: impl FnMut(usize, &str) -> Result<(), E>,
    unreadable: impl Fn(usize, io::Error) -> E,
) -> Result<(), E> {
    let file = File::open(path).map_err(|error| unreadable(0, error))?;
    lines_of(file, longest, visit, unreadable)
}

pub(crate) fn lines_of<E>(
    reader: impl Read,
    longest: u64,
    mut visit: impl FnMut(usize, &str) -> Result<(), E>,
    unreadable: impl Fn(usize, io::Error) -> E,
) -> Result<(), E> {
    let mut reader = BufReader::new(reader);
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
            let problem = format!("the line has more than {}", Bytes::new(longest));
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
        let error = read(zeros, 1 << 16).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("it has more than 64 KiB, the most"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_was_not_stored_is_not_waited_for() {
        let (listener, folder) =
            (std::os::unix::net::UnixListener::bind, tempfile::tempdir().unwrap());
        let socket = folder.path().join("socket");
        let _listening = listener(&socket).unwrap();
        for path in [&socket, folder.path(), Path::new("/dev/zero")] {
            assert!(read_stored(path, 9).unwrap_err().to_string().contains("not a file"));
        }
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
