//! Options that a configuration declares: one for each of its parameters, with the sentence, the
//! kind and the default that stand there.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use forebay_parameters::{Configure, Kind, Listed, Value, listed, listed_all, set};

use crate::Failure;
use crate::failure::wrong;

/// What the options of a configuration `C` were given.
pub(crate) struct Options<C> {
    given: Vec<(String, String)>,
    of: PhantomData<C>,
}

impl<C: Configure> Options<C> {
    /// Fills a configuration with what was given.
    ///
    /// # Errors
    /// The option whose value the configuration cannot have.
    pub(crate) fn fill(&self, mut config: C) -> Result<C, Failure> {
        set(&mut config, &self.given)
            .map_err(|error| wrong(&long(error.name()), error.sentence()))?;
        Ok(config)
    }
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
}
