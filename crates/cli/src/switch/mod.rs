//! `forebay switch`: hosts and switches with real packets, as a file describes them.

mod file;
mod parameters;
pub(crate) mod policies;
pub(crate) mod recorded;
mod remote;
mod report;
mod run;
mod topology;
#[cfg(feature = "view")]
mod viewed;

pub(crate) use file::{is_decided, schema};

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use forebay_dataplane::fabric::{Devices, HostAddresses};
use forebay_dataplane::live::{Backend, RunningError};
use forebay_switch::Catalogue;
use forebay_units::Duration;

use crate::link::backend;
use crate::{Failure, key_value};

pub(crate) const HELP: &str =
    "LAB is a file, or a topology as `forebay net run --help` lists them. A file has one key a line,
a table [link] with what happens on every wire, and [parameters] of the switches:

  topology = \"star:4,100M,1ms\"      # or a topology file
  forwarding = \"learning\"           # or routes, the default where there are loops
  switch = \"occamy\"                 # any switch of forebay net run
  buffer = \"100 KB\"
  mark = \"30 KB\"                    # ECN
  class = \"dscp == 46 ? 0 : 1\"      # and classes, rank, tree, as for forebay link
  mtu = 1500
  card_buffer = \"4 MB\"              # the queue of a host's network card
  memory = \"256 MB\"                 # of all frames on their way
  [link]
  loss = 0.001                      # jitter, reorder, reorder_by, seed: docs/live.md
  [ports]
  eth1 = \"s1,1G\"                  # an interface of this machine (also --port eth1=s1,1G)
  [parameters]                      # any other of the switch; in [parameters.s1] of one alone
  alpha = 2

Hosts are called h1, h2, ...; they find each other by these names.

Examples:
  forebay switch star:2,100M,5ms                   until Ctrl-C; meanwhile, elsewhere:
  forebay switch exec h1 -- ping h2
  forebay switch LAB.toml --check                  whether a file is right
  forebay switch up LAB.toml --set switch=dt       in the background
  forebay switch status
  forebay switch down
  forebay switch LAB.toml --record run             then: forebay replay run --switch dt

Exit codes: that of the command (exec; 127 if it cannot be started), 0 done, 1 the lab cannot be
made or entered or not all of it be recorded, 2 the input is wrong.";

/// Options come before the subcommands' own.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<SwitchCommand>,
    #[command(flatten)]
    lab: Option<LabArguments>,
}

#[derive(Subcommand)]
enum SwitchCommand {
    /// Make a lab, and leave it running in the background.
    Up(LabArguments),
    /// End a lab that runs.
    Down {
        /// Which, if several run.
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// List the labs that run, or say what has passed through one.
    Status {
        /// Which one.
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// As one JSON object.
        #[arg(long, requires = "name")]
        json: bool,
    },
    /// Run a command on a host of a lab that runs.
    Exec {
        /// Which lab, if several run.
        #[arg(long, value_name = "NAME")]
        lab: Option<String>,
        /// The host, as h1.
        #[arg(value_name = "HOST")]
        host: String,
        /// The command and its arguments.
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },
}

/// A lab to be made.
#[derive(Args)]
pub(crate) struct LabArguments {
    /// A file, or a topology such as star:4,100M,1ms (see below).
    #[arg(value_name = "LAB")]
    lab: String,
    /// Set a key of the file, or a parameter of the switch: switch=dt, link.loss=0.01, alpha=2.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,
    /// Make an interface of this machine a port of a switch, at RATE (default: that of the switch's
    /// first link), as eth1 (of s1) or eth1=s2,1G,10us; may be given several times.
    #[arg(long, value_name = "NAME[=SWITCH[,RATE[,DELAY]]]")]
    port: Vec<String>,
    /// Its name, by which other commands find it [default: the file's, or that of the shape].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The sockets by which frames of hosts come and leave: AF_PACKET with large segments, or
    /// AF_XDP without.
    #[arg(long, value_name = "SOCKETS", default_value = "packet", value_parser = backend())]
    ring: Backend,
    /// Say so if one frame in a hundred leaves later than computed by more than this.
    #[arg(long, value_name = "SPAN", default_value = "1 ms")]
    tolerance: Duration,
    /// Only say whether the lab is right: nothing is made, and nobody need be permitted to.
    #[arg(long)]
    check: bool,
    /// Write the report to this file, as one JSON object.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the report to this file instead of standard error.
    #[arg(long, value_name = "FILE", hide = true)]
    report: Option<PathBuf>,
    /// Record the run into this new folder: `forebay replay FOLDER` decides it again.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    // Those of `ViewArguments`: a group that may be missing, as this one, cannot hold another.
    /// Show what happens on a page at this address, as 127.0.0.1:8377 (port 0: any that is free),
    /// where the policy can be changed as well; the page's address with its token is printed.
    #[cfg(feature = "view")]
    #[arg(long, value_name = "ADDRESS")]
    view: Option<std::net::SocketAddr>,
    /// The token that the page needs, in a file (at least 16 characters) [default: a new one];
    /// must be given where others than this machine are to reach the page.
    #[cfg(feature = "view")]
    #[arg(long, value_name = "FILE", requires = "view")]
    view_token: Option<PathBuf>,
}

impl LabArguments {
    /// What was set, the ports among it.
    fn all_set(&self) -> Vec<(String, String)> {
        let port = |port: &String| {
            let (name, switch) = port.split_once('=').unwrap_or((port, "s1"));
            (format!("ports.{name}"), switch.to_owned())
        };
        self.set.iter().cloned().chain(self.port.iter().map(port)).collect()
    }

