//! `forebay buffer explain`: the explanation of a configuration as text, at most 100 columns wide,
//! or as JSON.

use std::path::Path;

use forebay_parameters::grouped;
use forebay_sonic::check::{Finding, Severity, counted, port_list};
use forebay_sonic::explain::{
    Marking, MembersExplained, OCCUPANCIES, PoolExplained, ProfileExplained,
};
use forebay_sonic::{Explanation, explain as explained};

use crate::Failure;
use crate::terminal::{self, columns, wrapped};

const WIDTH: usize = 100;
/// How to read the tables.
const LEGEND: &str =
    "Bytes that each member may hold, by how much of the pool's shared part S is in use.
alone: the only congested member; all: every member of the pool is congested.

";

/// The most findings of one check that are printed.
const MOST_ALIKE: usize = 8;
/// The most names of what is not modelled that are printed.
const MOST_NAMES: usize = 20;

/// Explains a file; with `strict`, warnings are a failure.
pub(super) fn explain(file: &Path, json: bool, strict: bool) -> Result<(), Failure> {
    let explanation = explained(&super::load(file)?.0);
    let text = if json {
        let text = serde_json::to_string_pretty(&explanation);
        text.map_err(|error| Failure::input(format!("error: {error}")))? + "\n"
    } else {
        text(&explanation)
    };
    terminal::print(&text)?;
    let findings = explanation.findings.iter();
    let warnings = findings.filter(|finding| finding.severity == Severity::Warning).count() as u64;
    if strict && warnings > 0 {
        let message = format!("error: {} (--strict)", counted(warnings, "warning"));
        return Err(Failure::new(message, 1));
    }
    Ok(())
}

fn text(explanation: &Explanation) -> String {
    let mut text = LEGEND.to_owned();
    for pool in &explanation.pools {
        text += &pool_text(pool);
        for profile in explanation.profiles.iter().filter(|profile| profile.pool == pool.name) {
            text += &profile_text(profile);
        }
        text.push('\n');
    }
    text += &marking_text(&explanation.marking);
    for (title, severity) in [("Warnings", Severity::Warning), ("Notes", Severity::Note)] {
        let found: Vec<&Finding> =
            explanation.findings.iter().filter(|f| f.severity == severity).collect();
        text += &findings_text(title, &found);
    }
    if explanation.findings.is_empty() {
        text += "None of the classic mistakes found.\n";
    }
    text += "Assumed\n";
    for assumption in &explanation.assumptions {
        text += &hanging(assumption, "  - ");
    }
    if !explanation.not_modelled.is_empty() {
        let names = folded(&explanation.not_modelled, MOST_NAMES);
        text += &hanging(&format!("Not modelled, so without effect here: {names}"), "");
    }
    text
}

/// What happens to packets before a queue is full.
fn marking_text(profiles: &[Marking]) -> String {
    let mut text = String::new();
    for marking in profiles {
        text += &format!("Early marking and dropping: {}\n", clipped(&marking.name));
        for sentence in &marking.colours {
            text += &hanging(sentence, "  - ");
        }
        text.push('\n');
    }
    text
}

/// Findings under a title; of many from one check the first.
fn findings_text(title: &str, findings: &[&Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut text = format!("{title}\n");
    for of_check in findings.chunk_by(|a, b| a.check == b.check) {
        for finding in of_check.iter().take(MOST_ALIKE) {
            let line = format!("{} ({}): {}", finding.path, finding.check, finding.message);
            text += &hanging(&line, "  - ");
        }
        if let more @ 1.. = of_check.len().saturating_sub(MOST_ALIKE) {
            let line = format!("{more} more ({}); --json has them all", of_check[0].check);
            text += &hanging(&line, "  - ");
        }
    }
    text
}

/// The first names of a list, and how many more there are.
fn folded(names: &[String], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 => names.join(", "),
        more => format!("{} and {more} more; --json has them all", names[..most].join(", ")),
    }
}

