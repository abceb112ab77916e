//! How a command ends without success.

use std::fmt::Display;

/// Why a command ended without success, as text for the user and an exit code.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
    /// The option that it is about, and what is wrong with it.
    about: Option<(String, String)>,
}

impl Failure {
    /// With this exit code.
    pub(crate) fn new(message: impl Into<String>, code: u8) -> Self {
        Failure { message: message.into(), code, about: None }
    }

    /// The input is wrong: exit code 2.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Failure::new(message, 2)
    }

    /// A file or a folder cannot be read; `fix` is what to do.
    pub(crate) fn unread(name: impl Display, error: &std::io::Error, fix: &str) -> Self {
        Failure::input(format!("error: cannot read {name}: {error}\n  fix: {fix}"))
    }

    /// The option that it is about, and what is wrong with it.
    pub(crate) fn about(&self) -> Option<(&str, &str)> {
        self.about.as_ref().map(|(option, problem)| (option.as_str(), problem.as_str()))
    }
}

/// An option whose value is impossible.
pub(crate) fn wrong(option: &str, problem: impl Display) -> Failure {
    let problem = problem.to_string();
    let failure = Failure::input(format!("error: --{option}: {problem}"));
    Failure { about: Some((option.to_owned(), problem)), ..failure }
}