    /// Its view.
    #[cfg(feature = "view")]
    fn view(&self) -> crate::view::ViewArguments {
        crate::view::ViewArguments { view: self.view, view_token: self.view_token.clone() }
    }

    /// The lab's name.
    fn name(&self) -> String {
        let stem = || {
            let path = std::path::Path::new(&self.lab);
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            stem.unwrap_or_default()
        };
        self.name.clone().unwrap_or_else(|| match self.lab.split_once(':') {
            Some((shape, _)) => shape.to_owned(),
            None => stem(),
        })
    }
}

/// A lab that is checked and built, before any namespace is made.
pub struct BuiltLab {
    /// The switches, and behind them each host's network card.
    pub devices: Devices,
    /// Where frames of each host come in: a device, and a port of it.
    pub entrances: Vec<(u32, u16)>,
    /// The hosts.
    pub hosts: Vec<HostAddresses>,
}

/// Builds the lab that a file's text describes, as `forebay switch` does; `beside` says where the
/// files are that it names.
///
/// # Errors
/// What the command says of it.
pub fn build_lab(
    text: &str,
    beside: impl Fn(&Path) -> PathBuf,
    catalogue: &Catalogue,
) -> Result<BuiltLab, String> {
    let source = file::Source::of_text("lab.toml", text);
    let lab = file::read(&source, beside, catalogue).map_err(|failure| failure.message)?;
    run::plan(&source, &lab).map_err(|failure| failure.message)
}

pub(crate) fn run(arguments: &Arguments, catalogue: &Catalogue) -> Result<(), Failure> {
    match (&arguments.command, &arguments.lab) {
        (None, Some(lab)) | (Some(SwitchCommand::Up(lab)), _) if lab.check => {
            run::check_only(lab, catalogue)
        }
        (None, Some(lab)) => run::foreground(lab, catalogue),
        (Some(SwitchCommand::Up(lab)), _) => remote::up(lab, catalogue),
        (Some(SwitchCommand::Down { name }), _) => remote::down(name.as_deref()),
        (Some(SwitchCommand::Status { name, json }), _) => remote::status(name.as_deref(), *json),
        (Some(SwitchCommand::Exec { lab, host, command }), _) => {
            remote::exec(lab.as_deref(), host, command)
        }
        (None, None) => Err(Failure::input(
            "error: name a lab (a file, or a topology such as star:4,100M,1ms), or a command: up, \
             down, status, exec",
        )),
    }
}

/// Why a lab cannot be found or entered.
fn failed(error: &RunningError) -> Failure {
    let code = match error {
        RunningError::Name(_)
        | RunningError::NoLab { .. }
        | RunningError::Several(_)
        | RunningError::NoHost { .. } => 2,
        RunningError::Start { .. } => 127,
        RunningError::Folder | RunningError::Taken(_) | RunningError::Failed { .. } => 1,
    };
    let option = match error {
        RunningError::Taken(_) => " (--name)",
        RunningError::Name(_)
        | RunningError::NoLab { .. }
        | RunningError::Several(_)
        | RunningError::NoHost { .. }
        | RunningError::Start { .. }
        | RunningError::Folder
        | RunningError::Failed { .. } => "",
    };
    Failure::new(format!("error: {error}{option}"), code)
}
