//! `forebay switch --record RUN`, and `forebay replay RUN`: the same engine with the recorded
//! frames and times.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use forebay_dataplane::fabric::{Fabric, HopDecision};
use forebay_dataplane::record::{
    CHANGES, FRAMES, Frames, HOPS, HOPS_HEAD, Layout, MANIFEST, PolicyChange, Recorder, SETUP,
    replay_lab,
};
use forebay_files::read_stored;
use forebay_lab::results::number::plural;
use forebay_switch::Catalogue;
use serde::{Deserialize, Serialize};

use super::BuiltLab;
use super::file::{self, Source};
use super::policies::LabPolicies;
use super::run::plan;
use crate::net::wrong;
use crate::recorded::{
    Changed, Compared, Cut, Given, Manifest, OPEN_LOOP, changes, misread, open, tracing, unread,
    unwritten,
};
use crate::{Failure, terminal};

/// What a setup of this program says about its format.
const FORMAT: u64 = 1;
/// The most that a setup takes: the text of a lab's file, and what is around it.
const MOST: u64 = 4 << 20;

/// How a recorded lab was made.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setup {
    format: u64,
    forebay: String,
    /// The lab, and what was set.
    lab: Source,
    /// The files that it names, and what each is called in the folder.
    files: BTreeMap<PathBuf, String>,
}

/// A recorder of a lab with these hosts, and copies of the files that it names.
pub(super) fn recorder(
    folder: &Path,
    lab: Source,
    named: Vec<(PathBuf, PathBuf)>,
    hosts: Vec<String>,
) -> Result<Recorder, Failure> {
    let files =
        (1..).zip(&named).map(|(number, (name, _))| (name.clone(), format!("given-{number}")));
    let files: BTreeMap<PathBuf, String> = files.collect();
    let forebay = env!("CARGO_PKG_VERSION").to_owned();
    let setup = Setup { format: FORMAT, forebay, lab, files };
    // Words and paths can be written as JSON, whatever is in them.
    let text = serde_json::to_string_pretty(&setup).unwrap_or_default() + "\n";
    let refused = |error| wrong("record", format!("{}: {error}", folder.display()));
    let recorder = Recorder::create(folder, &text, &Layout::of_lab(hosts)).map_err(refused)?;
    for (name, path) in &named {
        let copy = setup.files.get(name).map(|copy| folder.join(copy)).unwrap_or_default();
        fs::copy(path, copy)
            .map_err(|error| wrong("record", format!("cannot copy {}: {error}", path.display())))?;
    }
    Ok(recorder)
}

/// Whether what was recorded there is a lab.
pub(crate) fn is_lab(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Any {
        lab: Option<serde::de::IgnoredAny>,
    }
    let text = read_stored(&folder.join(SETUP), MOST).unwrap_or_default();
    serde_json::from_slice::<Any>(&text).is_ok_and(|setup| setup.lab.is_some())
}

/// The setup in `folder`.
fn setup(folder: &Path) -> Result<Setup, Failure> {
    let wrong = |problem: String| unread(folder, SETUP, &problem);
    let text = read_stored(&folder.join(SETUP), MOST)
        .map_err(|error| wrong(format!("it cannot be read: {error}")))?;
    let setup: Setup =
        serde_json::from_slice(&text).map_err(|error| wrong(misread("switch --record", &error)))?;
    match setup.format {
        FORMAT => Ok(setup),
        other => Err(wrong(format!("its format is {other}, where {FORMAT} is known"))),
    }
}

/// Reads all that a replay needs but the frames and the decisions.
pub(crate) fn read(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    let Setup { lab, files, .. } = setup(folder)?;
    let beside = |path: &Path| files.get(path).map_or(path.to_owned(), |copy| folder.join(copy));
    plan(&lab, &file::read(&lab, beside, catalogue)?)?;
    Manifest::read(folder)?;
    changes(folder).map(|_| ())
}

