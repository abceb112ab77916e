//! One side of a setup under way.

#[cfg(feature = "others")]
use crate::cache::CacheRun;
#[cfg(feature = "switches")]
use crate::capture::CaptureRun;
use crate::error::LabError;
#[cfg(feature = "others")]
use crate::jobs::JobsRun;
#[cfg(feature = "switches")]
use crate::network::NetworkRun;
use crate::picture::Picture;
use crate::setup::Setup;

/// What a run is given besides its setup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// A capture, its bytes, and what the user calls it.
    pub capture: Option<(String, Vec<u8>)>,
}

/// What every laboratory can do.
pub(crate) trait Lab {
    /// Goes on for so much of the laboratory's own effort; whether it is over.
    fn advance(&mut self, effort: f64) -> Result<bool, LabError>;
    fn picture(&self) -> Picture;
    fn report(&mut self, wall_s: f64) -> Result<String, LabError>;
}

/// One side of a setup under way: it reads no clock, and goes as far as it is told.
pub struct Run(Box<dyn Lab>);

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Run: {}", self.0.picture().progress)
    }
}

impl Run {
    /// The side of this number, 0 or 1, before its first event.
    ///
    /// # Errors
    /// The setup cannot be run; the sentence says where, and what would do.
    pub fn new(setup: &Setup, number: usize, inputs: &Inputs) -> Result<Self, LabError> {
        setup.side(number)?;
        let lab: Box<dyn Lab> = match setup {
            #[cfg(feature = "switches")]
            Setup::Network(setup) => Box::new(NetworkRun::new(setup, number)?),
            #[cfg(feature = "switches")]
            Setup::Capture(setup) => Box::new(CaptureRun::new(setup, number, inputs)?),
            #[cfg(feature = "others")]
            Setup::Cache(setup) => Box::new(CacheRun::new(setup, number)?),
            #[cfg(feature = "others")]
            Setup::Jobs(setup) => Box::new(JobsRun::new(setup, number)?),
            #[cfg(not(all(feature = "switches", feature = "others")))]
            other => {
                let _ = inputs;
                return Err(LabError::elsewhere(other.lab()));
            }
        };
        Ok(Run(lab))
    }

    /// Goes on; whether it is over. `effort` is microseconds of simulated time in a network,
    /// requests to a cache, and nothing elsewhere: a capture is one step, an attack's rate another.
    ///
    /// # Errors
    /// It cannot go on.
    pub fn advance(&mut self, effort: f64) -> Result<bool, LabError> {
        self.0.advance(effort)
    }

    /// What can be shown now. O(samples · queues), and O(flows log flows) at the end.
    #[must_use]
    pub fn picture(&self) -> Picture {
        self.0.picture()
    }

    /// The digits, as the command has them with `--json`; `wall_s` is how long it took by the
    /// caller's clock.
    ///
    /// # Errors
    /// It is not over.
    pub fn report(&mut self, wall_s: f64) -> Result<String, LabError> {
        self.0.report(wall_s)
    }
}
