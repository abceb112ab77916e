//! The words of two command lines: that of the recorded link, and that of the replay, which may
//! give another policy.

use clap::{Arg, Args, Command, FromArgMatches};

use super::super::arguments::Arguments;
use crate::Failure;
use crate::replay::trace::TraceArguments;

/// The options that another policy is made of.
const POLICY: [&str; 7] = ["switch", "tree", "buffer", "mark", "rank", "class", "classes"];

/// The words of this program's command line behind the name of a command.
pub(super) fn words_after(command: &'static str) -> impl Iterator<Item = String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words.skip_while(move |word| word != command).skip(1)
}

/// What a replay says about a recorded link. Anything else has no effect on one, and is refused by
/// name.
pub(super) struct Given {
    /// The policy, by option.
    pub(super) policy: Vec<(&'static str, String)>,
    /// What is traced.
    pub(super) trace: TraceArguments,
}

impl Given {
    /// From the words of this command line.
    pub(super) fn read() -> Result<Self, Failure> {
        let option = |name: &'static str| Arg::new(name).long(name);
        let usage = POLICY.map(|name| format!("[--{name} …]")).join(" ");
        let parser = Command::new("replay")
            .no_binary_name(true)
            .override_usage(format!("forebay replay FOLDER {usage} [--trace FILE …]"))
            .arg(Arg::new("folder").required(true))
            .args(POLICY.map(option));
        let parser = TraceArguments::augment_args(parser);
        let refused = |error: clap::Error| {
            Failure::input(format!("{} (for a recorded link)", error.to_string().trim_end()))
        };
        let matches = parser.try_get_matches_from(words_after("replay")).map_err(refused)?;
        let given = |name: &'static str| Some((name, matches.get_one::<String>(name)?.clone()));
        let policy = POLICY.into_iter().filter_map(given).collect();
        Ok(Given { policy, trace: TraceArguments::from_arg_matches(&matches).map_err(refused)? })
    }

    /// Whether the policy is another in this regard.
    pub(super) fn has(&self, option: &str) -> bool {
        self.policy.iter().any(|(name, _)| *name == option)
    }
}

/// The arguments of a link whose `words` were recorded, with the policy that is `given` instead of
/// its own. With `--switch`, nothing of the recorded policy stays.
pub(super) fn arguments(mut words: Vec<String>, given: &Given) -> Result<Arguments, Failure> {
    let replaced: Vec<&str> = match given.has("switch") {
        true => POLICY.to_vec(),
        false => given.policy.iter().map(|(name, _)| *name).collect(),
    };
    words = without(words, &replaced);
    words.extend(given.policy.iter().map(|(name, value)| format!("--{name}={value}")));
    words.extend(["--".to_owned(), "true".to_owned()]);
    let parser = Arguments::augment_args(Command::new("link").no_binary_name(true));
    parser
        .try_get_matches_from(words)
        .and_then(|matches| Arguments::from_arg_matches(&matches))
        .map_err(|error| Failure::input(error.to_string().trim_end().to_owned()))
}

/// The words of a command line without these options and their values.
fn without(words: Vec<String>, options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").unwrap_or_default();
        let (name, has_value) = match name.split_once('=') {
            Some((name, _)) => (name, true),
            None => (name, false),
        };
        if !options.contains(&name) {
            kept.push(word);
        } else if !has_value {
            words.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_policy_replaces_is_left_out() {
        let words = ["20M,25ms", "--switch", "pifo", "--rank=size", "--set", "loss=0.1"];
        let kept = without(words.map(str::to_owned).to_vec(), &POLICY);
        assert_eq!(kept, ["20M,25ms", "--set", "loss=0.1"]);
    }
}
