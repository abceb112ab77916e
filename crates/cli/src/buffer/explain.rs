//! `forebay buffer explain`: the explanation of a configuration as text, at most 100 columns wide,
//! or as JSON.

use std::path::Path;

use forebay_sonic::check::{Severity, counted, port_list};
use forebay_sonic::explain::{MembersExplained, OCCUPANCIES, PoolExplained, ProfileExplained};
use forebay_sonic::{Explanation, explain as explained};

use crate::Failure;
use crate::terminal::{self, columns, wrapped};

const WIDTH: usize = 100;
/// How to read the tables.
const LEGEND: &str =
    "Bytes that each member may hold, by how much of the pool's shared part S is in use.
alone: the only congested member; all: every member of the pool is congested.

";

/// Explains a file.
pub(super) fn explain(file: &Path, json: bool) -> Result<(), Failure> {
    let explanation = explained(&super::load(file)?);
    let text = if json {
        let text = serde_json::to_string_pretty(&explanation);
        text.map_err(|error| Failure::input(format!("error: {error}")))? + "\n"
    } else {
        text(&explanation)
    };
    terminal::print(&text);
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
    for (title, severity) in [("Warnings", Severity::Warning), ("Notes", Severity::Note)] {
        let mut found = explanation.findings.iter().filter(|f| f.severity == severity).peekable();
        if found.peek().is_some() {
            text += &format!("{title}\n");
        }
        for finding in found {
            let line = format!("{} ({}): {}", finding.path, finding.check, finding.message);
            text += &hanging(&line, "  - ");
        }
    }
    if explanation.findings.is_empty() {
        text += "None of the classic mistakes found.\n";
    }
    text += "Assumed\n";
    for assumption in &explanation.assumptions {
        text += &hanging(assumption, "  - ");
    }
    if !explanation.not_modelled.is_empty() {
        let names = explanation.not_modelled.join(", ");
        text += &hanging(&format!("Not modelled, so without effect here: {names}"), "");
    }
    text
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
    let mut line = format!("{} reserve {reserved} in all", counted(pool.members, "member"));
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
    format!("{} {} of {}{service}", members.kind, members.indices, port_list(&ports))
}

/// `12,345 B`.
fn bytes(count: u64) -> String {
    format!("{} B", grouped(count))
}

/// A number with thousands separators.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn marks_hang() {
        assert_eq!(hanging("a", "  - "), "  - a\n");
        assert_eq!(hanging(&"ä".repeat(300), "").chars().count(), 90 + "…\n".chars().count());
        let long = hanging(&"word ".repeat(30), "  - ");
        assert!(long.starts_with("  - word") && long.contains("\n    word"), "{long}");
    }
}
