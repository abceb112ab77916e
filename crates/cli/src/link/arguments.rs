//! The arguments of `forebay link`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use forebay_dataplane::live::Backend;
use forebay_units::Duration;

use crate::key_value;
use crate::net::SwitchArguments;
use crate::replay::rules::RuleArguments;

pub(crate) const HELP: &str =
    "The command finds the other end of the link, this machine, at the address in the
environment variable FOREBAY_FAR, and has nothing else. Packets are queued, marked and dropped by
the switch, one after the other sent at the rate, and arrive after the delay.

Parameters for --set (both directions), --up (from the command) and --down (to it):
  rate delay jitter loss reorder reorder_by mtu trace together seed memory
docs/live.md says what each does. --set takes those of the switch, too, such as alpha=2; a wrong name
lists all.

--rank takes the name of a rank function (fifo, lstf, ...; a wrong name lists all) or a rule, --class
a rule, over the fields of a packet that `forebay replay --help` lists, as '63 - dscp'. flow_size is
not known in advance, and is 0; now is the time since the link began.

Examples:
  forebay link 20M,25ms --switch fq-codel -- iperf3 -c SERVER
  forebay link 20M,25ms --up rate=2M --down loss=0.001 --set jitter=2ms -- bash
  forebay link 20M,25ms --down trace=lte.trace --buffer 60KB -- curl http://SERVER/
  forebay link 20M,25ms --switch strict-priority --class 'dscp == 46 ? 0 : 1' -- bash
  forebay link 20M,25ms --switch fq-codel --record run -- curl http://SERVER/
  forebay link 100M,10ms --far 'iperf3 -s' -- sh -c 'iperf3 -c $FOREBAY_FAR'

Exit codes: that of the command (128 and the signal's number if one ended it), 1 the link cannot be
made or not all of it be recorded, 2 the input is wrong, 127 the command cannot be started. The report
is written to standard error.";

#[derive(clap::Args, Clone)]
pub(crate) struct Arguments {
    /// The rate and the one-way delay in both directions, as 20M,25ms.
    #[arg(value_name = "RATE[,DELAY]")]
    pub(super) link: String,
    /// Set a parameter of both directions, or of their switch.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(super) set: Vec<(String, String)>,
    /// Set a parameter of the direction from the command.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(super) up: Vec<(String, String)>,
    /// Set a parameter of the direction to the command.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub(super) down: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) switch: SwitchArguments,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    /// Run this command, too, with a shell, at the far end of the link; both are then apart from
    /// this machine's network.
    #[arg(long, value_name = "COMMAND")]
    pub(super) far: Option<String>,
    /// Say so if one frame in a hundred leaves later than computed by more than this.
    #[arg(long, value_name = "SPAN", default_value = "1 ms")]
    pub(super) tolerance: Duration,
    /// Write the report to this file, as one JSON object.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Record the run into this new folder: `forebay replay FOLDER` decides it again.
    #[arg(long, value_name = "FOLDER")]
    pub(super) record: Option<PathBuf>,
    #[cfg(feature = "view")]
    #[command(flatten)]
    pub(super) view: crate::view::ViewArguments,
    /// The sockets by which frames come and leave: AF_PACKET with large segments, or AF_XDP
    /// without.
    #[arg(long, value_name = "SOCKETS", default_value = "packet", value_parser = backend())]
    pub(super) ring: Backend,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,
}

/// Reads the name of a kind of sockets.
pub(crate) fn backend() -> impl TypedValueParser<Value = Backend> {
    PossibleValuesParser::new(Backend::ALL.map(Backend::name)).map(|name| {
        Backend::ALL.into_iter().find(|backend| backend.name() == name).unwrap_or_default()
    })
}
