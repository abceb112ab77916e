//! The words of a recorded link's command line, with the policy of the replay's.

use clap::{Args, Command, FromArgMatches};

use super::super::arguments::Arguments;
use crate::Failure;
use crate::recorded::{Given, POLICY};

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
