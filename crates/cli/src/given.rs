//! Options that were given, and what they depend on.
//!
//! A command says once, in a table, which options are read beside which value of another; whatever
//! was given and is not read is refused by name, with what would give it an effect. What depends on
//! a policy is asked of that, and refused where its configuration is.

use std::fmt::Display;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

use crate::Failure;
use crate::failure::wrong;

/// The options of a command that were given, and not left at their defaults. It stands before the
/// other fields of a command's arguments, which take their values away.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(Vec<String>);

/// An option, and the values of another with which it is read.
pub(crate) type ReadBeside = (&'static str, &'static [&'static str]);

impl Given {
    /// Whether this option was given.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.0.iter().any(|given| given == option)
    }

    /// That each option of `table` that was given is read beside `value`, which `way` (as
    /// `"--pattern "`) gives.
    ///
    /// # Errors
    /// The first that is not.
    pub(crate) fn beside(
        &self,
        way: &str,
        value: &str,
        table: &[ReadBeside],
    ) -> Result<(), Failure> {
        let idle = |(option, readers): &&ReadBeside| self.has(option) && !readers.contains(&value);
        match table.iter().find(idle) {
            None => Ok(()),
            Some((option, readers)) => {
                let others: Vec<String> =
                    readers.iter().map(|other| format!("{way}{other}")).collect();
                Err(idle_beside(option, format!("{way}{value}"), others.join(" or ")))
            }
        }
    }

    /// That this option is read, if it was given; `beside` says with what it is not, and `instead`
    /// with what it is.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn read_if(
        &self,
        option: &str,
        is_read: bool,
        beside: impl Display,
        instead: impl Display,
    ) -> Result<(), Failure> {
        match self.has(option) && !is_read {
            true => Err(idle_beside(option, beside, instead)),
            false => Ok(()),
        }
    }
}

fn idle_beside(option: &str, beside: impl Display, instead: impl Display) -> Failure {
    wrong(option, format_args!("it has no effect with {beside}; leave it out, or give {instead}"))
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let ids = matches.ids().map(clap::Id::as_str).filter(typed);
        Ok(Given(ids.map(|id| id.replace('_', "-")).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Given::from_arg_matches(matches)?;
        Ok(())
    }
}

/// It adds no option.
impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Example {
        #[command(flatten)]
        given: Given,
        #[arg(long, default_value = "poisson")]
        pattern: String,
        #[arg(long, default_value_t = 16)]
        degree: u32,
        #[arg(long)]
        per_second: Option<u32>,
    }

    const TABLE: &[ReadBeside] = &[("degree", &["incast"]), ("per-second", &["incast", "ring"])];

    fn refused(arguments: &[&str]) -> Option<String> {
        let example = Example::parse_from([&["example"], arguments].concat());
        assert!(example.degree >= 7 && example.per_second.is_none_or(|few| few == 3));
        let checked = example.given.beside("--pattern ", &example.pattern, TABLE);
        checked.err().map(|failure| failure.message)
    }

    #[test]
    fn what_was_given_and_is_not_read_is_refused_with_what_reads_it() {
        assert_eq!(refused(&[]), None);
        assert_eq!(refused(&["--pattern", "incast", "--degree", "7"]), None);
        assert_eq!(
            refused(&["--degree", "16"]).as_deref(),
            Some(
                "error: --degree: it has no effect with --pattern poisson; leave it out, or give \
                 --pattern incast"
            )
        );
        let other = refused(&["--per-second", "3"]).unwrap();
        assert!(other.ends_with("or give --pattern incast or --pattern ring"), "{other}");
    }
}
