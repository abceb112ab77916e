//! Flow state in high-bandwidth memory behind an on-chip cache: a fetch is a read of one flow's
//! 64 bytes, and takes what the timing model of `forebay-mem` says, the wait for busy banks
//! included.
//!
//! The thesis's switch reads DRAM in a fixed 100 ns (footnote 16). Here each flow lives at a pseudo
//! channel, bank, row and column chosen by its hash, and each channel serves its reads in the order
//! they come, opening rows for four reads ahead. Writes of changed state are left out: an evicted
//! entry is dropped. O(reads held) per fetch: in order, a read's completion is settled when it is
//! submitted, so a copy of the channel is run to it.

use forebay_cache::{FetchModel, Request};
use forebay_mem::{
    BankAddress, ControllerConfig, Direction, HbmConfig, PseudoChannel, Request as Read,
};
use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Duration, Time};

/// Bytes of a flow's state.
const STATE: Bytes = Bytes::new(64);

/// Rows opened ahead of the read they are for.
const LOOKAHEAD: usize = 4;

/// The memory, as a backing store.
#[derive(Clone, Debug)]
pub(super) struct HbmStore {
    config: HbmConfig,
    channels: Vec<PseudoChannel>,
    idle: Duration,
    reads: u64,
}

impl HbmStore {
    /// An idle memory.
    ///
    /// # Errors
    /// If the memory cannot be built.
    pub(super) fn new() -> Result<Self, ParameterError> {
        let config = HbmConfig::default();
        let channel = PseudoChannel::new(&config, &ControllerConfig::in_order(LOOKAHEAD))?;
        let count = usize::from(config.geometry.pseudo_channels);
        let mut store =
            HbmStore { config, channels: vec![channel; count], idle: Duration::ZERO, reads: 0 };
        store.idle = store.clone().read(Time::ZERO, 0);
        Ok(store)
    }

    /// Reads the state of the flow with this hash; how long it takes.
    fn read(&mut self, now: Time, hash: u64) -> Duration {
        let geometry = &self.config.geometry;
        let mut rest = hash;
        let mut part = |of: u64| {
            let value = rest % of.max(1);
            rest /= of.max(1);
            value
        };
        let channel = part(self.channels.len() as u64) as usize;
        let bank = BankAddress {
            group: part(geometry.bank_groups.into()) as u8,
            bank: part(geometry.banks_per_group.into()) as u8,
        };
        let row = part(geometry.rows.into()) as u32;
        let columns = STATE.get().div_ceil(geometry.access_bytes.get().max(1));
        let column = part(geometry.columns() / columns.max(1)) * columns;
        self.reads += 1;
        let read = Read {
            column: column as u16,
            ..Read::new(
                self.reads,
                Direction::Read,
                bank,
                row,
                columns as u16,
                geometry.access_bytes,
            )
        };
        let channel = &mut self.channels[channel];
        let at = submit(channel, now, read);
        at.map_or(self.idle, |at| at - now)
    }
}

/// When the read that is submitted at `now`, or as soon as there is room, completes.
fn submit(channel: &mut PseudoChannel, now: Time, read: Read) -> Option<Time> {
    channel.advance(now, &mut |_| {});
    while !channel.has_room() {
        channel.advance(channel.next_event()?, &mut |_| {});
    }
    channel.submit(now, read).ok()?;
    let mut copy = channel.clone();
    let mut found = None;
    while found.is_none() {
        let next = copy.next_event()?;
        copy.advance(next, &mut |completion| {
            if completion.id == read.id {
                found = Some(completion.at);
            }
        });
    }
    found
}

/// Spreads ids that come in sequence over the memory (the finalizer of a 64-bit mix).
fn spread(id: u64) -> u64 {
    let x = (id ^ (id >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    let x = (x ^ (x >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d);
    x ^ (x >> 33)
}

impl FetchModel for HbmStore {
    fn fetch_latency(&mut self, request: &Request) -> Duration {
        self.read(request.at, spread(request.object.0))
    }

    fn idle_latency(&self, _request: &Request) -> Duration {
        self.idle
    }

    fn boxed(&self) -> Box<dyn FetchModel> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_bank_makes_its_reads_wait() {
        let mut store = HbmStore::new().unwrap();
        let idle = store.idle;
        assert!(idle > Duration::from_ns(20) && idle < Duration::from_ns(100), "{idle}");
        let at = Time::ZERO + Duration::from_us(1);
        let geometry = HbmConfig::default().geometry;
        // The same bank, another row each time: a row cycle each.
        let apart = u64::from(geometry.pseudo_channels) * 16;
        let waits: Vec<Duration> = (1..40).map(|row| store.read(at, row * apart)).collect();
        assert!(waits.is_sorted() && waits[38] > idle * 20, "{waits:?}");
        let later = at + Duration::from_us(100);
        assert!(store.read(later, 7) <= idle * 2, "idle again, or just behind a refresh");
    }
}
