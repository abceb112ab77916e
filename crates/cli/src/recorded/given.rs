//! What the command line of a replay gives of a recording.

use clap::{Arg, ArgAction, Args, Command, FromArgMatches};

use crate::net::wrong;
use crate::replay::trace::TraceArguments;
use crate::{Failure, key_value};

/// The options that another policy is made of.
pub(crate) const POLICY: [&str; 7] =
    ["switch", "tree", "buffer", "mark", "rank", "class", "classes"];

/// Those of them that can be changed while a link or a lab runs: none names a file.
pub(crate) const CHANGEABLE: [&str; 6] = ["switch", "buffer", "mark", "rank", "class", "classes"];

/// The words of this program's command line behind the name of a command.
pub(crate) fn words_after(command: &'static str) -> impl Iterator<Item = String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.skip_while(move |word| word != command).skip(1)
}

/// What a replay says about a recording. Anything else has no effect on one, and is refused by
/// name.
pub(crate) struct Given {
    /// The policy, by option.
    pub(crate) policy: Vec<(&'static str, String)>,
    /// Parameters of the switch.
    pub(crate) set: Vec<(String, String)>,
    /// What is traced.
    pub(crate) trace: TraceArguments,
}

impl Given {
    /// From the words of this command line.
    pub(crate) fn read() -> Result<Self, Failure> {
        Self::of(words_after("replay"))
    }

    /// From these words: a folder, and options.
    pub(crate) fn of(words: impl IntoIterator<Item = String>) -> Result<Self, Failure> {
        let option = |name: &'static str| Arg::new(name).long(name);
        let usage = POLICY.map(|name| format!("[--{name} …]")).join(" ");
        let parser = Command::new("replay")
            .no_binary_name(true)
            .override_usage(format!(
                "forebay replay FOLDER {usage} [--set KEY=VALUE …] [--trace FILE …]"
            ))
            .arg(Arg::new("folder").required(true))
            .args(POLICY.map(option))
            .arg(option("set").value_parser(key_value).action(ArgAction::Append));
        let parser = TraceArguments::augment_args(parser);
        let refused = |error: clap::Error| {
            Failure::input(format!("{} (for a recording)", error.to_string().trim_end()))
        };
        let matches = parser.try_get_matches_from(words).map_err(refused)?;
        let given = |name: &'static str| Some((name, matches.get_one::<String>(name)?.clone()));
        let policy = POLICY.into_iter().filter_map(given).collect();
        let set = matches.get_many("set").into_iter().flatten().cloned().collect();
        let trace = TraceArguments::from_arg_matches(&matches).map_err(refused)?;
        Ok(Given { policy, set, trace })
    }

    /// The policy and its parameters, as pairs of texts.
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        let policy = self.policy.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        policy.chain(self.set.iter().cloned()).collect()
    }

    /// Whether another policy decides than did.
    pub(crate) fn is_another(&self) -> bool {
        !self.policy.is_empty() || !self.set.is_empty()
    }

    /// That what is set are parameters of the switch, as `is_parameter` tells.
    ///
    /// # Errors
    /// The first that is not.
    pub(crate) fn check_set(&self, is_parameter: impl Fn(&str) -> bool) -> Result<(), Failure> {
        match self.set.iter().find(|(key, _)| !is_parameter(key)) {
            None => Ok(()),
            Some((key, _)) => Err(wrong(
                "set",
                format!("{key} is as it was recorded: give parameters of the switch alone"),
            )),
        }
    }

    /// Whether the policy is another in this regard.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.policy.iter().any(|(name, _)| *name == option)
    }
}