/// Decides a recorded lab again: as it was, or by the policy that the command line gives.
pub(crate) fn replay(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    let Setup { mut lab, files, .. } = setup(folder)?;
    let asked = Given::read()?;
    let is_own = asked.is_another();
    asked.check_set(file::is_parameter)?;
    file::replace_policy(&mut lab, &asked.pairs());
    let manifest = Manifest::read(folder)?;
    let end = manifest.as_ref().and_then(Manifest::end);

    let own_tree = asked.policy.iter().find(|(option, _)| *option == "tree");
    let beside = |path: &Path| match files.get(path) {
        _ if own_tree.is_some_and(|(_, tree)| Path::new(tree) == path) => path.to_owned(),
        Some(copy) => folder.join(copy),
        None => path.to_owned(),
    };
    let read = file::read(&lab, beside, catalogue)?;
    for note in &read.notes {
        terminal::warn(&format!("note: {note}"));
    }
    let BuiltLab { mut devices, entrances, .. } = plan(&lab, &read)?;
    let scheme = read.switch;
    let changes = if is_own { Vec::new() } else { changes(folder)? };
    let mut policies = LabPolicies {
        sources: vec![lab; read.config.graph.switches as usize],
        beside: Box::new(beside),
        catalogue: catalogue.clone(),
        shapes: devices.shapes(),
    };
    let trace = tracing(folder, &asked.trace, &[SETUP, FRAMES, HOPS, CHANGES, MANIFEST])?;
    if let Some((trace, _)) = &trace {
        devices = devices.observed(|name, shape| trace.tracer(&format!("{name}, {scheme}"), shape));
    }
    let mut fabric = devices.fabric(entrances).watched();
    let frames = Frames::read(open(folder, FRAMES)?)
        .map_err(|error| unread(folder, FRAMES, &error.to_string()))?;
    let mut compared = Compared::new(open(folder, HOPS)?, HOPS_HEAD);
    let mut changed = Changed::new(trace.as_ref(), &scheme);
    let change = |fabric: &mut Fabric<'_>, change: &PolicyChange| {
        let made = policies.change(&change.devices, &change.set);
        for (device, policy) in changed.policies(change, made, |device| format!("s{}", device + 1))
        {
            fabric.change(device, policy);
        }
    };
    let see = |decision: &HopDecision| compared.see(&decision.to_string());
    let (given, error) = replay_lab(&mut fabric, frames, &changes, end, see, change);
    changed.end(folder)?;
    if let Some((trace, path)) = &trace {
        trace.finish().map_err(|error| unwritten(path, &error))?;
    }

    let mut text = format!(
        "forebay replay: {}, {scheme}\n",
        plural(given, "recorded frame", "recorded frames"),
    );
    if is_own {
        text += &format!("{OPEN_LOOP}\n");
    }
    text += &passed(&fabric);
    let cut = Cut::of(manifest.as_ref(), given, error.as_ref());
    if let Some(cut) = &cut {
        text += &cut.note();
    }
    let verdict = if is_own { Ok(None) } else { compared.verdict(cut.is_some()).map(Some) };
    text += &match &verdict {
        Ok(None) => String::new(),
        Ok(Some(same)) => format!("{}: identical\n", plural(*same, "decision", "decisions")),
        Err(problem) => format!("{problem}\n"),
    };
    terminal::print(&text)?;
    match verdict {
        Ok(_) => match cut.and_then(|cut| cut.failure(folder)) {
            Some(failure) => Err(failure),
            None => Ok(()),
        },
        Err(_) => {
            let message = "error: the replay decides otherwise than the run did".to_owned();
            Err(Failure::new(message, 1))
        }
    }
}

/// What became of the frames at each device.
fn passed(fabric: &Fabric<'_>) -> String {
    let mut text = String::new();
    for (name, counts) in fabric.counts() {
        let all = &counts.all;
        text += &format!(
            "{name}: {} arrived, {} left, {} marked",
            all.arrived.packets, all.left.packets, all.marked
        );
        for (cause, tally) in all.causes() {
            text += &format!(", {} lost ({cause})", tally.packets);
        }
        text.push('\n');
    }
    text
}
