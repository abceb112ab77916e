//! Why a Gearbox cannot be built: each reason one sentence with the fix.

use core::fmt;

use forebay_parameters::ParameterError;

use super::config::{MAX_FIFOS, MAX_LEVELS};

/// Why a Gearbox cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GearboxError {
    /// No levels or too many.
    Levels {
        /// The number asked for.
        asked: usize,
    },
    /// A level has too few or too many FIFOs.
    Fifos {
        /// The level, from 1.
        level: usize,
        /// FIFOs asked for.
        asked: u32,
    },
    /// A granularity is zero or more than 2^32.
    Granularity {
        /// The level, from 1.
        level: usize,
    },
    /// A granularity does not fit the level below.
    Ratio {
        /// The coarser level, from 1.
        level: usize,
        /// Units that a set of the level below spans.
        span: u64,
    },
    /// A step-down FIFO cannot be split into one set of the level below.
    StepDownSpan {
        /// The coarser level, from 1.
        level: usize,
        /// Units that a set of the level below spans.
        span: u64,
    },
    /// Step-down FIFOs without sets A and B.
    StepDownPlacement,
    /// Step-down FIFOs with an odd number of FIFOs at the top.
    StepDownOdd {
        /// FIFOs of the top level.
        fifos: u32,
    },
    /// A unit of no bytes, or no weight.
    Unit,
    /// A limit is zero or too large.
    Limits,
    /// No number of levels gives the horizon within the budget of FIFOs.
    Budget {
        /// The FIFOs that may be used in all.
        fifos: u32,
        /// Units that must be reached.
        horizon: u64,
        /// The smallest budget that would do, `None` if none does.
        needed: Option<u32>,
    },
    /// The range of weights is empty or begins at zero.
    Weights,
}

/// The same of the parameter at fault, by its declared name.
impl From<GearboxError> for ParameterError {
    fn from(error: GearboxError) -> Self {
        let name = match error {
            GearboxError::Levels { .. }
            | GearboxError::Fifos { .. }
            | GearboxError::Granularity { .. }
            | GearboxError::Ratio { .. }
            | GearboxError::StepDownSpan { .. }
            | GearboxError::StepDownOdd { .. } => "levels",
            GearboxError::StepDownPlacement => "placement",
            GearboxError::Unit => "unit_bytes",
            GearboxError::Limits => "packets",
            GearboxError::Budget { .. } => "fifos",
            GearboxError::Weights => "weights",
        };
        ParameterError::value(name, error)
    }
}

impl fmt::Display for GearboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            GearboxError::Levels { asked } => {
                write!(f, "levels: {asked} levels; give 1 to {MAX_LEVELS}")
            }
            GearboxError::Fifos { level, asked } => {
                write!(f, "level {level} has {asked} FIFOs a set; give 2 to {MAX_FIFOS}")
            }
            GearboxError::Granularity { level } => {
                write!(f, "level {level}: give a granularity of 1 to 2^32 units")
            }
            GearboxError::Ratio { level, span } => write!(
                f,
                "level {level}: its granularity must be a larger multiple of the level below's and \
                 divide the {span} units of its set"
            ),
            GearboxError::StepDownSpan { level, span } => write!(
                f,
                "level {level}: with step-down FIFOs its granularity must be the {span} units of a \
                 set of the level below; change it or switch step_down off"
            ),
            GearboxError::StepDownPlacement => {
                write!(
                    f,
                    "step-down FIFOs need placement = ping-pong: set that, or step_down = false"
                )
            }
            GearboxError::StepDownOdd { fifos } => write!(
                f,
                "the top level has {fifos} FIFOs; with step-down FIFOs give it an even number"
            ),
            GearboxError::Unit => {
                write!(
                    f,
                    "unit: give a unit of virtual time at least 1 byte and a total weight of 1"
                )
            }
            GearboxError::Limits => write!(
                f,
                "limits: give at least 1 packet (2^31 at most), 1 byte, 1 flow, and 1 packet per \
                 FIFO if that is limited"
            ),
            GearboxError::Budget { fifos, horizon, needed } => {
                write!(f, "{fifos} FIFOs cannot reach {horizon} units ahead; ")?;
                match needed {
                    Some(needed) => write!(f, "give at least {needed}"),
                    None => write!(f, "no number can, ask for a smaller range of weights"),
                }
            }
            GearboxError::Weights => {
                write!(f, "weights: the smallest must be at least 1 and at most the largest")
            }
        }
    }
}

impl core::error::Error for GearboxError {}
