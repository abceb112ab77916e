//! `forebay proxy`: a caching proxy in front of origins, a look at it, an origin to try it on, and
//! requests.

mod load;
mod log;
mod page;
mod top;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use forebay_proxy::{Config, ConfigError, OriginProgram, ProxyError, Running};
use forebay_units::{Bytes, Duration as Span};

use crate::Failure;
use crate::failure::wrong;
use crate::terminal::{print, warn};

/// The largest configuration that is read.
const MOST: u64 = 1 << 20;

pub(crate) const HELP: &str =
    "A file has what the options say, and more; all but an origin's url may be left out:

  listen = \"127.0.0.1:8080\"         # or several: [\"127.0.0.1:8080\", \"[::1]:8080\"]
  admin = \"127.0.0.1:8081\"          # a page, /metrics, /objects, /purge, /clear
  access_log = \"requests.csv\"       # for forebay cache simulate
  [cache]
  size = \"1 GB\"
  policy = \"lru-mad\"                # any of docs/delayed-hits.md
  folder = \"/var/cache/forebay\"     # bodies on disk, kept over restarts
  leader_timeout = \"10 s\"           # then one of those who wait asks the origin as well
  [[origin]]
  url = \"http://127.0.0.1:9000\"
  host = \"www.example.com\"          # only for this host
  path = \"/images\"                  # only below this path

docs/proxy.md lists every key. SIGHUP reads the file again; Ctrl-C lets requests under way end.

Examples:
  forebay proxy origin --delay '100 ms'                an origin to try it on, at 127.0.0.1:9000
  forebay proxy --origin http://127.0.0.1:9000         a proxy in front of it, at 127.0.0.1:8080
  curl -i http://127.0.0.1:8080/a                      Cache-Status says what was done
  forebay proxy top                                    what a proxy with --admin 127.0.0.1:8081 does
  forebay proxy PROXY.toml --check                     whether a file is right
  forebay proxy load requests.csv --target '/{object}' the requests of an access log again

Exit codes: 0 stopped, 1 it cannot run or its access log lacks requests, 2 the input is wrong.";

/// Options come before the subcommands' own.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<ProxyCommand>,
    #[command(flatten)]
    proxy: ProxyArguments,
}

#[derive(Subcommand)]
enum ProxyCommand {
    /// An origin to try a proxy on: it answers any path after a delay. The query of a URL changes
    /// the answer: ?delay=50ms&size=1000&ttl=60&vary=accept&control=no-store&etag=x.
    Origin(OriginArguments),
    /// What a running proxy does, as a list that is kept up to date.
    Top(top::TopArguments),
    /// Makes the requests of a trace, each when it is due, whether or not earlier ones were
    /// answered; says how long they waited.
    Load(load::LoadArguments),
}

#[derive(Args)]
struct OriginArguments {
    /// Where it listens.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000", value_parser = address)]
    listen: SocketAddr,
    /// How long it takes to answer.
    #[arg(long, value_name = "SPAN", default_value = "100 ms")]
    delay: Span,
    /// How many bytes an answer has.
    #[arg(long, value_name = "BYTES", default_value = "1 KB")]
    size: Bytes,
    /// How long an answer is fresh.
    #[arg(long, value_name = "SPAN", default_value = "3600 s")]
    ttl: Span,
}

#[derive(Args)]
struct ProxyArguments {
    /// A configuration (see below).
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Where answers come from, instead of a file: http or https, host and port.
    #[arg(long, value_name = "URL", conflicts_with = "config")]
    origin: Option<String>,
    /// Where clients connect [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDRESS", conflicts_with = "config", value_parser = address)]
    listen: Option<SocketAddr>,
    /// Where it is looked at, on this machine: a page, /metrics.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "config", value_parser = address)]
    admin: Option<SocketAddr>,
    /// How many bytes are cached [default: 1 GB].
    #[arg(long, value_name = "BYTES", conflicts_with = "config")]
    size: Option<Bytes>,
    /// What is evicted first, by name: any policy of forebay cache simulate [default: lru-mad].
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    policy: Option<String>,
    /// Keep bodies in this folder, over restarts, instead of in memory.
    #[arg(long, value_name = "FOLDER", conflicts_with = "config")]
    folder: Option<PathBuf>,
    /// Write requests to this file, which forebay cache simulate reads.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    access_log: Option<PathBuf>,
    /// Only say whether the configuration is right.
    #[arg(long)]
    check: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let problem = "is no address with a port, as 127.0.0.1:8080";
    text.parse().map_err(|_| format!("{text:?} {problem}"))
}

