//! A lab in the foreground: until Ctrl-C, or until it is taken down.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration as Wait;

use forebay_dataplane::fabric::{DeviceConfig, Devices, HostAddresses, LabPlan};
use forebay_dataplane::live::{
    Control, Enrolled, Isolation, Lab as Live, LabReport, LiveError, Requests, check_name, folder,
    isolate,
};
use forebay_dataplane::record::Recorder;
use forebay_files::Files;
use forebay_lab::results::number::plural;
use forebay_switch::{Catalogue, SwitchConfig};

use super::file::{self, Lab, Source};
#[cfg(feature = "view")]
use super::policies::LabPolicies;
use super::{BuiltLab, LabArguments, failed, recorded, report};
use crate::link::policy::refused;
use crate::net::{only_new, wrong};
use crate::recorded::{recorded_whole, unwritten};
use crate::{Failure, experiment, terminal};

/// How long after a failure is tried again to answer.
const AGAIN: Wait = Wait::from_millis(50);

/// A lab that is checked, down to its switches.
pub(super) struct Checked {
    devices: Devices,
    entrances: Vec<(u32, u16)>,
    hosts: Vec<HostAddresses>,
    switch: SwitchConfig,
    mtu: u32,
    source: Source,
    files: Vec<(PathBuf, PathBuf)>,
    /// Interfaces of this machine that are ports.
    ports: Vec<String>,
    switches: usize,
    /// What the switches are called.
    name: String,
    #[cfg(feature = "view")]
    named: Vec<(String, Vec<String>)>,
}

/// Reads and checks a lab, before anything is made.
pub(super) fn check(arguments: &LabArguments, catalogue: &Catalogue) -> Result<Checked, Failure> {
    check_name(&arguments.name()).map_err(|error| failed(&error))?;
    let source = Source::open(&arguments.lab, &arguments.all_set())?;
    let lab = file::read(&source, file::beside(&arguments.lab), catalogue)?;
    for note in &lab.notes {
        terminal::warn(&format!("note: {note}"));
    }
    let LabPlan { devices, entrances, hosts } = planned(&source, &lab)?;
    let ports: Vec<String> = lab.config.ports.iter().map(|port| port.name.clone()).collect();
    #[cfg(feature = "view")]
    let named = super::viewed::named(&devices, &hosts, &ports);
    let devices = built(&source, &lab, devices)?;
    only_new(&Files::default().write_some("json", arguments.json.as_ref()))?;
    let Lab { config, mtu, files, switch: name, .. } = lab;
    let switch = config.switch;
    Ok(Checked {
        devices,
        entrances,
        hosts,
        switch,
        mtu,
        source,
        files,
        ports,
        switches: config.graph.switches as usize,
        name,
        #[cfg(feature = "view")]
        named,
    })
}

/// Says that a lab is right, if it is.
pub(super) fn check_only(arguments: &LabArguments, catalogue: &Catalogue) -> Result<(), Failure> {
    let Checked { hosts, source, switches, name, .. } = check(arguments, catalogue)?;
    terminal::print(&format!(
        "{} is right: {}, {} ({name})\n",
        source.lab,
        plural(hosts.len(), "host", "hosts"),
        plural(switches, "switch", "switches"),
    ))
}

/// Plans a lab, and builds its switches.
pub(super) fn plan(source: &Source, lab: &Lab) -> Result<BuiltLab, Failure> {
    let LabPlan { devices, entrances, hosts } = planned(source, lab)?;
    Ok(BuiltLab { devices: built(source, lab, devices)?, entrances, hosts })
}

fn planned(source: &Source, lab: &Lab) -> Result<LabPlan, Failure> {
    LabPlan::new(&lab.config)
        .map_err(|error| file::said_of(source, wrong(error.parameter(), error)))
}

fn built(source: &Source, lab: &Lab, devices: Vec<DeviceConfig>) -> Result<Devices, Failure> {
    Devices::build(devices, lab.mtu, lab.memory)
        .map_err(|(number, error)| lab.refused(source, number, &error))
}

