//! Options that a configuration declares: one for each of its parameters, with the sentence, the
//! kind and the default that stand there.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use forebay_parameters::{
    Configure, Dependency, Kind, Listed, Value, gate, listed, listed_all, set,
};

use crate::Failure;
use crate::failure::wrong;

/// What the options of a configuration `C` were given.
pub(crate) struct Options<C> {
    given: Vec<(String, String)>,
    of: PhantomData<C>,
}

impl<C: Configure + Clone> Options<C> {
    /// Fills a configuration with what was given.
    ///
    /// # Errors
    /// The option whose value the configuration cannot have, or that has no effect in it.
    pub(crate) fn fill(&self, config: C) -> Result<C, Failure> {
        self.fill_choosing(config, ("", &[]))
    }

    /// As [`Options::fill`]: of the parameter `chosen` by one of some names, an option without
    /// effect says with which of them it would have one.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn fill_choosing(
        &self,
        mut config: C,
        chosen: (&str, &[&str]),
    ) -> Result<C, Failure> {
        let Err(error) = set(&mut config, &self.given) else { return Ok(config) };
        // What has an effect is read, and refused for its value.
        let problem = match shows(&mut config, error.name()) {
            true => error.sentence(),
            false => self.without_effect(&config, error.name(), chosen),
        };
        Err(wrong(&long(error.name()), problem))
    }

    /// Why an option has no effect, and what would give it one.
    fn without_effect(&self, config: &C, name: &str, (chosen, names): (&str, &[&str])) -> String {
        let would = |word: &&&str| {
            let mut other = config.clone();
            set(&mut other, &[(chosen, **word)]).is_ok() && shows(&mut other, name)
        };
        let found =
            gate(|| config.clone(), name).map(|gate| self.options_of(&gate)).or_else(|| {
                let word = names.iter().find(would)?;
                let now = listed(&mut config.clone());
                let now = &now.iter().find(|one| one.parameter.name == chosen)?.value;
                Some((format!("with --{chosen} {now}"), format!("give --{chosen} {word}")))
            });
        match found {
            Some((now, instead)) => {
                format!("it has no effect {now}; leave it out, or {instead}")
            }
            None => "it has no effect here; leave it out".to_owned(),
        }
    }

    /// What another option depends on, as it stands on the command line, and what to do about it.
    fn options_of(&self, gate: &Dependency) -> (String, String) {
        let (option, given) = (long(&gate.name), self.given.iter().any(|(n, _)| *n == gate.name));
        match gate.now {
            Value::Bool(now) => {
                let option = if given == now { option } else { format!("no-{option}") };
                match given {
                    true => (format!("with --{option}"), "leave that out".to_owned()),
                    false => (format!("without --{option}"), "give that, too".to_owned()),
                }
            }
            _ => (
                format!("with --{option} {}", gate.now),
                format!("give --{option} {}", gate.instead),
            ),
        }
    }
}

fn shows(config: &mut impl Configure, name: &str) -> bool {
    listed(config).iter().any(|one| one.parameter.name == name)
}

/// The option of a parameter.
fn long(parameter: &str) -> String {
    parameter.replace('_', "-")
}

/// Whether a parameter is true unless it is turned off.
fn turns_off(one: &Listed) -> bool {
    one.value == Value::Bool(true)
}

/// A name that clap keeps for as long as the program runs.
fn kept(name: &str) -> &'static str {
    name.to_owned().leak()
}

