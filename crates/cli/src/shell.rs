//! What a shell and a manual know of the command: `forebay completions` and `forebay man`. Both are
//! made from the same description of the arguments that reads them.

use std::fs;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;

use crate::{Failure, terminal};

pub(crate) const COMPLETIONS_HELP: &str = "Examples:
  forebay completions bash > ~/.local/share/bash-completion/completions/forebay
  forebay completions zsh > ~/.zfunc/_forebay               where fpath has ~/.zfunc
  forebay completions fish > ~/.config/fish/completions/forebay.fish";

pub(crate) const MAN_HELP: &str = "Example:
  forebay man ~/.local/share/man/man1     then: man forebay, man forebay-net-run";

/// Prints what lets a shell complete the command.
pub(crate) fn completions(mut command: Command, shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "forebay", &mut text);
    terminal::print(&String::from_utf8_lossy(&text))
}

/// Writes a page of the manual for every command into a folder.
pub(crate) fn man(command: Command, folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("error: cannot write to {}: {error}", folder.display()), 1)
    };
    fs::create_dir_all(folder).map_err(failed)?;
    // Without the command `help`, whose pages would be all others once more.
    let command = command.disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    let pages = fs::read_dir(folder).map_err(failed)?.count();
    terminal::print(&format!("{pages} pages in {}\n", folder.display()))
}
