//! `forebay queues fragmentation`: what partitions lose, and what it costs to lose nothing.

use forebay_asic::{Shape, Sharing};
use serde::Serialize;

use super::shown::{Shown, WIDTH, cells, count, models, percent};
use crate::Failure;
use crate::arguments::whole;
use crate::terminal::{columns, wrapped};

/// What the thesis states.
const PAPER: &str = "Thesis §4.4.1, q = 8: up to 87 % of a BMW-Tree, P-Heap or Pipelined Heap is \
                     lost, or 700 % more must be built; PIFO and BBQ lose nothing; PIEO loses at \
                     the granularity of sublists (nothing, if each sublist had a bitmap of its \
                     queues). Clubheap §3.1: ClubHeap shares its nodes.";

/// How large and how many.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The number of elements of the physical queue.
    #[arg(long, value_name = "N", default_value_t = 65_536, value_parser = whole(0..=u64::MAX))]
    elements: u64,
    /// q, the number of logical queues.
    #[arg(long, value_name = "Q,...", value_delimiter = ',', default_value = "2,8,64", value_parser = whole(0..=u64::MAX))]
    partitions: Vec<u64>,
    /// Show only these structures [default: all].
    #[arg(long = "structure", value_name = "NAME,...", value_delimiter = ',')]
    structures: Vec<String>,
}

/// One structure and one number of partitions, for the JSON output.
#[derive(Serialize)]
pub(super) struct Row {
    structure: &'static str,
    #[serde(skip)]
    title: &'static str,
    shares: &'static str,
    partitions: u64,
    elements: u128,
    guaranteed: u128,
    lost: u128,
    spare: u128,
}

pub(super) fn view(arguments: &Arguments) -> Result<Shown<Vec<Row>>, Failure> {
    let mut rows = Vec::new();
    for model in models(&arguments.structures)? {
        for partitions in &arguments.partitions {
            let shape =
                Shape { elements: arguments.elements, partitions: *partitions, ..Shape::default() };
            let sharing = model.cost(&shape.check()?).sharing;
            let loss = sharing.loss(arguments.elements.into(), (*partitions).into());
            rows.push(Row {
                structure: model.name,
                title: model.title,
                shares: shares(sharing),
                partitions: *partitions,
                elements: loss.elements,
                guaranteed: loss.guaranteed,
                lost: loss.lost(),
                spare: loss.spare,
            });
        }
    }
    Ok(Shown { text: text(arguments, &rows), rows })
}

fn shares(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Whole => "every element",
        Sharing::Sublists { .. } => "sublists",
        Sharing::Split => "nothing",
    }
}

fn text(arguments: &Arguments, rows: &[Row]) -> String {
    let mut text = format!(
        "{} elements partitioned q ways: what the worst mixture cannot use, and what more must be \
         built\n",
        count(arguments.elements.into())
    );
    let mut table = vec![cells(["", "shared", "q", "fit in any mixture", "lost", "to build more"])];
    table.extend(rows.iter().map(|row| {
        vec![
            row.title.to_owned(),
            row.shares.to_owned(),
            row.partitions.to_string(),
            count(row.guaranteed),
            percent(row.lost, row.elements),
            percent(row.spare, row.elements),
        ]
    }));
    text += &columns(&table, 2);
    text + "\n" + &wrapped(PAPER, WIDTH, "")
}
