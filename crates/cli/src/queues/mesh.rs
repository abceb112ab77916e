//! `forebay queues mesh`: how many queues a switch needs.

use forebay_asic::{Shape, mesh};
use serde::Serialize;

use super::shown::{Shown, WIDTH, cells, count, models, refused};
use crate::Failure;
use crate::arguments::whole;
use crate::terminal::{columns, wrapped};

/// What the papers state.
const PAPER: &str = "Papers: 32.5 times fewer at 64 ports (clubheap §2.1); 32^2 + 32 RPU-BMWs for \
                     32 ports, which would take 1.5 to 6 times a switch chip (thesis §4.1.1); 12 \
                     BBQs for 8.4 billion packets a second, at 0.29 mm^2 each 3.48 mm^2, 0.4 to \
                     1.74 % of a chip (thesis §4.7.1).";

/// Packet rates and clocks of the papers: the switch's packets per second, a structure, its clock.
const EXAMPLES: [(u64, &str, u64); 4] = [
    (8_400_000_000, "bbq", 3_100_000_000),
    (8_400_000_000, "sr-pifo", 1_000_000_000),
    (33_300_000_000, "bbq", 3_100_000_000),
    (33_300_000_000, "clubheap", 800_000_000),
];

/// Which switch.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// k, the number of ports of the switch.
    #[arg(long, value_name = "K,...", value_delimiter = ',', default_value = "4,32,64",
          value_parser = whole(1_u32..=1 << 20))]
    ports: Vec<u32>,
    /// Packets per second of the whole switch, such as 8.4G; with --clock and --structure.
    #[arg(long, value_name = "RATE", value_parser = rate, requires_all = ["clock", "structure"])]
    packet_rate: Option<u64>,
    /// The queue's clock in Hz, as 3.1G or 302M.
    #[arg(long, value_name = "HZ", value_parser = rate, requires = "packet_rate")]
    clock: Option<u64>,
    /// The queue's structure, which determines its cycles per replace.
    #[arg(long, value_name = "NAME", requires = "packet_rate")]
    structure: Option<String>,
}

/// All numbers, for the JSON output.
#[derive(Serialize)]
pub(super) struct Rows {
    ports: Vec<Ports>,
    rates: Vec<Rate>,
}

#[derive(Serialize)]
struct Ports {
    ports: u32,
    without_partitions: u64,
    with_partitions: u64,
}

#[derive(Serialize)]
struct Rate {
    packets_per_second: u64,
    structure: &'static str,
    #[serde(skip)]
    title: &'static str,
    clock_hz: u64,
    cycles_per_replace: u32,
    packets_per_second_per_queue: u64,
    queues: u128,
}

pub(super) fn view(arguments: &Arguments) -> Result<Shown<Rows>, Failure> {
    let ports = arguments.ports.iter().map(|ports| Ports {
        ports: *ports,
        without_partitions: mesh::without_partitions(*ports),
        with_partitions: mesh::with_partitions(*ports),
    });
    let asked = match (arguments.packet_rate, &arguments.structure, arguments.clock) {
        (Some(packets), Some(name), Some(clock)) => vec![(packets, name.as_str(), clock)],
        _ => EXAMPLES.to_vec(),
    };
    let rates: Result<Vec<Rate>, Failure> = asked.into_iter().map(needed).collect();
    let rows = Rows { ports: ports.collect(), rates: rates? };
    Ok(Shown { text: text(&rows), rows })
}

fn needed((packets, name, clock): (u64, &str, u64)) -> Result<Rate, Failure> {
    let found = models(&[name.to_owned()])?;
    let Some(model) = found.first() else { return Err(refused("no structure is named")) };
    let cycles = model.cost(&Shape::default().check()?).timing.cycles_per_replace();
    let slow = || {
        refused(format!(
            "a clock of {clock} Hz is less than one replace of {name} a second: raise --clock"
        ))
    };
    Ok(Rate {
        packets_per_second: packets,
        structure: model.name,
        title: model.title,
        clock_hz: clock,
        cycles_per_replace: cycles,
        packets_per_second_per_queue: mesh::packet_rate(clock, cycles).ok_or_else(slow)?,
        queues: mesh::queues_for(packets, clock, cycles).ok_or_else(slow)?,
    })
}

fn text(rows: &Rows) -> String {
    let mut text = "Queues of a switch with k ports, each as fast as a port\n".to_owned();
    let mut table = vec![cells(["k", "no partitions: k^2 + k", "partitions: 2k", "ratio"])];
    table.extend(rows.ports.iter().map(|row| {
        vec![
            row.ports.to_string(),
            count(row.without_partitions.into()),
            count(row.with_partitions.into()),
            format!("{:.1}", row.without_partitions as f64 / row.with_partitions as f64),
        ]
    }));
    text += &columns(&table, 0);
    text +=
        "\nPartitioned queues that schedule a packet rate, in two layers (a replace per packet)\n";
    let head = ["", "clock (GHz)", "CPR", "per queue (Gpps)", "switch (Gpps)", "queues"];
    let mut table = vec![cells(head)];
    let billions = |value: u64| forebay_lab::results::number::short(value as f64 / 1e9);
    table.extend(rows.rates.iter().map(|row| {
        vec![
            row.title.to_owned(),
            billions(row.clock_hz),
            row.cycles_per_replace.to_string(),
            billions(row.packets_per_second_per_queue),
            billions(row.packets_per_second),
            count(row.queues),
        ]
    }));
    text += &columns(&table, 1);
    text + "\n" + &wrapped(PAPER, WIDTH, "")
}

/// A whole number per second, as "8.4G", "302M", "148.8M" or "1000".
fn rate(text: &str) -> Result<u64, String> {
    let (number, zeros) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 3),
        Some(b'M') => (&text[..text.len() - 1], 6),
        Some(b'G') => (&text[..text.len() - 1], 9),
        Some(b'T') => (&text[..text.len() - 1], 12),
        _ => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let readable =
        !whole.is_empty() && digits(whole) && digits(fraction) && fraction.len() <= zeros;
    let padded = format!("{whole}{fraction}{}", "0".repeat(zeros.saturating_sub(fraction.len())));
    let value = padded.parse::<u64>().ok().filter(|value| readable && *value > 0);
    value.ok_or_else(|| {
        "write a whole number per second from 1 to 18 million million million, such as 8.4G or 302M"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_exactly() {
        for (text, value) in [("8.4G", 8_400_000_000), ("302M", 302_000_000), ("1", 1)] {
            assert_eq!(rate(text), Ok(value));
        }
        for bad in
            ["", "G", "0", "-1", "1.5", "1.0001k", "8,4G", "99999999999999999999", "é", "1e9", "+1"]
        {
            assert!(rate(bad).is_err(), "{bad}");
        }
    }
}
