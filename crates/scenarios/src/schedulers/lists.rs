//! Parameters that are lists in one text: weights of flows, budgets and work of classes.

use forebay_lab::{ConfigError, Resolved};
use forebay_parameters::Value;

/// The most classes that have a value of their own.
const CLASSES: usize = 256;

/// The weights that a text such as `50:50:1:1` or `40:1x40` lists.
///
/// # Errors
/// Names the parameter, if it is no such list.
pub fn weights(params: &Resolved) -> Result<Vec<u32>, ConfigError> {
    let text = params.text("scheduler.weights")?;
    let bad = || {
        params
            .blame("scheduler.weights", format!("\"{text}\" is no list of weights"))
            .fix("write whole numbers from 1, as 50:50:1:1 or 40:1x40")
    };
    let mut weights = Vec::new();
    for part in text.split(':') {
        let (weight, times) = part.split_once('x').unwrap_or((part, "1"));
        let weight: u32 = weight.trim().parse().map_err(|_| bad())?;
        let times: usize = times.trim().parse().map_err(|_| bad())?;
        if weight == 0 || times == 0 || times + weights.len() > 1 << 16 {
            return Err(bad());
        }
        weights.extend(std::iter::repeat_n(weight, times));
    }
    Ok(weights)
}

/// A list with a value for each class, each read by `read`.
fn of_classes(
    params: &Resolved,
    name: &str,
    fix: &str,
    read: impl Fn(&str) -> Option<Value>,
) -> Result<Value, ConfigError> {
    let text = params.text(name)?;
    let parts: Option<Vec<Value>> = text.split(':').map(|part| read(part.trim())).collect();
    let parts = parts.filter(|parts| parts.len() <= CLASSES).map(Value::List);
    parts.ok_or_else(|| {
        params.blame(name, format!("\"{text}\" is no list for classes")).fix(fix.to_owned())
    })
}

/// The times that a text such as `10 us:1 ms` lists.
pub(super) fn budgets(params: &Resolved) -> Result<Value, ConfigError> {
    let fix = "write times, as 10 us:1 ms, 256 at most";
    of_classes(params, "scheduler.budgets", fix, |part| part.parse().ok().map(Value::Duration))
}

/// The work that a text such as `100:20+1` lists: per packet, and per byte after a plus.
pub(super) fn job_costs(params: &Resolved) -> Result<Value, ConfigError> {
    let fix = "write whole numbers, with a + and another for each byte, as 100:20+1, 256 at most";
    of_classes(params, "scheduler.job_costs", fix, |part| {
        let (per_packet, per_byte) = part.split_once('+').unwrap_or((part, "0"));
        let number = |text: &str| text.trim().parse::<u32>().ok();
        Some(Value::Text(format!("{}+{}", number(per_packet)?, number(per_byte)?)))
    })
}
