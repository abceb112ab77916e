//! What a command reads: a file, or standard input, for which `-` stands.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::bounded;

/// An input that a user names. Only what a user may name is one: a file that another file names, or
/// that is read a second time, is a path.
///
/// ```
/// use forebay_files::Input;
///
/// assert_eq!(Input::of("-".as_ref()).name(), "standard input");
/// assert_eq!(Input::of("./-".as_ref()).name(), "./-");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(&'a Path);

impl<'a> Input<'a> {
    /// The one that `path` names.
    #[must_use]
    pub fn of(path: &'a Path) -> Self {
        Input(path)
    }

    /// Whether it is standard input, which is read once.
    #[must_use]
    pub fn is_standard(self) -> bool {
        self.0.as_os_str() == "-"
    }

    /// What it is called in messages.
    #[must_use]
    pub fn name(self) -> String {
        match self.is_standard() {
            true => "standard input".to_owned(),
            false => self.0.display().to_string(),
        }
    }

    /// Its bytes one by one.
    ///
    /// # Errors
    /// The system's.
    pub fn open(self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self.is_standard() {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(self.0)?),
        })
    }

    /// Its content, of at most `most` bytes.
    ///
    /// # Errors
    /// The system's, or that it is larger.
    pub fn read(self, most: u64) -> io::Result<Vec<u8>> {
        bounded::all_of(self.open()?, most)
    }

    /// Its text, of at most `most` bytes.
    ///
    /// # Errors
    /// As of [`Input::read`], or that the content is not text.
    pub fn read_text(self, most: u64) -> io::Result<String> {
        bounded::text_of(self.read(most)?)
    }

    /// Shows each of its lines to `visit`, as [`for_each_line`](crate::for_each_line) does.
    ///
    /// # Errors
    /// As there.
    pub fn for_each_line<E>(
        self,
        longest: u64,
        visit: impl FnMut(usize, &str) -> Result<(), E>,
        unreadable: impl Fn(usize, io::Error) -> E,
    ) -> Result<(), E> {
        let opened = self.open().map_err(|error| unreadable(0, error))?;
        bounded::lines_of(opened, longest, visit, unreadable)
    }
}
