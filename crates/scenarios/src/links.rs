//! How a scenario lets a switch with its links go on until some time.

use forebay_lab::{RunContext, RunError};
use forebay_switch::{Handle, Links, SwitchModel, Traffic};
use forebay_units::Time;

/// Lets everything happen that is due up to and including `end`; looks whether it should stop now
/// and then.
///
/// # Errors
/// [`RunError::Stopped`] soon after `context` is stopped.
pub(crate) fn until<P: Copy + Into<Handle>, S: SwitchModel<P>, T: Traffic<S, P>>(
    links: &mut Links<'_, S, T, P>,
    end: Time,
    context: &RunContext<'_>,
) -> Result<(), RunError> {
    for event in 0u64.. {
        if event.is_multiple_of(65_536) && context.stopped() {
            return Err(RunError::Stopped);
        }
        if !links.step_until(end) {
            break;
        }
    }
    Ok(())
}
