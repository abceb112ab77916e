//! `forebay queues fig3`: Figure 3 of the ClubHeap paper, B1 against B2 and S_L against B2.

use std::io::ErrorKind;
use std::path::PathBuf;

use forebay_lab::report::{Axis, LineChart, stacked};
use forebay_pifo::{ClubGeometry, LevelSize};
use serde::Serialize;

use super::shown::{Shown, WIDTH, cells, count, percent, refused};
use crate::Failure;
use crate::arguments::whole;
use crate::terminal::{columns, wrapped};

/// What the paper states in §3.1, at 16 logical PIFOs.
const PAPER: &str = "paper, M = 16: 22.9 % to 30.5 %, smaller K the smaller";
/// The same in parts per thousand, and the M.
const PUBLISHED: ([u128; 2], usize) = ([229, 305], 16);

/// The most B2 lines that are drawn: with B1 they make as many lines as there are colours.
const MOST_LINES: usize = 6;

/// Which forests.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// K, the number of elements per cluster; (a) shows the first. The paper gives no list; its
    /// ends are 2 and 32.
    #[arg(long, value_name = "K,...", value_delimiter = ',', default_value = "2,4,8,16,32")]
    cluster: Vec<usize>,
    /// M, the number of logical PIFOs.
    #[arg(
        long,
        value_name = "M,...",
        value_delimiter = ',',
        default_value = "1,2,4,8,16,32,64,128,256"
    )]
    partitions: Vec<usize>,
    /// B, where the heaps hold N = 2^B - K elements.
    #[arg(long, value_name = "B", default_value_t = 16,
          value_parser = whole(2_u32..=26))]
    size: u32,
    /// Also draw both parts into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// One forest, for the JSON output.
#[derive(Serialize)]
pub(super) struct Row {
    cluster: usize,
    elements: usize,
    partitions: usize,
    sum_published: usize,
    sum_b2: usize,
    levels: Vec<Level>,
}

#[derive(Serialize)]
struct Level {
    level: usize,
    b1: usize,
    b2: usize,
}

pub(super) fn view(arguments: &Arguments) -> Result<Shown<Vec<Row>>, Failure> {
    let mut rows = Vec::new();
    for cluster in &arguments.cluster {
        let elements = (1usize << arguments.size).saturating_sub(*cluster);
        if elements == 0 {
            let least = arguments.size;
            return Err(refused(format!(
                "a heap of 2^{least} - {cluster} elements is empty: choose --cluster below \
                 2^{least}"
            )));
        }
        for partitions in &arguments.partitions {
            let geometry =
                ClubGeometry::new(*cluster, elements, *partitions, 2).map_err(refused)?;
            rows.push(row(&geometry));
        }
    }
    if let Some(file) = &arguments.svg {
        std::fs::write(
            file,
            stacked(&[bounds_chart(&rows, arguments), ratio_chart(&rows, arguments)]),
        )
        .map_err(|error| {
            let problem = format!("cannot write {}: {error}", file.display());
            match error.kind() {
                ErrorKind::NotFound => {
                    refused(format!("{problem}; give a file in a folder that exists"))
                }
                _ => Failure::new(format!("error: {problem}"), 1),
            }
        })?;
    }
    Ok(Shown { text: text(&rows, arguments), rows })
}

fn row(geometry: &ClubGeometry) -> Row {
    let sizes = geometry.level_sizes();
    Row {
        cluster: geometry.cluster(),
        elements: geometry.capacity(),
        partitions: geometry.partitions(),
        sum_published: sizes.iter().map(LevelSize::published).sum(),
        sum_b2: sizes.iter().map(|size| size.b2).sum(),
        levels: sizes
            .iter()
            .map(|size| Level { level: size.level, b1: size.b1, b2: size.b2 })
            .collect(),
    }
}

/// The rows of one cluster size, one for each number of partitions.
fn of_cluster<'a>(rows: &'a [Row], arguments: &Arguments, place: usize) -> &'a [Row] {
    rows.chunks(arguments.partitions.len().max(1)).nth(place).unwrap_or(&[])
}

fn text(rows: &[Row], arguments: &Arguments) -> String {
    let first = of_cluster(rows, arguments, 0);
    let (cluster, elements) = first.first().map_or((0, 0), |row| (row.cluster, row.elements));
    let mut text = format!(
        "Fig. 3 (a) of ClubHeap (NSDI '25): nodes by level, K = {cluster}, N = {}\n",
        count(elements as u128)
    );
    for part in first.chunks(6) {
        text += &columns(&bounds(part), 0);
    }
    text += "\nFig. 3 (b): nodes that ClubHeap needs, as a share of M complete trees\n";
    let heads = arguments.partitions.iter().map(|partitions| format!("M = {partitions}"));
    let mut table = vec![std::iter::once(String::new()).chain(heads).collect::<Vec<_>>()];
    for place in 0..arguments.cluster.len() {
        let of = of_cluster(rows, arguments, place);
        let shares = of.iter().map(|row| percent(row.sum_published as u128, row.sum_b2 as u128));
        table.push(
            std::iter::once(format!("K = {}", arguments.cluster[place])).chain(shares).collect(),
        );
    }
    text += &transposed_if_wide(&table);
    text + &wrapped(&format!("{PAPER}{}", verdict(rows)), WIDTH, "  ")
}

