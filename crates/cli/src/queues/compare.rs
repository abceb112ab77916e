//! `forebay queues`: the cost of every structure at one shape.

use forebay_asic::{CheckedShape, Cost, CostModel, STRUCTURES, Shape, Tuning};
use serde::Serialize;

use super::shown::{Shown, WIDTH, cells, count, label, models, percent};
use crate::Failure;
use crate::arguments::whole_of;
use crate::given::Given;
use crate::terminal::{columns, wrapped};

#[derive(clap::Args)]
pub(super) struct Wanted {
    #[command(flatten)]
    given: Given,
    /// N, the number of elements that may wait at once. The default is 2^16 - 16, which heaps with
    /// K = 2 and K = 16 and BBQ hold without rounding up to twice as many.
    #[arg(long, value_name = "N", default_value_t = Shape::default().elements, value_parser = whole_of(Shape::ELEMENTS))]
    elements: u64,
    /// The width of a rank: log2 of the number of priorities P of each logical PIFO.
    #[arg(long, value_name = "BITS", default_value_t = Shape::default().rank_bits, value_parser = whole_of(Shape::RANK_BITS))]
    rank_bits: u32,
    /// The width of the data that an element carries (flow or packet number).
    #[arg(long, value_name = "BITS", default_value_t = Shape::default().item_bits, value_parser = whole_of(Shape::ITEM_BITS))]
    item_bits: u32,
    /// M, the logical PIFOs; any one of them may hold all N elements.
    #[arg(long, value_name = "M", default_value_t = Shape::default().partitions, value_parser = whole_of(Shape::PARTITIONS))]
    partitions: u64,
    /// K, the number of elements per cluster of ClubHeap and its relatives; several values are
    /// compared.
    #[arg(long, value_name = "K,...", value_delimiter = ',', default_value = "2,16", value_parser = whole_of(Shape::CLUSTER))]
    cluster: Vec<u32>,
    /// The number of subtrees per node of BMW-Trees.
    #[arg(long, value_name = "WAYS", default_value_t = Shape::default().ways, value_parser = whole_of(Shape::WAYS))]
    ways: u32,
    /// W, the number of bits per bitmap of BBQ.
    #[arg(long, value_name = "W", default_value_t = Shape::default().bitmap_width, value_parser = whole_of(Shape::BITMAP_WIDTH))]
    bitmap_width: u32,
    /// Compare only these structures, by name as in --json [default: all].
    #[arg(long = "structure", value_name = "NAME,...", value_delimiter = ',')]
    structures: Vec<String>,
}

/// One structure, for the JSON output.
#[derive(Serialize)]
pub(super) struct Row {
    structure: &'static str,
    source: &'static str,
    title: String,
    capacity: u128,
    push_cycles: u32,
    pop_cycles: u32,
    replace_cycles: Option<u32>,
    cycles_per_replace: u32,
    result_latency_cycles: u64,
    settled_latency_cycles: u64,
    comparators: Vec<Comparators>,
    gate_levels: u32,
    levels_in_a_cycle: u32,
    register_bits: u128,
    sram_bits: u128,
    ram_blocks_18k: u128,
    sram: Vec<Bank>,
    lost_elements: u128,
    spare_elements: u128,
}

#[derive(Serialize)]
struct Comparators {
    what: &'static str,
    count: u128,
    bits: u128,
}

#[derive(Serialize)]
struct Bank {
    what: &'static str,
    level: Option<u32>,
    words: u128,
    bits_per_word: u128,
    reads: u32,
    writes: u32,
}

pub(super) fn view(arguments: &Wanted) -> Result<Shown<Vec<Row>>, Failure> {
    let mut all = Vec::new();
    let models = models(&arguments.structures)?;
    arguments.check(&models)?;
    for model in models {
        let clusters = match model.tuning {
            Tuning::Cluster => arguments.cluster.as_slice(),
            Tuning::Nothing | Tuning::BitmapWidth | Tuning::Ways => &[2],
        };
        for cluster in clusters {
            let shape = arguments.shape(*cluster);
            let checked = shape.check()?;
            all.push((model, checked, model.cost(&checked)));
        }
    }
    let text = text(arguments, &all);
    Ok(Shown { text, rows: all.iter().map(row).collect() })
}

impl Wanted {
    /// That some structure is built with each option that was given.
    fn check(&self, models: &[&CostModel]) -> Result<(), Failure> {
        let options = [
            ("cluster", Tuning::Cluster),
            ("ways", Tuning::Ways),
            ("bitmap-width", Tuning::BitmapWidth),
        ];
        let all = STRUCTURES.iter();
        for (option, tuning) in options {
            let is_read = models.iter().any(|model| model.tuning == tuning);
            let readers = all.clone().filter(|model| model.tuning == tuning);
            let readers: Vec<&str> = readers.map(|model| model.name).collect();
            let instead = format!("--structure {}", readers.join(","));
            self.given.read_if(option, is_read, "these structures", instead)?;
        }
        Ok(())
    }

