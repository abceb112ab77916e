use core::fmt;

/// Why a packet was lost. Every drop has exactly one cause, and every loss counter is indexed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// The staging buffer in front of the HBM was full: HBM bandwidth is exhausted
    /// (themis §4.3, cause 1).
    StagingFull,
    /// The SRAM was full, or the shared pool that the queue belongs to; in a hybrid buffer, although
    /// packets were being moved out (themis §4.3, cause 2).
    SramFull,
    /// The HBM itself was full.
    HbmFull,
    /// All packet descriptors were in use.
    NoDescriptor,
    /// Larger than the largest packet that the buffer is built for.
    TooLarge,
    /// The policy refused the packet although it would have fit: its queue was at its threshold.
    Threshold,
    /// Pushed out of the buffer to make room for an arriving packet (occamy §2.2).
    PushedOut,
    /// Expelled from an over-allocated queue with spare memory bandwidth (occamy §4.3).
    Expelled,
    /// It was sent to a queue that the buffer does not have.
    NoQueue,
}

impl DropCause {
    /// Every cause, in the order of its index.
    pub const ALL: [DropCause; 9] = [
        DropCause::StagingFull,
        DropCause::SramFull,
        DropCause::HbmFull,
        DropCause::NoDescriptor,
        DropCause::TooLarge,
        DropCause::Threshold,
        DropCause::PushedOut,
        DropCause::Expelled,
        DropCause::NoQueue,
    ];

    /// Its index in [`DropCause::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name in results and traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DropCause::StagingFull => "staging-full",
            DropCause::SramFull => "sram-full",
            DropCause::HbmFull => "hbm-full",
            DropCause::NoDescriptor => "no-descriptor",
            DropCause::TooLarge => "too-large",
            DropCause::Threshold => "threshold",
            DropCause::PushedOut => "pushed-out",
            DropCause::Expelled => "expelled",
            DropCause::NoQueue => "no-queue",
        }
    }
}

impl fmt::Display for DropCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
