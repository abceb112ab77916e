//! The two directions of a link, from the arguments.

use forebay_dataplane::link::{EmulationConfig, Pace};
use forebay_units::{Duration, Rate};

use super::arguments::Arguments;
use crate::net::wrong;
use crate::settings::Decided;
use crate::{Failure, settings};

/// Up and down: the parameters, and the pace that they or a trace give.
pub(super) fn read(arguments: &Arguments) -> Result<[(EmulationConfig, Pace); 2], Failure> {
    let both =
        link(&arguments.link).map_err(|problem| Failure::input(format!("error: {problem}")))?;
    let mut configs = [both.clone(), both];
    settings::set(&mut configs, &arguments.set, decided(&arguments.link))
        .map_err(|error| wrong("set", error))?;
    settings::set(&mut configs[..1], &arguments.up, &[]).map_err(|error| wrong("up", error))?;
    settings::set(&mut configs[1..], &arguments.down, &[]).map_err(|error| wrong("down", error))?;
    let [up, down] = configs;
    if up.mtu != down.mtu {
        return Err(wrong("set", "mtu: both ends of a link have the same: give it with --set"));
    }
    let pace = |option, config| pace(arguments, option, config);
    Ok([(up.clone(), pace("up", &up)?), (down.clone(), pace("down", &down)?)])
}

/// The pace of a direction, whose own parameters are those of `option`. A mistake is blamed on
/// where the parameter was given last.
fn pace(
    arguments: &Arguments,
    option: &'static str,
    config: &EmulationConfig,
) -> Result<Pace, Failure> {
    let own = if option == "up" { &arguments.up } else { &arguments.down };
    let is_in = |set: &[(String, String)], name: &str| set.iter().any(|(key, _)| key == name);
    let given = |name: &str| match (is_in(own, name), is_in(&arguments.set, name)) {
        (true, _) => Some(option),
        (false, true) => Some("set"),
        (false, false) => None,
    };
    config.pace().map_err(|error| match given(error.name()) {
        Some(option) => wrong(option, error),
        None => Failure::input(format!("error: {}: {error}", arguments.link)),
    })
}

/// What the first argument gives of both directions, so that `--set` may not.
fn decided(link: &str) -> &'static [Decided<'static>] {
    let both = &[("delay", "given as DELAY, too"), ("rate", "given as RATE, too")];
    if link.contains(',') { both } else { &both[1..] }
}

/// `RATE`, or `RATE,DELAY`.
fn link(text: &str) -> Result<EmulationConfig, String> {
    let (rate, delay) = match text.split_once(',') {
        Some((rate, delay)) => (rate, Some(delay)),
        None => (text, None),
    };
    let rate: Rate = rate.trim().parse().map_err(|error| format!("{text}: {error}"))?;
    let delay = delay.map(|delay| delay.trim().parse()).transpose();
    let delay: Option<Duration> = delay.map_err(|error| format!("{text}: {error}"))?;
    let delay = delay.unwrap_or(Duration::ZERO);
    Ok(EmulationConfig { rate, delay, ..EmulationConfig::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_rate_and_perhaps_a_delay() {
        let config = link("20M,25ms").unwrap();
        assert_eq!(
            (config.rate, config.delay),
            (Rate::from_bps(20_000_000), Duration::from_ms(25))
        );
        assert_eq!(link("2.5 Gb/s , 10 us").unwrap().delay, Duration::from_us(10));
        assert_eq!(link("1G").unwrap().delay, Duration::ZERO);
        for wrong in ["25ms", "20M,", "20M,25", "20M,25ms,3", ""] {
            assert!(link(wrong).unwrap_err().starts_with(&format!("{wrong}: ")), "{wrong}");
        }
    }
}
