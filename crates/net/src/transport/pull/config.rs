//! The parameters of flows that their receivers pull.

use forebay_parameters::{Configure, ParameterError, Source, check};
use forebay_units::Duration;

/// NDP's own parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Configure)]
pub struct PullConfig {
    /// Packets that a flow sends at once, before its receiver has pulled any: what a path holds for
    /// a round trip, and more.
    #[parameter(source = CITED, range = 1..=1_000_000, default = 30)]
    pub first_window: u32,
    /// How long a sender hears nothing until it sends again what is not answered, twice as long
    /// after each timeout in a row: only what was lost without a trace needs it.
    #[parameter(source = CITED, default = Duration::from_ms(1))]
    pub timeout: Duration,
}

// The paper's text was not at hand.
const CITED: Source = Source::assumed("what others cite of ndp; not compared with its own text");

impl PullConfig {
    /// That its timer is one.
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        check(&mut { *self })?;
        if self.timeout < Duration::from_ns(1) {
            let problem = "a timer of less than 1 ns never ends: give more";
            return Err(PullConfig::TIMEOUT.refuse(problem));
        }
        Ok(())
    }
}
