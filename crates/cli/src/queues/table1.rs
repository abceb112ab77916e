//! `forebay queues table1`: Table 1 of the ClubHeap paper, as printed and as derived.

use forebay_asic::{DerivedRow, Marks, PublishedRow, Shape, TABLE_1};
use serde::Serialize;

use super::shown::{Shown, WIDTH, cells};
use crate::Failure;
use crate::terminal::{columns, wrapped};

/// One structure, for the JSON output.
#[derive(Serialize)]
pub(super) struct Row {
    structure: &'static str,
    kind: &'static str,
    paper: Claims,
    derived: Option<Claims>,
    growth: Option<Growth>,
    note: &'static str,
}

#[derive(PartialEq, Serialize)]
struct Claims {
    least_cycles_per_replace: u32,
    most_cycles_per_replace: u32,
    scales_in_ranks: bool,
    scales_in_elements: bool,
    logical_partitions: bool,
}

/// By what factor a cost grows when the parameter grows 256-fold.
#[derive(Serialize)]
struct Growth {
    logic_by_elements: f64,
    levels_in_a_cycle_by_elements: f64,
    logic_by_ranks: f64,
    memory_by_ranks: f64,
    memory_by_partitions: f64,
}

pub(super) fn view() -> Result<Shown<Vec<Row>>, Failure> {
    let derived: Result<Vec<_>, _> =
        TABLE_1.iter().map(|row| Ok((row, row.derived(Shape::default())?))).collect();
    let derived = derived.map_err(|error: forebay_asic::QueueShapeError| Failure::from(error))?;
    let rows: Vec<Row> =
        derived.iter().map(|(paper, derived)| row(paper, derived.as_ref())).collect();
    Ok(Shown { text: text(&rows), rows })
}

fn claims((least, most): (u32, u32), marks: Marks) -> Claims {
    Claims {
        least_cycles_per_replace: least,
        most_cycles_per_replace: most,
        scales_in_ranks: marks.ranks,
        scales_in_elements: marks.elements,
        logical_partitions: marks.partitions,
    }
}

fn row(paper: &PublishedRow, derived: Option<&DerivedRow>) -> Row {
    Row {
        structure: paper.title,
        kind: paper.kind,
        paper: claims(paper.cycles_per_replace, paper.marks),
        derived: derived
            .map(|row| claims((row.cycles_per_replace, row.cycles_per_replace), row.marks)),
        growth: derived.map(|row| Growth {
            logic_by_elements: row.scaling.logic_by_elements.factor(),
            levels_in_a_cycle_by_elements: row.scaling.span_by_elements.factor(),
            logic_by_ranks: row.scaling.logic_by_ranks.factor(),
            memory_by_ranks: row.scaling.memory_by_ranks.factor(),
            memory_by_partitions: row.scaling.memory_by_partitions.factor(),
        }),
        note: paper.model().map_or("", |model| model.note),
    }
}

fn text(rows: &[Row]) -> String {
    let mut text = "Table 1 of ClubHeap (NSDI '25): the paper's entry, then ours\n".to_owned();
    let mut table = vec![cells(["", "type", "CPR", "S.P", "S.N", "LP"])];
    table.extend(rows.iter().map(|row| {
        let ours = |of: fn(&Claims) -> String| {
            let ours = row.derived.as_ref().map_or("–".to_owned(), of);
            format!("{}  {ours}", of(&row.paper))
        };
        vec![
            row.structure.to_owned(),
            row.kind.to_owned(),
            ours(cycles),
            ours(|claims| mark_of(claims.scales_in_ranks)),
            ours(|claims| mark_of(claims.scales_in_elements)),
            ours(|claims| mark_of(claims.logical_partitions)),
        ]
    }));
    text += &columns(&table, 2);
    text += "\nHow many times larger with 256 times the elements, ranks or partitions\n";
    text += &columns(&growth(rows), 1);
    let (same, all) = agreement(rows);
    text += &format!("\n{same} of {all} derived entries are as printed. Where they differ\n");
    for row in rows {
        match &row.derived {
            None => {}
            Some(derived) if *derived == row.paper => {}
            Some(_) => text += &wrapped(&format!("{}: {}", row.structure, row.note), WIDTH, "  "),
        }
    }
    text + &wrapped(
        "OPQ, APQ and H-PQ (–) are the paper's values only: it says too little about them for a \
         model.",
        WIDTH,
        "  ",
    )
}

/// How many of the entries that are derived are as the paper has them, and how many there are.
fn agreement(rows: &[Row]) -> (usize, usize) {
    let pairs = rows.iter().filter_map(|row| Some((&row.paper, row.derived.as_ref()?)));
    let each = |of: fn(&Claims) -> String| pairs.clone().map(move |(a, b)| of(a) == of(b));
    let marks: [fn(&Claims) -> String; 4] = [
        cycles,
        |claims| mark_of(claims.scales_in_ranks),
        |claims| mark_of(claims.scales_in_elements),
        |claims| mark_of(claims.logical_partitions),
    ];
    let entries: Vec<bool> = marks.into_iter().flat_map(each).collect();
    (entries.iter().filter(|same| **same).count(), entries.len())
}

fn cycles(claims: &Claims) -> String {
    match (claims.least_cycles_per_replace, claims.most_cycles_per_replace) {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least}~{most}"),
    }
}

fn mark_of(yes: bool) -> String {
    if yes { "✓" } else { "×" }.to_owned()
}

fn growth(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["", "logic/N", "reach/N", "logic/P", "memory/P", "memory/M"];
    let mut table = vec![cells(head)];
    for row in rows {
        let Some(growth) = &row.growth else { continue };
        let factors = [
            growth.logic_by_elements,
            growth.levels_in_a_cycle_by_elements,
            growth.logic_by_ranks,
            growth.memory_by_ranks,
            growth.memory_by_partitions,
        ];
        let factors = factors.map(|factor| forebay_lab::results::number::fixed(factor, 2));
        table.push([row.structure.to_owned()].into_iter().chain(factors).collect());
    }
    table
}