/// Runs it until it is interrupted.
pub(super) fn foreground(arguments: &LabArguments, catalogue: &Catalogue) -> Result<(), Failure> {
    let checked = check(arguments, catalogue)?;
    // In the namespace that the program was started in.
    #[cfg(feature = "view")]
    let bound = crate::view::Bound::new(&arguments.view())?;
    #[cfg(feature = "view")]
    let viewed = bound.map(|bound| {
        let policies = LabPolicies {
            sources: vec![checked.source.clone(); checked.switches],
            beside: Box::new(file::beside(&arguments.lab)),
            catalogue: catalogue.clone(),
            shapes: checked.devices.shapes(),
        };
        let (name, devices) = (arguments.name(), checked.named.clone());
        (bound, super::viewed::Viewed { name, devices, policies })
    });
    #[cfg(feature = "view")]
    let link = viewed.as_ref().map(|(bound, _)| bound.link());
    #[cfg(not(feature = "view"))]
    let link: Option<String> = None;
    let Checked { mut devices, entrances, hosts, switch, mtu, source, files, ports, .. } = checked;
    let refused = |error: &LiveError| refused(&switch, error);
    // While there is only one thread.
    let isolation = isolate(false).map_err(|error| refused(&error))?;
    if isolation == Isolation::Apart && !ports.is_empty() {
        let problem = "interfaces of this machine can be ports for root alone: run it with sudo";
        return Err(wrong("port", problem));
    }
    let (stop, stopped) = mpsc::channel();
    let interrupted = stop.clone();
    experiment::on_stop("the lab ends, then comes the report", move || {
        // Nobody waits for it if the lab has ended.
        let _ = interrupted.send(());
    });
    let names = hosts.iter().map(|host| host.name.clone()).chain(ports.clone()).collect();
    let live = Live::open(hosts, ports, mtu)
        .and_then(|live| live.with_backend(arguments.ring))
        .map_err(|error| refused(&error))?;
    let name = arguments.name();
    let enrolled = Enrolled::new(&name, &live).map_err(|error| failed(&error))?;
    let (control, requests) = Control::new(link.is_some()).map_err(|error| refused(&error))?;
    let recorder = match &arguments.record {
        Some(folder) => Some(recorded::recorder(folder, source, files, names)?),
        None => None,
    };
    #[cfg(feature = "view")]
    let view = viewed.map(|(bound, viewed)| bound.serve(control.clone(), viewed)).transpose()?;
    if let Some(link) = &link {
        tell(&name, link)?;
    }
    let served = Served::new(&name, arguments, &control)?;
    let running = Passing { live: &live, devices: &mut devices, entrances, recorder, requests };
    let shown = (name.as_str(), link.as_deref());
    let report = pass(running, &control, (stop, stopped), shown);
    let report = report.map_err(|error| refused(&error))?;
    #[cfg(feature = "view")]
    drop(view);
    drop((served, enrolled));
    let text = report::text(&report, arguments.tolerance);
    let whole = recorded_whole(report.recorded.as_ref());
    match &arguments.report {
        // Behind a zero byte, why whoever ends the lab is to fail.
        Some(path) => {
            let failure = whole.as_ref().err().map_or("", |failure| &failure.message);
            let text = format!("{text}\0{failure}");
            fs::write(path, text).map_err(|error| unwritten(path, &error))?;
        }
        None => terminal::warn(&text),
    }
    if let Some(path) = &arguments.json {
        fs::write(path, report::json(&report)).map_err(|error| unwritten(path, &error))?;
    }
    whole
}

struct Passing<'a> {
    live: &'a Live,
    devices: &'a mut Devices,
    entrances: Vec<(u32, u16)>,
    recorder: Option<Recorder>,
    requests: Requests,
}

