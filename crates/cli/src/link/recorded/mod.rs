//! `forebay link --record RUN`, and `forebay replay RUN`: the same engine with the recorded frames and times.

mod command_line;
mod compared;
mod setup;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use forebay_dataplane::link::{Direction, LinkConfig, Pace, Port};
use forebay_dataplane::record::{DECISIONS, FRAMES, Frames, Recorder, replay as decide};
use forebay_lab::results::number::plural;
use forebay_switch::Catalogue;

use super::{Arguments, directions, ordered, refused};
use crate::net::wrong;
use crate::{Failure, terminal};
use compared::Compared;
use setup::{Manifest, Setup};

const NAMES: [&str; 2] = ["up", "down"];

/// What another policy's figures are.
const OPEN_LOOP: &str = "open loop: the senders did what they did under the recorded policy, and would have sent \
                         otherwise under this one";

/// A recorder for this run, if one is asked for. The words of the command line are its setup.
pub(super) fn recorder(
    arguments: &Arguments,
    directions: &[(LinkConfig, Pace); 2],
) -> Result<Option<Recorder>, Failure> {
    let Some(folder) = &arguments.record else { return Ok(None) };
    let words = command_line::words_after("link").take_while(|word| word != "--").collect();
    let setup = Setup::new(words, arguments, directions)?;
    let recorder = Recorder::create(folder, &setup.text())
        .map_err(|error| wrong("record", format!("{}: {error}", folder.display())))?;
    setup.copy_files(folder)?;
    Ok(Some(recorder))
}

/// Decides a recorded run again: as it was, or by the policy that the command line gives.
pub(crate) fn replay(folder: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    let policy = command_line::policy_given()?;
    let setup = Setup::read(folder)?;
    let mut arguments = command_line::arguments(setup.link.clone(), &policy)?;
    setup.redirect(&mut arguments, folder, policy.iter().any(|(name, _)| *name == "tree"));
    let manifest = Manifest::read(folder)?;
    let ends = manifest.as_ref().and_then(Manifest::ends);

    let links = directions::read(&arguments)?;
    let (switch, rules) = ordered(&arguments, catalogue)?;
    let port = |side: usize| {
        let (config, pace) = &links[side];
        Port::new(&switch, config, pace).map_err(|error| refused(&switch, &error.into()))
    };
    let (mut up, mut down) = (port(0)?, port(1)?);
    let mut both = [
        up.direction(&links[0].0, links[0].1.clone(), NAMES[0]).with_rules(rules.clone()).watched(),
        down.direction(&links[1].0, links[1].1.clone(), NAMES[1]).with_rules(rules).watched(),
    ];
    let frames = Frames::read(open(folder, FRAMES)?)
        .map_err(|error| unread(folder, FRAMES, &error.to_string()))?;
    let mut compared =
        [Compared::new(open(folder, DECISIONS[0])?), Compared::new(open(folder, DECISIONS[1])?)];
    let (given, error) = decide(&mut both, frames, ends, |side, decision| {
        compared[side].see(&decision.to_string());
    });

    let mut text = format!(
        "forebay replay: {}, {}\n",
        plural(given, "recorded frame", "recorded frames"),
        arguments.switch.switch
    );
    if !policy.is_empty() {
        text += &format!("{OPEN_LOOP}\n");
    }
    for (name, direction) in NAMES.into_iter().zip(&both) {
        text += &format!("{name}: {}\n", passed(direction));
    }
    let is_cut = ends.is_none() || error.is_some();
    if is_cut {
        let stopped = manifest.and_then(|manifest| manifest.stopped);
        let why = stopped.or_else(|| error.map(|error| format!("{FRAMES}: {error}")));
        let why = why.unwrap_or_else(|| "the run did not end by itself".to_owned());
        text += &format!("note: the recording is cut, and read up to there: {why}\n");
    }
    let mut differs = false;
    for (name, compared) in NAMES.into_iter().zip(compared).filter(|_| policy.is_empty()) {
        let verdict = compared.verdict(is_cut);
        differs |= verdict.is_err();
        text += &match verdict {
            Ok(same) => format!("{name}: {}: identical\n", plural(same, "decision", "decisions")),
            Err(problem) => format!("{name}: {problem}\n"),
        };
    }
    terminal::print(&text)?;
    if differs {
        let message = "error: the replay decides otherwise than the run did".to_owned();
        return Err(Failure { message, code: 1 });
    }
    Ok(())
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

fn open(folder: &Path, name: &str) -> Result<BufReader<File>, Failure> {
    File::open(folder.join(name))
        .map(BufReader::new)
        .map_err(|error| unread(folder, name, &format!("it cannot be read: {error}")))
}

fn unread(folder: &Path, name: &str, problem: &str) -> Failure {
    Failure::input(format!("error: {}: {problem}", folder.join(name).display()))
}
