//! A line per flow, as CSV.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::NetRunError;
use crate::records::Records;

const HEAD: &str =
    "flow,src,dst,bytes,start_ns,finish_ns,fct_ns,ideal_ns,slowdown,delivered,resent,timeouts";

/// Writes the flows in their order; those that have not finished have no finish, FCT and slowdown.
/// Times are in nanoseconds, with three decimals.
///
/// # Errors
/// The file cannot be written.
pub fn write_table(path: &Path, records: &Records) -> Result<(), NetRunError> {
    let file = File::create(path).and_then(|file| rows(&mut BufWriter::new(file), records));
    file.map_err(|error| NetRunError::unwritten(path, &error))
}

fn rows(out: &mut impl Write, records: &Records) -> std::io::Result<()> {
    writeln!(out, "{HEAD}")?;
    for (index, record) in records.iter().enumerate() {
        let flow = &record.flow;
        let finish = record.finish.map(|at| nanoseconds(at.as_ps())).unwrap_or_default();
        let fct = record.fct().map(|span| nanoseconds(span.as_ps())).unwrap_or_default();
        let slowdown = record.slowdown().map(|times| times.to_string()).unwrap_or_default();
        writeln!(
            out,
            "{index},{},{},{},{},{finish},{fct},{},{slowdown},{},{},{}",
            flow.src,
            flow.dst,
            flow.bytes.get(),
            nanoseconds(flow.start.as_ps()),
            nanoseconds(record.ideal.as_ps()),
            record.delivered.get(),
            record.sender.resent,
            record.sender.timeouts,
        )?;
    }
    out.flush()
}

/// Nanoseconds with three decimals, exactly.
fn nanoseconds(ps: u64) -> String {
    format!("{}.{:03}", ps / 1000, ps % 1000)
}
