//! `forebay link --record RUN`, and `forebay replay RUN`: the same engine with the recorded frames
//! and times.

mod command_line;
mod setup;

use std::path::Path;

use forebay_dataplane::link::{Decision, Direction, EmulationConfig, Pace, Port};
use forebay_dataplane::record::{
    CHANGES, DECISIONS, DECISIONS_HEAD, FRAMES, Frames, Layout, MANIFEST, PolicyChange, Recorder,
    SETUP, replay as decide,
};
use forebay_lab::results::number::plural;
use forebay_switch::Catalogue;

use super::arguments::Arguments;
use super::directions::{self, Described};
use super::policies::LinkPolicies;
use super::policy::refused_as_set;
use crate::net::wrong;
use crate::recorded::{
    Changed, Compared, Cut, Given, Manifest, OPEN_LOOP, changes, open, tracing, unread, unwritten,
    words_after,
};
use crate::{Failure, terminal};
use setup::Setup;

const NAMES: [&str; 2] = ["up", "down"];

/// A recorder for this run, if one is asked for. The words of the command line are its setup.
pub(super) fn recorder(
    arguments: &Arguments,
    directions: &[(EmulationConfig, Pace); 2],
) -> Result<Option<Recorder>, Failure> {
    let Some(folder) = &arguments.record else { return Ok(None) };
    let words = words_after("link").take_while(|word| word != "--").collect();
    let setup = Setup::new(words, arguments, directions)?;
    let recorder = Recorder::create(folder, &setup.text(), &Layout::of_link())
        .map_err(|error| wrong("record", format!("{}: {error}", folder.display())))?;
    setup.copy_files(folder)?;
    Ok(Some(recorder))
}

/// The link that was recorded in `folder`, with the policy that is asked for instead of its own.
fn remade(
    folder: &Path,
    asked: &Given,
    catalogue: &Catalogue,
) -> Result<(Arguments, Described), Failure> {
    let setup = Setup::read(folder)?;
    let mut arguments = command_line::arguments(setup.link.clone(), asked)?;
    setup.redirect(&mut arguments, folder, asked.has("tree"));
    if asked.has("switch") {
        // The parameters of the recorded switch are of the recorded policy.
        arguments.set = directions::of_directions(arguments.set);
    }
    asked.check_set(|key| !directions::is_of_direction(key))?;
    arguments.set.retain(|(key, _)| asked.set.iter().all(|(new, _)| new != key));
    arguments.set.extend_from_slice(&asked.set);
    let described = directions::read(&arguments, catalogue)?;
    Ok((arguments, described))
}

/// Reads all that a replay needs but the frames and the decisions.
pub(crate) fn read(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    remade(folder, &Given::of([String::new()])?, catalogue)?;
    Manifest::read(folder)?;
    changes(folder).map(|_| ())
}

/// Decides a recorded run again: as it was, or by the policy that the command line gives.
pub(crate) fn replay(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    let asked = Given::read()?;
    let is_own = asked.is_another();
    let (arguments, described) = remade(folder, &asked, catalogue)?;
    let Described { directions: links, switch, rules } = described;
    let manifest = Manifest::read(folder)?;
    let ends = manifest.as_ref().and_then(Manifest::ends);

    let own = [SETUP, FRAMES, DECISIONS[0], DECISIONS[1], CHANGES, MANIFEST];
    let trace = tracing(folder, &asked.trace, &own)?;
    let scheme = &arguments.switch.switch;
    let port = |side: usize| -> Result<Port, Failure> {
        let (config, pace) = &links[side];
        let port = Port::new(&switch, config, pace)
            .map_err(|error| refused_as_set(&switch, &error.into(), &arguments.set))?;
        Ok(match &trace {
            Some((trace, _)) => port.observed(side as u32, |shape| {
                trace.tracer(&format!("{}, {scheme}", NAMES[side]), shape)
            }),
            None => port,
        })
    };
    let (mut up, mut down) = (port(0)?, port(1)?);
    let mut both = [
        up.direction(&links[0].0, links[0].1.clone(), NAMES[0]).with_rules(rules.clone()).watched(),
        down.direction(&links[1].0, links[1].1.clone(), NAMES[1]).with_rules(rules).watched(),
    ];
    let frames = Frames::read(open(folder, FRAMES)?)
        .map_err(|error| unread(folder, FRAMES, &error.to_string()))?;
    let mut compared = [
        Compared::new(open(folder, DECISIONS[0])?, DECISIONS_HEAD),
        Compared::new(open(folder, DECISIONS[1])?, DECISIONS_HEAD),
    ];
    let changes = if is_own { Vec::new() } else { changes(folder)? };
    let mut policies = LinkPolicies::new(arguments.clone(), catalogue);
    let mut changed = Changed::new(trace.as_ref(), scheme);
    let change = |both: &mut [Direction<'_>; 2], change: &PolicyChange| {
        let made = policies.change(&change.devices, &change.set);
        let name = |side: u32| NAMES[side as usize].to_owned();
        for (side, policy) in changed.policies(change, made, name) {
            both[side as usize].change(policy);
        }
    };
    let see = |side: usize, decision: &Decision| compared[side].see(&decision.to_string());
    let (given, error) = decide(&mut both, frames, &changes, ends, see, change);
    changed.end(folder)?;
    if let Some((trace, path)) = &trace {
        trace.finish().map_err(|error| unwritten(path, &error))?;
    }

    let mut text = format!(
        "forebay replay: {}, {}\n",
        plural(given, "recorded frame", "recorded frames"),
        scheme
    );
    if is_own {
        text += &format!("{OPEN_LOOP}\n");
    }
    for (name, direction) in NAMES.into_iter().zip(&both) {
        text += &format!("{name}: {}\n", passed(direction));
    }
    let cut = Cut::of(manifest.as_ref(), given, error.as_ref());
    if let Some(cut) = &cut {
        text += &cut.note();
    }
    let mut differs = false;
    for (name, compared) in NAMES.into_iter().zip(compared).filter(|_| !is_own) {
        let verdict = compared.verdict(cut.is_some());
        differs |= verdict.is_err();
        text += &match verdict {
            Ok(same) => format!("{name}: {}: identical\n", plural(same, "decision", "decisions")),
            Err(problem) => format!("{name}: {problem}\n"),
        };
    }
    terminal::print(&text)?;
    if differs {
        let message = "error: the replay decides otherwise than the run did".to_owned();
        return Err(Failure::new(message, 1));
    }
    match cut.and_then(|cut| cut.failure(folder)) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// What became of the frames of a direction.
fn passed(direction: &Direction<'_>) -> String {
    let counts = direction.counts();
    let mut text = format!(
        "{} arrived, {} left, {} marked, {} on the way",
        counts.arrived.packets,
        counts.left.packets,
        counts.marked,
        direction.held()
    );
    for (cause, tally) in counts.causes() {
        text += &format!(", {} lost ({cause})", tally.packets);
    }
    text
}
