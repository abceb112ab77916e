//! What a rolling window does with a rank outside it.

/// The fate of a rank below the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Below {
    /// It joins the window's first rank, behind what waits there: a late element is served as soon as
    /// the order allows, and leaves with that first rank as its own.
    #[default]
    FirstBucket,
    /// It is refused.
    Reject,
}

/// The fate of a rank beyond the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Beyond {
    /// It joins the window's last rank, behind what waits there, and leaves with that rank as its own:
    /// elements beyond the window lose their order among themselves.
    LastBucket,
    /// It is refused.
    #[default]
    Reject,
}

/// What a rolling window does with ranks outside it. The default serves late elements first and refuses
/// those too far ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WindowPolicy {
    /// The fate of ranks below the window.
    pub below: Below,
    /// The fate of ranks beyond the window.
    pub beyond: Beyond,
}
