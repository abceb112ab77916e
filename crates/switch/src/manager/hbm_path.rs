//! The way to and from HBM: transactions, and the order in which they get the memory.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use forebay_buffer::HbmAddress;
use forebay_mem::{BankAddress, Completion, Direction, HbmConfig, Request, StripedDevice};
use forebay_units::{Bytes, Time};

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Staging to HBM.
    Write,
    /// SRAM to HBM: a swap-out batch or an expelled packet.
    MoveOut,
    /// HBM to SRAM: a swap-in batch.
    MoveIn,
    /// HBM to a port that waits: the first packet of the chain; the others go to SRAM.
    Fetch,
}

impl Kind {
    fn direction(self) -> Direction {
        match self {
            Kind::Write | Kind::MoveOut => Direction::Write,
            Kind::MoveIn | Kind::Fetch => Direction::Read,
        }
    }
}

/// One burst between the chip and a row of the HBM, carrying a chain of packets linked through
/// their descriptors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transaction {
    pub(crate) kind: Kind,
    /// First packet of the chain.
    pub(crate) first: u32,
    /// Where in HBM: one row, consecutive columns.
    pub(crate) at: HbmAddress,
    /// Packet bytes.
    pub(crate) bytes: u64,
    /// SRAM cells of the chain.
    pub(crate) cells: u32,
}

/// The HBM, its transactions, and those that wait for it.
pub(crate) struct HbmPath {
    pub(crate) device: StripedDevice,
    transactions: Vec<Transaction>,
    free: Vec<u32>,
    banks_per_group: u32,
    bank_groups: u32,
    /// Reads for departure, with the time of the request.
    pub(crate) fetches: VecDeque<(Time, u32)>,
    /// Moves ready for the HBM, with the time since when.
    pub(crate) moves: VecDeque<(Time, u32)>,
    /// The batch that staged packets are written into.
    pub(crate) open_batch: Option<u32>,
    /// Scratch for completions, so that none is allocated per event.
    pub(crate) completed: Vec<Completion>,
}

impl HbmPath {
    pub(crate) fn new(
        device: StripedDevice,
        hbm: &HbmConfig,
        fetches: usize,
        moves: usize,
    ) -> Self {
        let in_flight = fetches + moves + 64;
        HbmPath {
            device,
            transactions: Vec::with_capacity(in_flight),
            free: Vec::with_capacity(in_flight),
            banks_per_group: u32::from(hbm.geometry.banks_per_group),
            bank_groups: u32::from(hbm.geometry.bank_groups),
            fetches: VecDeque::with_capacity(fetches),
            moves: VecDeque::with_capacity(moves),
            open_batch: None,
            completed: Vec::with_capacity(64),
        }
    }

    /// Remembers a transaction.
    pub(crate) fn open(&mut self, transaction: Transaction) -> u32 {
        if let Some(index) = self.free.pop() {
            self.transactions[index as usize] = transaction;
            return index;
        }
        self.transactions.push(transaction);
        self.transactions.len() as u32 - 1
    }

    pub(crate) fn get(&self, index: u32) -> Transaction {
        self.transactions[index as usize]
    }

    /// Forgets a transaction that has ended.
    pub(crate) fn close(&mut self, index: u32) -> Transaction {
        self.free.push(index);
        self.transactions[index as usize]
    }

    /// Hands transaction `index` to the HBM, which must have room. Neighbouring rows are in
    /// different bank groups, so that successive batches can overlap (themis App. A, condition 1).
    pub(crate) fn submit(&mut self, now: Time, index: u32) {
        let transaction = &self.transactions[index as usize];
        let (above, group) =
            (transaction.at.row / self.bank_groups, transaction.at.row % self.bank_groups);
        let (row, bank) = (above / self.banks_per_group, above % self.banks_per_group);
        let bank = BankAddress { group: group as u8, bank: bank as u8 };
        let request = Request {
            id: u64::from(index),
            direction: transaction.kind.direction(),
            bank,
            row,
            column: transaction.at.column,
            columns: transaction.at.columns,
            useful: Bytes::new(transaction.bytes),
        };
        let taken = self.device.submit(now, request);
        debug_assert!(taken.is_ok(), "the caller checked for room and addresses are in range");
    }
}
