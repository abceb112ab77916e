//! Another policy for a switch that runs: built beside it, so that whoever passes frames only puts
//! it in the other's place.

use std::fmt;

use forebay_replay::with_room;
use forebay_switch::{
    AnySwitch, Observed, SwitchBuildError, SwitchConfig, SwitchObserver, SwitchShape,
};
use forebay_units::Rate;

use super::direction::largest_frame;
use super::rules::Rules;

/// A switch, empty, and the classes and ranks of frames in it.
pub struct NewPolicy {
    pub(crate) switch: AnySwitch,
    pub(crate) rules: Rules,
    index: u32,
    rates: Vec<Rate>,
}

impl NewPolicy {
    /// The switch that `config` describes, of this shape, with room for frames of this MTU.
    ///
    /// # Errors
    /// A parameter of the switch does not fit.
    pub fn build(
        config: &SwitchConfig,
        rules: Rules,
        shape: &SwitchShape<'_>,
        mtu: u32,
    ) -> Result<Self, SwitchBuildError> {
        let largest = largest_frame(mtu);
        config.check_packets_of(largest)?;
        config.check_lossy()?;
        let switch = with_room(config.clone(), largest).build(shape)?;
        Ok(NewPolicy { switch, rules, index: shape.index, rates: shape.ports.to_vec() })
    }

    /// The same, with whoever `observer` makes for such a switch told what happens in it.
    #[must_use]
    pub fn observed<O: SwitchObserver + Send + 'static>(
        self,
        observer: impl FnOnce(&SwitchShape<'_>) -> O,
    ) -> Self {
        let observer = observer(&SwitchShape { index: self.index, ports: &self.rates });
        NewPolicy { switch: Box::new(Observed::new(self.switch, observer)), ..self }
    }
}

impl fmt::Debug for NewPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewPolicy").field("index", &self.index).finish_non_exhaustive()
    }
}
