//! How a command ends without success.

/// Why a command ended without success, as text for the user and an exit code.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) code: u8,
}

impl Failure {
    /// The input is wrong: exit code 2.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: 2 }
    }
}

/// An option whose value is impossible.
pub(crate) fn wrong(option: &str, problem: impl std::fmt::Display) -> Failure {
    Failure::input(format!("error: --{option}: {problem}"))
}