/// A sentence as it continues another.
fn uncapitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The option of a parameter; one that has no effect unless another is given is in the long help
/// alone.
fn option(one: &Listed, has_effect: bool) -> Arg {
    let (name, kind) = (kept(&one.parameter.name), one.parameter.kind);
    let about = one.parameter.about.trim_end_matches('.');
    let option = Arg::new(name).hide_short_help(!has_effect);
    if kind == Kind::Bool {
        let (long, help) = match turns_off(one) {
            true => (format!("no-{}", long(name)), format!("No {}", uncapitalized(about))),
            false => (long(name), about.to_owned()),
        };
        return option.long(kept(&long)).action(ArgAction::SetTrue).help(help);
    }
    let metavariable = match kind {
        Kind::Rate => "RATE",
        Kind::Bytes => "SIZE",
        Kind::Duration => "SPAN",
        Kind::Float { .. } | Kind::Int { .. } => "N",
        Kind::Bool | Kind::Choice(_) | Kind::Text => "NAME",
        Kind::Path => "FILE",
        Kind::List(_) => "LIST",
    };
    let words = if let Kind::Choice(words) = kind
        && !words.iter().all(|word| about.contains(word))
    {
        format!(": {}", words.join(", "))
    } else {
        String::new()
    };
    // Of what may be left out, the sentence says what holds then.
    let default = match one.value.number() {
        Some(0.0) => String::new(),
        Some(_) | None => format!(" [default: {}]", one.value),
    };
    option
        .long(kept(&long(name)))
        .value_name(metavariable)
        .help(format!("{about}{words}{default}"))
        .value_parser(move |text: &str| kind.read_text(text).map(|_| text.to_owned()))
}

impl<C: Configure + Default> Args for Options<C> {
    fn augment_args(command: Command) -> Command {
        let shown = listed(&mut C::default());
        listed_all(&mut C::default()).iter().fold(command, |command, one| {
            let has_effect = shown.iter().any(|other| other.parameter.name == one.parameter.name);
            command.arg(option(one, has_effect))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Configure + Default> FromArgMatches for Options<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = listed_all(&mut C::default()).into_iter().filter_map(|one| {
            let name = one.parameter.name.to_string();
            let text = match one.parameter.kind {
                Kind::Bool if !matches.get_flag(&name) => return None,
                Kind::Bool => (!turns_off(&one)).to_string(),
                _ => matches.get_one::<String>(&name)?.clone(),
            };
            Some((name, text))
        });
        Ok(Options { given: given.collect(), of: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use forebay_net::network::HostConfig;
    use forebay_units::Duration;

    #[derive(Parser)]
    struct Example {
        #[command(flatten)]
        hosts: Options<HostConfig>,
    }

    #[test]
    fn every_parameter_has_an_option() {
        let line = ["x", "--control", "cubic", "--no-sack", "--handshake", "--delayed-ack", "0 s"];
        let hosts = Example::parse_from(line).hosts.fill(HostConfig::default());
        let hosts = hosts.map_err(|failure| failure.message).unwrap();
        assert_eq!((hosts.sack, hosts.handshake), (false, true));
        assert_eq!((hosts.delayed_ack, hosts.initial_rto), (Some(Duration::ZERO), None));
        let unknown = Example::parse_from(["x", "--control", "vegas"]);
        let failure = unknown.hosts.fill(HostConfig::default()).unwrap_err();
        assert!(
            failure.message.starts_with("error: --control: there is no"),
            "{}",
            failure.message
        );
        assert!(Example::try_parse_from(["x", "--mss", "9"]).is_err());
    }

    #[test]
    fn an_option_without_effect_says_with_which_choice_it_would_have_one() {
        let refused = |line: &[&str]| {
            let hosts = Example::parse_from([&["x"][..], line].concat()).hosts;
            let config = HostConfig::default();
            let controls = config.controls.clone();
            let names: Vec<&str> = controls.names().collect();
            hosts.fill_choosing(config, ("control", &names)).unwrap_err().message
        };
        assert_eq!(
            refused(&["--control", "dcqcn", "--hpcc-target", "0.9"]),
            "error: --hpcc-target: it has no effect with --control dcqcn; leave it out, or give \
             --control hpcc"
        );
        assert_eq!(
            refused(&["--control", "dcqcn", "--initial-window", "4"]),
            "error: --initial-window: it has no effect with --control dcqcn; leave it out, or \
             give --control new-reno"
        );
        assert_eq!(
            refused(&["--no-sack", "--loss-by-time"]),
            "error: --loss-by-time: it has no effect with --no-sack; leave it out, or leave that \
             out"
        );
        assert_eq!(
            refused(&["--reorder-window", "9us"]),
            "error: --reorder-window: it has no effect without --loss-by-time; leave it out, or \
             give that, too"
        );
    }
}