    fn shape(&self, cluster: u32) -> Shape {
        Shape {
            elements: self.elements,
            rank_bits: self.rank_bits,
            item_bits: self.item_bits,
            partitions: self.partitions,
            cluster,
            ways: self.ways,
            bitmap_width: self.bitmap_width,
        }
    }
}

type Entry = (&'static CostModel, CheckedShape, Cost);

fn row((model, shape, cost): &Entry) -> Row {
    let loss = cost.sharing.loss(shape.elements.into(), shape.partitions.into());
    let comparators = cost.logic.comparators.iter();
    let banks = cost.memory.banks.iter();
    Row {
        structure: model.name,
        source: model.source,
        title: label(model, shape),
        capacity: cost.capacity,
        push_cycles: cost.timing.push.cycles(),
        pop_cycles: cost.timing.pop.cycles(),
        replace_cycles: cost.timing.replace.map(|replace| replace.cycles()),
        cycles_per_replace: cost.timing.cycles_per_replace(),
        result_latency_cycles: cost.latency.result,
        settled_latency_cycles: cost.latency.settled,
        comparators: comparators
            .map(|kind| Comparators { what: kind.what, count: kind.count, bits: kind.width })
            .collect(),
        gate_levels: cost.logic.path.gate_levels(),
        levels_in_a_cycle: cost.logic.span,
        register_bits: cost.memory.register_bits,
        sram_bits: cost.memory.sram_bits(),
        ram_blocks_18k: cost.memory.blocks(),
        sram: banks
            .map(|bank| Bank {
                what: bank.what,
                level: bank.level,
                words: bank.words,
                bits_per_word: bank.width,
                reads: bank.ports.reads,
                writes: bank.ports.writes,
            })
            .collect(),
        lost_elements: loss.lost(),
        spare_elements: loss.spare,
    }
}

fn text(arguments: &Wanted, all: &[Entry]) -> String {
    let mut text = format!(
        "{} elements of {} + {} bits, in any mixture over {}\n\nTime, in cycles\n",
        count(arguments.elements.into()),
        arguments.rank_bits,
        arguments.item_bits,
        match arguments.partitions {
            1 => "1 logical PIFO".to_owned(),
            several => format!("{} logical PIFOs", count(several.into())),
        }
    );
    text += &columns(&time(all), 1);
    text += "\nSize\n";
    text += &columns(&size(all), 1);
    text += "\n";
    text += &wrapped(
        "Result: until a pop's element is known; settled: until the last level is written. Gates: \
         the longest path in two-input gates, a rough guide. Blocks: of 18 Kb, on an FPGA. Lost: \
         elements that the worst mixture over the partitions cannot use unless more are built; the \
         memory shown includes those.",
        WIDTH,
        "",
    );
    for (model, _, _) in all {
        let note = model.note;
        let line = format!("{}: {note}", model.title);
        let new = wrapped(&line, WIDTH, "");
        if !note.is_empty() && !text.contains(&new) {
            text += &new;
        }
    }
    text
}

fn time(all: &[Entry]) -> Vec<Vec<String>> {
    let head = ["", "holds", "push", "pop", "replace", "CPR", "result", "settled", "gates"];
    let mut rows = vec![cells(head)];
    for (model, shape, cost) in all {
        let replace = cost.timing.replace.map_or("–".to_owned(), |own| own.cycles().to_string());
        rows.push(vec![
            label(model, shape),
            count(cost.capacity),
            cost.timing.push.cycles().to_string(),
            cost.timing.pop.cycles().to_string(),
            replace,
            cost.timing.cycles_per_replace().to_string(),
            cost.latency.result.to_string(),
            cost.latency.settled.to_string(),
            cost.logic.path.gate_levels().to_string(),
        ]);
    }
    rows
}

fn size(all: &[Entry]) -> Vec<Vec<String>> {
    let head = ["", "comparators", "registers", "SRAM", "blocks", "ports", "lost", "spare"];
    let mut rows = vec![cells(head)];
    for (model, shape, cost) in all {
        let loss = cost.sharing.loss(shape.elements.into(), shape.partitions.into());
        let ports = cost.memory.ports();
        rows.push(vec![
            label(model, shape),
            count(cost.logic.comparator_count()),
            bits(cost.memory.register_bits),
            bits(cost.memory.sram_bits()),
            count(cost.memory.blocks()),
            ports.map_or("–".to_owned(), |p| format!("{}R{}W", p.reads, p.writes)),
            percent(loss.lost(), loss.elements),
            percent(loss.spare, loss.elements),
        ]);
    }
    rows
}

/// Bits in decimal units: "7.62 Mb".
fn bits(value: u128) -> String {
    let (scale, unit) = match value {
        0..1_000 => (1.0, "b"),
        1_000..1_000_000 => (1e3, "Kb"),
        1_000_000..1_000_000_000 => (1e6, "Mb"),
        1_000_000_000..1_000_000_000_000 => (1e9, "Gb"),
        _ => (1e12, "Tb"),
    };
    format!("{} {unit}", forebay_lab::results::number::short(value as f64 / scale))
}
