//! A trace in columns through a switch and its output links, by the event loop of `forebay-replay`.

use forebay_switch::{Ecn, Handle, Lost, SwitchModel, Traffic};
use forebay_units::{Bytes, Time};

use crate::rows::Rows;

/// What stands for a packet that never left, and the last departure that can be told from it.
const NEVER: u64 = u64::MAX;
const LAST: u64 = NEVER - 1;

/// The columns of a trace, by place: times, ports, sizes, flows, classes, inputs, flow sizes.
pub(super) const COLUMNS: [&str; 7] =
    ["times", "ports", "sizes", "flows", "classes", "inputs", "flow_sizes"];

/// What became of the packets: when each had left, why not, and which are marked.
pub(super) struct Fates {
    pub(super) left: Vec<u64>,
    pub(super) causes: Vec<u8>,
    pub(super) marked: Vec<bool>,
}

/// The rows of a trace, and what became of those that have arrived.
pub(super) struct Trace<'a> {
    rows: Rows<'a, 7>,
    markable: bool,
    /// The next packet to arrive.
    pub(super) next: usize,
    pub(super) fates: Fates,
}

impl<'a> Trace<'a> {
    /// Before the first packet of rows that were checked.
    pub(super) fn new(rows: Rows<'a, 7>, markable: bool) -> Self {
        let packets = rows.len();
        let fates = Fates {
            left: vec![NEVER; packets],
            causes: vec![0; packets],
            marked: vec![false; packets],
        };
        Trace { rows, markable, next: 0, fates }
    }
}

impl<S: SwitchModel> Traffic<S> for Trace<'_> {
    fn next_at(&self) -> Option<Time> {
        (self.next < self.rows.len()).then(|| Time::from_ps(self.rows.at(0, self.next, 0)))
    }

    fn arrive(&mut self, _: Time, switch: &mut S) -> Option<(u16, Handle)> {
        let (rows, row) = (&self.rows, self.next);
        self.next += 1;
        let (port, flow) = (rows.at(1, row, 0) as u16, rows.at(3, row, 0) as u32);
        if rows.has(6) {
            let size = Bytes::new(rows.at(6, row, 0));
            switch.flow_added(flow, size, size);
        }
        let handle = Handle::numbered(row as u32, flow, rows.at(2, row, 0) as u32)
            .with_class(rows.at(4, row, 0) as u8)
            .with_input(rows.at(5, row, 0) as u16)
            .with_ecn(if self.markable { Ecn::Capable } else { Ecn::NotCapable });
        Some((port, handle))
    }

    fn sent(&mut self, packet: &Handle, _: Time, end: Time) {
        let row = packet.packet().get() as usize;
        self.fates.left[row] = LAST.min(end.as_ps());
        self.fates.marked[row] = packet.ecn() == Ecn::Experienced;
    }

    fn lost(&mut self, lost: &Lost, _: Time, _: &S) {
        let row = lost.packet.packet().get() as usize;
        self.fates.causes[row] = 1 + lost.cause.index() as u8;
    }
}
