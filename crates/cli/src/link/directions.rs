//! The two directions of a link and their switch, from the arguments.

use forebay_dataplane::link::{EmulationConfig, Pace, Rules};
use forebay_parameters::{Configure, ParameterError, Walk, listed_all};
use forebay_switch::{Catalogue, SwitchConfig};
use forebay_units::{Duration, Rate};

use super::arguments::Arguments;
use super::policy::{Ordered, ordered_with};
use crate::settings::{Decided, misset};
use crate::{Failure, net, settings, terminal};

/// What `--set` reaches: both directions, and their switch.
#[derive(Clone)]
enum Part {
    Direction(EmulationConfig),
    Switch(Box<SwitchConfig>),
}

impl Configure for Part {
    fn walk(&mut self, walk: &mut dyn Walk) {
        match self {
            Part::Direction(config) => config.walk(walk),
            Part::Switch(config) => config.walk(walk),
        }
    }
}

/// A link as its arguments describe it.
pub(super) struct Described {
    /// Up and down: the parameters, and the pace that they or a trace give.
    pub(super) directions: [(EmulationConfig, Pace); 2],
    pub(super) switch: SwitchConfig,
    pub(super) rules: Rules,
}

/// The directions and their switch. A name of `--set` is a direction's before it is the last word
/// of a parameter of the switch.
pub(super) fn read(arguments: &Arguments, catalogue: &Catalogue) -> Result<Described, Failure> {
    let both =
        link(&arguments.link).map_err(|problem| Failure::input(format!("error: {problem}")))?;
    let mut configs = [both.clone(), both];
    let Ordered { switch, rules, note } =
        ordered_with(&arguments.switch, &arguments.rules, catalogue, |mut switch| {
            let others = [("classes", arguments.rules.classes.is_some())];
            let own = net::decided(&mut switch, &arguments.switch, &others);
            let own = own.iter().map(|(name, by)| (&**name, &**by));
            let all: Vec<Decided<'_>> =
                decided(&arguments.link).iter().copied().chain(own).collect();
            let [up, down] = configs.clone().map(Part::Direction);
            let mut parts = [up, down, Part::Switch(Box::new(switch.clone()))];
            settings::set(&mut parts, &arguments.set, &all)
                .map_err(|error| misset("set", &error, &arguments.set))?;
            let mut directions = configs.iter_mut();
            for part in parts {
                match part {
                    Part::Direction(config) => {
                        if let Some(direction) = directions.next() {
                            *direction = config;
                        }
                    }
                    Part::Switch(config) => switch = *config,
                }
            }
            Ok(switch)
        })?;
    if let Some(note) = note {
        terminal::warn(&format!("note: {note}"));
    }
    settings::set(&mut configs[..1], &arguments.up, &[])
        .map_err(|error| misset("up", &error, &arguments.up))?;
    settings::set(&mut configs[1..], &arguments.down, &[])
        .map_err(|error| misset("down", &error, &arguments.down))?;
    let [up, down] = configs;
    if up.mtu != down.mtu {
        let problem = "both ends of a link have the same; give it with --set";
        let error = ParameterError::value("mtu", problem);
        return Err(match arguments.up.iter().any(|(key, _)| key == "mtu") {
            true => misset("up", &error, &arguments.up),
            false => misset("down", &error, &arguments.down),
        });
    }
    let up_pace = pace(arguments, "up", &up)?;
    let down_pace = pace(arguments, "down", &down)?;
    Ok(Described { directions: [(up, up_pace), (down, down_pace)], switch, rules })
}

/// Those of some settings that are of the directions, whatever their switch.
pub(super) fn of_directions(set: Vec<(String, String)>) -> Vec<(String, String)> {
    set.into_iter().filter(|(name, _)| is_of_direction(name)).collect()
}

/// Whether a setting is of a direction, whatever its switch.
pub(super) fn is_of_direction(name: &str) -> bool {
    let known = listed_all(&mut EmulationConfig::default());
    known.iter().any(|one| one.parameter.name == name)
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
    config.pace().map_err(|error| match error.name() {
        name if is_in(own, name) => misset(option, &error, own),
        name if is_in(&arguments.set, name) => misset("set", &error, &arguments.set),
        _ => Failure::input(format!("error: {}: {error}", arguments.link)),
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
    fn no_parameter_of_a_switch_has_the_name_of_a_directions() {
        let own = listed_all(&mut EmulationConfig::default());
        for info in Catalogue::default().switches().iter() {
            for other in listed_all(&mut info.config.clone()) {
                let name = &other.parameter.name;
                assert!(own.iter().all(|one| one.parameter.name != *name), "{name}");
            }
        }
    }

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
