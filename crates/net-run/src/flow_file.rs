//! A flow file, read line by line: its text would take as much memory as its flows.

use std::path::Path;

use forebay_files::Input;
use forebay_net::flow::{FlowLines, FlowList, LONGEST_LINE, holds_flow};

use crate::error::NetRunError;

/// The flows of a file, for a network of `hosts` hosts.
pub(crate) fn read(path: &Path, hosts: u32) -> Result<FlowList, NetRunError> {
    let mut flows = FlowLines::new(hosts);
    let input = Input::of(path);
    let name = input.name();
    input.for_each_line(
        LONGEST_LINE,
        |_, line| {
            let read = flows.read(line);
            read.map_err(|error| NetRunError::Input(format!("{name}: {error}")))
        },
        |line, error| match line {
            0 => NetRunError::parameter("flows", format!("cannot read {name}: {error}")),
            _ => NetRunError::Input(format!("{name}: line {line}: {error}")),
        },
    )?;
    Ok(flows.into_list())
}

/// The line, from 1, of the flow number `index` in a file; `None` if it cannot be read again, as a
/// pipe. O(length).
pub(crate) fn line_of(path: &Path, index: usize) -> Option<usize> {
    if !path.is_file() {
        return None;
    }
    let mut before = 0;
    let find = |number, line: &str| match holds_flow(line) {
        true if before == index => Err(Some(number)),
        holds => {
            before += usize::from(holds);
            Ok(())
        }
    };
    forebay_files::for_each_line(path, LONGEST_LINE, find, |_, _| None).err().flatten()
}
