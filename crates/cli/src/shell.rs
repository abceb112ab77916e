//! What a shell and a manual know of the command: `forebay completions` and `forebay man`. Both are
//! made from the same description of the arguments that reads them.

use std::path::Path;
use std::{fs, io};

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;
use forebay_parameters::{Entry, Registry};
use forebay_scenarios::Policies;

use crate::{Failure, terminal};

pub(crate) const COMPLETIONS_HELP: &str = "Examples:
  forebay completions bash > ~/.local/share/bash-completion/completions/forebay
  forebay completions zsh > ~/.zfunc/_forebay               where fpath has ~/.zfunc
  forebay completions fish > ~/.config/fish/completions/forebay.fish";

pub(crate) const MAN_HELP: &str = "Example:
  forebay man ~/.local/share/man/man1     then: man forebay, man forebay-net-run";

/// Prints what lets a shell complete the command; where an option's value is a name, it offers the
/// names that these policies have.
pub(crate) fn completions(
    command: Command,
    shell: Shell,
    policies: &Policies,
) -> Result<(), Failure> {
    let mut command = offering(command, &[], policies);
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "forebay", &mut text);
    terminal::print(&String::from_utf8_lossy(&text))
}

/// The same command with the names that its options take; it reads no arguments.
fn offering(command: Command, above: &[String], policies: &Policies) -> Command {
    let mut path = above.to_vec();
    path.push(command.get_name().to_owned());
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let named = command.mut_args(|argument| match named(&words, argument.get_long(), policies) {
        Some(names) => argument.value_parser(PossibleValuesParser::new(names)),
        None => argument,
    });
    named.mut_subcommands(|below| offering(below, &path, policies))
}

/// What an option of a command can name, if it names something of a registry.
fn named(command: &[&str], option: Option<&str>, policies: &Policies) -> Option<Vec<String>> {
    let switches = &policies.switches;
    match (command, option?) {
        (_, "switch") => Some(names(&switches.switches())),
        (_, "rank") => Some(names(switches.ranks())),
        (_, "control") => Some(names(&policies.controls)),
        ([_, "buffer", ..], "policies") => Some(names(switches.on_chip())),
        ([_, "cache" | "proxy", ..], "policies" | "policy") => Some(names(&policies.caches)),
        ([_, "surge", ..], "policies" | "policy") => Some(names(&policies.jobs)),
        _ => None,
    }
}

fn names<E: Entry>(registry: &Registry<E>) -> Vec<String> {
    registry.iter().map(|entry| entry.name().to_owned()).collect()
}

/// Writes a page of the manual for every command into a folder.
pub(crate) fn man(command: Command, folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("error: cannot write to {}: {error}", folder.display()), 1)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    // Without the command `help`, whose pages would be all others once more.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    pages(&command, folder).map_err(failed)?;
    let pages = fs::read_dir(folder).map_err(failed)?.count();
    terminal::print(&format!("{pages} pages in {}\n", folder.display()))
}

/// The pages of a command and of those below it.
fn pages(command: &Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, folder)?;
    }
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        page.render_options_section(&mut text)?;
    }
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        page.render_subcommands_section(&mut text)?;
    }
    if let Some(help) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        text.extend(as_it_stands(&help.to_string()).into_bytes());
    }
    if command.get_version().is_some() {
        page.render_version_section(&mut text)?;
    }
    fs::write(folder.join(page.get_filename()), text)
}

/// What follows the options, its lines as they are: they are lists and examples.
fn as_it_stands(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        // At its beginning these would command.
        let guard = if line.starts_with(['.', '\'']) { "\\&" } else { "" };
        format!("{guard}{line}\n")
    };
    format!(".SH MORE\n.nf\n{}.fi\n", text.lines().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_manual_stay_lines() {
        let text = as_it_stands("A shape:\n  star:8,10G   eight\n.so file\n--json \\n\n");
        assert_eq!(
            text,
            ".SH MORE\n.nf\nA shape:\n  star:8,10G   eight\n\\&.so file\n\\-\\-json \\en\n.fi\n"
        );
    }
}
