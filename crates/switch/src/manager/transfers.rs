//! What follows the end of a transfer: memory is free, a move goes on, a port has its packet.

use forebay_pifo::TieredQueue;
use forebay_units::Time;

use super::TrafficManager;
use super::hbm_path::{Kind, Transaction};

impl<Q: TieredQueue> TrafficManager<Q> {
    pub(super) fn end_transfer(&mut self, now: Time, index: u32) {
        let transaction = self.hbm.get(index);
        match transaction.kind {
            Kind::Write | Kind::MoveOut => {
                self.hbm.close(index);
                if transaction.kind == Kind::MoveOut {
                    self.moving_out -= transaction.bytes;
                }
                let mut next = Some(transaction.first);
                while let Some(id) = next {
                    next = self.buffer.linked(id);
                    if self.buffer.end_write(id) {
                        self.request_fetch(now, id);
                    }
                }
            }
            Kind::MoveIn => self.write_port.begin(now, index, transaction.cells),
            Kind::Fetch => {
                self.hbm.close(index);
                let fetched = transaction.first;
                let rest = self.buffer.linked(fetched);
                self.buffer.end_fetch(fetched);
                self.ready(fetched);
                if let Some(first) = rest {
                    let rest = Transaction { kind: Kind::MoveIn, first, ..transaction };
                    let index = self.hbm.open(rest);
                    self.moving_in += rest.bytes;
                    self.write_port.begin(now, index, transaction.cells);
                }
            }
        }
    }

    pub(super) fn end_move_in(&mut self, index: u32) {
        let transaction = self.hbm.close(index);
        self.moving_in -= transaction.bytes;
        let mut next = Some(transaction.first);
        while let Some(id) = next {
            next = self.buffer.linked(id);
            if self.buffer.end_move_in(id) {
                self.ready(id);
            }
        }
    }

    pub(super) fn ready(&mut self, id: u32) {
        let port = usize::from(self.buffer.descriptor(id).port);
        self.ports[port].mark_ready(id);
    }
}