/// Wrapped text whose first line begins with `mark` and whose other lines are indented as far.
fn hanging(text: &str, mark: &str) -> String {
    let indent = " ".repeat(mark.chars().count().max(2));
    let words: Vec<String> = text.split_whitespace().map(clipped).collect();
    let lines = wrapped(&words.join(" "), WIDTH, &indent);
    mark.to_owned() + lines.strip_prefix(&indent).unwrap_or(&lines)
}

/// A word that fits on a line: names in a file may have any length.
fn clipped(word: &str) -> String {
    const MOST: usize = WIDTH - 10;
    match word.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

fn pool_text(pool: &PoolExplained) -> String {
    let size = pool.size_bytes.map_or("a size computed at run time".to_owned(), bytes);
    let mut text =
        format!("Pool {} ({}, {}): {size}\n", clipped(&pool.name), pool.direction, pool.mode);
    let reserved = bytes(pool.reserved_bytes);
    let reserve = if pool.members == 1 { "reserves" } else { "reserve" };
    let mut line = format!("{} {reserve} {reserved} in all", counted(pool.members, "member"));
    if pool.shared_headroom_bytes > 0 {
        line += &format!(", shared headroom takes {}", bytes(pool.shared_headroom_bytes));
    }
    if let Some(shared) = pool.shared_bytes {
        line += &format!("; S = {} are shared.", bytes(shared));
    }
    if let Some(free) = pool.free_when_all_congested_bytes.filter(|_| pool.sum_of_alphas > 0.0) {
        line += &format!(
            " With every member congested, F = S / (1 + Σα) = S / {} = {} stay free.",
            1.0 + pool.sum_of_alphas,
            bytes(free)
        );
    }
    text += &wrapped(&line, WIDTH, "  ");
    text
}

fn profile_text(profile: &ProfileExplained) -> String {
    let mut text = format!("\n  {}\n", clipped(&profile.name));
    for members in &profile.members {
        text += &hanging(&members_text(members), "    ");
    }
    text += &hanging(&format!("threshold T = {}", profile.formula), "    ");
    text += &hanging(&profile.beyond, "    ");
    if profile.threshold_bytes.is_empty() {
        return text + "    no numbers: the pool's size is not known\n";
    }
    let mut rows = vec![vec!["    pool in use".to_owned()], vec!["    T".to_owned()]];
    rows[0].extend(OCCUPANCIES.iter().map(|used| format!("{:.0} %", used * 100.0)));
    let states = [("alone", profile.alone_bytes), ("all", profile.all_congested_bytes)];
    for (head, _) in states.iter().filter(|(_, held)| held.is_some()) {
        rows[0].push((*head).to_owned());
    }
    let held = states.iter().filter_map(|(_, held)| *held);
    rows[1].extend(profile.threshold_bytes.iter().copied().chain(held).map(grouped));
    for (what, limit) in [("pause", &profile.pause_at), ("drop", &profile.drop_at)] {
        let Some(limit) = limit else { continue };
        let mut row = vec![format!("    {what} at {}", limit.formula)];
        let held = [limit.alone_bytes, limit.all_congested_bytes].into_iter().flatten();
        row.extend(limit.bytes.iter().copied().chain(held).map(grouped));
        rows.push(row);
    }
    text + &columns(&rows, 1)
}

fn members_text(members: &MembersExplained) -> String {
    let ports: Vec<&str> = members.ports.iter().map(String::as_str).collect();
    let service = members.service.as_ref().map_or(String::new(), |service| format!(", {service}"));
    let wred =
        members.wred.as_ref().map_or(String::new(), |wred| format!(", WRED {}", clipped(wred)));
    format!("{} {} of {}{service}{wred}", members.kind, members.indices, port_list(&ports))
}

/// `12,345 B`.
fn bytes(count: u64) -> String {
    format!("{} B", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_hang() {
        assert_eq!(hanging("a", "  - "), "  - a\n");
        assert_eq!(hanging(&"ä".repeat(300), "").chars().count(), 90 + "…\n".chars().count());
        let long = hanging(&"word ".repeat(30), "  - ");
        assert!(long.starts_with("  - word") && long.contains("\n    word"), "{long}");
    }
}