fn pass(
    Passing { live, devices, entrances, recorder, requests }: Passing<'_>,
    control: &Control,
    (stop, stopped): (Sender<()>, Receiver<()>),
    (name, link): (&str, Option<&str>),
) -> Result<LabReport, LiveError> {
    thread::scope(|scope| {
        let (ready, is_ready) = mpsc::channel();
        let told = move || {
            let _ = ready.send(());
        };
        let passing = scope.spawn(move || {
            let _at_end = AtEnd(stop);
            live.run(devices, entrances, recorder, requests, told)
        });
        // If it never gets ready, it says why below.
        if is_ready.recv().is_ok() {
            let hosts = live.hosts().iter().map(|(host, _)| (&*host.name, host.v4.0.to_string()));
            terminal::warn(&greeting(name, &hosts.collect::<Vec<_>>(), "Ctrl-C ends it", link));
            // Until Ctrl-C, or until nothing passes any more.
            let _ = stopped.recv();
        }
        control.stop();
        passing.join().unwrap_or_else(|_| {
            Err(LiveError::Failed {
                step: "pass frames",
                reason: std::io::Error::other("its thread ended"),
            })
        })
    })
}

/// Says at the end of a thread, whatever ends it, that it is over.
struct AtEnd(Sender<()>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// What a newcomer types next: hosts with their names and addresses, and how the lab ends.
pub(super) fn greeting(
    name: &str,
    hosts: &[(&str, String)],
    ending: &str,
    link: Option<&str>,
) -> String {
    let count = plural(hosts.len(), "host", "hosts");
    let link = link.map_or(String::new(), |link| format!("\nshown at {link}"));
    let ([(first, from), ..], [.., (last, to)]) = (hosts, hosts) else {
        return format!("lab {name}: it has no hosts; {ending}{link}");
    };
    format!(
        "lab {name}: {count}, {first} ({from}) to {last} ({to}); {ending}\n\
         try: forebay switch exec {first} -- ping {last}{link}"
    )
}

/// Writes down where a lab is shown, for those of its user.
fn tell(name: &str, link: &str) -> Result<(), Failure> {
    let path = folder().map_err(|error| failed(&error))?.join(format!("{name}.view"));
    let open = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path);
    open.and_then(|mut file| file.write_all(link.as_bytes()))
        .map_err(|error| unwritten(&path, &error))
}

/// The socket of a lab, at which it says what has passed; gone when this is dropped.
struct Served {
    path: PathBuf,
    /// Whoever answers, does so until this is dropped.
    goes_on: Option<Sender<()>>,
}

/// The socket of the lab of this name.
pub(super) fn socket(name: &str) -> Result<PathBuf, Failure> {
    Ok(folder().map_err(|error| failed(&error))?.join(format!("{name}.socket")))
}

impl Served {
    fn new(name: &str, arguments: &LabArguments, control: &Control) -> Result<Self, Failure> {
        let path = socket(name)?;
        let listener = listen(&path).map_err(|error| {
            Failure::new(format!("error: cannot listen at {}: {error}", path.display()), 1)
        })?;
        let (goes_on, ended) = mpsc::channel();
        let (control, tolerance) = (control.clone(), arguments.tolerance);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let told = match (stream, control.report()) {
                    (Ok(stream), Some(report)) => answer(stream, &report, tolerance),
                    (Err(error), _) => Err(error),
                    (_, None) => return,
                };
                // Too many open files, say: that may pass. Whoever went away does not want to know.
                let pause = if told.is_ok() { Wait::ZERO } else { AGAIN };
                if ended.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
            }
        });
        Ok(Served { path, goes_on: Some(goes_on) })
    }
}

/// A socket whose name nobody listens at is replaced: its lab was killed, and this one has its
/// name.
fn listen(path: &Path) -> std::io::Result<UnixListener> {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    UnixListener::bind(path)
}

fn answer(
    mut stream: UnixStream,
    report: &LabReport,
    tolerance: forebay_units::Duration,
) -> std::io::Result<()> {
    stream.set_write_timeout(Some(Wait::from_secs(2)))?;
    stream.write_all(report::json(report).as_bytes())?;
    // What is for people follows a line of its own.
    stream.write_all(format!("\0{}\n", report::text(report, tolerance)).as_bytes())
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.goes_on.take());
        let _ = UnixStream::connect(&self.path);
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.path.with_extension("view"));
    }
}