fn span(span: Span) -> Duration {
    Duration::from_nanos(span.as_ps() / 1000)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Some(ProxyCommand::Origin(origin)) => run_origin(origin),
        Some(ProxyCommand::Top(arguments)) => top::run(arguments),
        Some(ProxyCommand::Load(load)) => load::run(load),
        None => run_proxy(&arguments.proxy),
    }
}

fn run_origin(arguments: &OriginArguments) -> Result<(), Failure> {
    let Ok(size) = usize::try_from(arguments.size.get()) else {
        return Err(wrong("size", "too much for this machine: give less"));
    };
    let program =
        OriginProgram { delay: span(arguments.delay), size, ttl: span(arguments.ttl).as_secs() };
    let ready = |address: SocketAddr| warn(&format!("an origin at http://{address}, until Ctrl-C"));
    forebay_proxy::run_origin(program, arguments.listen, ready)
        .map_err(|error| Failure::new(format!("error: --listen {}: {error}", arguments.listen), 1))
}

/// Reads a file's configuration.
fn read(path: &Path) -> Result<Config, ConfigError> {
    let shown = path.display().to_string();
    let text = forebay_files::read_text(path, MOST)
        .map_err(|error| ConfigError::unread(&shown, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Config::parse(&text, folder).map_err(|error| error.of_file(&shown))
}

fn configured(arguments: &ProxyArguments) -> Result<Config, Failure> {
    let refused = |error: ConfigError| Failure::input(format!("error: {}", error.render()));
    if let Some(path) = &arguments.config {
        return read(path).map_err(refused);
    }
    let Some(origin) = arguments.origin.as_deref() else {
        let problem = "nothing says where answers come from: give a file, forebay proxy <CONFIG>, or \
                       --origin <URL>, as http://127.0.0.1:9000";
        return Err(Failure::input(format!("error: {problem}")));
    };
    let mut config = Config::of_origin(origin)
        .map_err(|error| Failure::input(format!("error: --origin {origin}: {error}")))?;
    if let Some(listen) = arguments.listen {
        config.listen = vec![listen];
    }
    if let Some(admin) = arguments.admin {
        if !admin.ip().is_loopback() {
            return Err(wrong(
                "admin",
                format!("{admin} can be reached from elsewhere: give an address of this machine"),
            ));
        }
        if config.listen.contains(&admin) && admin.port() != 0 {
            return Err(wrong(
                "admin",
                format!("{admin}: clients connect there: give another port"),
            ));
        }
        config.admin = Some(admin);
    }
    if let Some(size) = arguments.size {
        if size.get() == 0 {
            return Err(wrong("size", "0 B holds nothing: give more"));
        }
        config.cache.size = size.get();
    }
    if let Some(policy) = &arguments.policy {
        config.cache.policy.clone_from(policy);
    }
    config.cache.folder.clone_from(&arguments.folder);
    config.access_log.clone_from(&arguments.access_log);
    Ok(config)
}

fn run_proxy(arguments: &ProxyArguments) -> Result<(), Failure> {
    let config = configured(arguments)?;
    let failed = |error: ProxyError| {
        let code = match error {
            ProxyError::Config(_) | ProxyError::Cache(_) => 2,
            ProxyError::Listen { .. }
            | ProxyError::Log { .. }
            | ProxyError::Lost { .. }
            | ProxyError::Threads(_) => 1,
        };
        Failure::new(format!("error: {error}"), code)
    };
    if arguments.check {
        forebay_proxy::check(&config).map_err(failed)?;
        return print("the configuration is right\n");
    }
    let path = arguments.config.clone();
    let again = move || match &path {
        Some(path) => read(path),
        None => {
            Err(ConfigError::new("there is no file to read again: give one instead of options"))
        }
    };
    let ready = |running: &Running| {
        for address in running.addresses() {
            warn(&format!("a proxy at {address}, until Ctrl-C"));
        }
        if let Some(admin) = running.admin() {
            warn(&format!("what it does: http://{admin}/, or forebay proxy top {admin}"));
        }
    };
    log::tell().map_err(|error| Failure::new(format!("error: no messages: {error}"), 1))?;
    forebay_proxy::run(config, page::PAGE, again, ready, warn).map_err(failed)
}