/// Whether the shares at the paper's M end where the paper's do, if that M is among them.
fn verdict(rows: &[Row]) -> String {
    let (published, partitions) = PUBLISHED;
    let there = rows.iter().filter(|row| row.partitions == partitions);
    let shares = there.map(|row| (row.sum_published as u128, row.sum_b2 as u128));
    let mille = |(sum, all): (u128, u128)| (2000 * sum + all) / (2 * all.max(1));
    let Some(least) = shares.clone().map(mille).min() else { return String::new() };
    let most = shares.map(mille).max().unwrap_or(least);
    let verdict = if [least, most] == published { "reproduced" } else { "other K or N" };
    format!("; here {} to {}: {verdict}", percent(least, 1000), percent(most, 1000))
}

fn bounds(rows: &[Row]) -> Vec<Vec<String>> {
    let mut head = cells(["level", "B1"]);
    head.extend(rows.iter().map(|row| format!("B2, M = {}", row.partitions)));
    let mut table = vec![head];
    let Some(first) = rows.first() else { return table };
    for (place, level) in first.levels.iter().enumerate() {
        let mut line = vec![level.level.to_string(), count(level.b1 as u128)];
        line.extend(rows.iter().map(|row| {
            let level = &row.levels[place];
            let mark = if level.b1 < level.b2 { ">" } else { "" };
            format!("{mark}{}", count(level.b2 as u128))
        }));
        table.push(line);
    }
    table
}

/// A table as it is if it fits, otherwise transposed.
fn transposed_if_wide(table: &[Vec<String>]) -> String {
    let text = columns(table, 1);
    if text.lines().all(|line| line.chars().count() <= WIDTH) {
        return text;
    }
    let width = table.first().map_or(0, Vec::len);
    let turned: Vec<Vec<String>> = (0..width)
        .map(|column| table.iter().filter_map(|row| row.get(column).cloned()).collect())
        .collect();
    columns(&turned, 1)
}

fn bounds_chart(rows: &[Row], arguments: &Arguments) -> LineChart {
    let first = of_cluster(rows, arguments, 0);
    let points = |row: &Row, of: fn(&Level) -> usize| -> Vec<(f64, f64)> {
        row.levels.iter().map(|level| (level.level as f64, of(level) as f64)).collect()
    };
    let b1 = first.first().map(|row| ("B1".to_owned(), points(row, |level| level.b1)));
    let shown = first.iter().step_by(first.len().div_ceil(MOST_LINES).max(1));
    let b2 = shown.map(|row| (format!("B2, M = {}", row.partitions), points(row, |l| l.b2)));
    let lines: Vec<_> = b1.into_iter().chain(b2).collect();
    let most = lines.iter().flat_map(|(_, points)| points).map(|point| point.1).fold(1.0, f64::max);
    let top = (most.log2() / 4.0).ceil() as i32 * 4;
    let powers = (0..=top).step_by(4);
    LineChart {
        title: "Fig. 3 (a): B1 against B2".to_owned(),
        x: ("Level".to_owned(), Axis::Round),
        y: (
            "Nodes".to_owned(),
            Axis::At {
                ticks: powers.map(|power| (2f64.powi(power), format!("2^{power}"))).collect(),
                log: true,
            },
        ),
        lines,
    }
}

fn ratio_chart(rows: &[Row], arguments: &Arguments) -> LineChart {
    let share =
        |row: &Row| (row.partitions as f64, 100.0 * row.sum_published as f64 / row.sum_b2 as f64);
    let line = |(place, cluster): (usize, &usize)| {
        let points = of_cluster(rows, arguments, place).iter().map(share).collect();
        (format!("K = {cluster}"), points)
    };
    let ticks = arguments.partitions.iter().map(|m| (*m as f64, m.to_string())).collect();
    LineChart {
        title: "Fig. 3 (b): nodes as a share of M complete trees".to_owned(),
        x: ("Logical PIFOs, M".to_owned(), Axis::At { ticks, log: true }),
        y: ("Share of B2 (%)".to_owned(), Axis::Round),
        lines: arguments.cluster.iter().enumerate().map(line).collect(),
    }
}
