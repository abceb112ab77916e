//! Whole stacks: independent pseudo channels, or all of them in lockstep.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use forebay_parameters::ParameterError;
use forebay_units::{Bytes, Time};

use crate::{
    Completion, ControllerConfig, Geometry, HbmConfig, MemoryStats, PseudoChannel, Request,
    SubmitError,
};

/// A stack whose pseudo channels work independently, each with its own controller and queue.
#[derive(Clone)]
pub struct Device {
    channels: Vec<PseudoChannel>,
    /// Each channel's next event; a channel is left alone until then. [`Time::MAX`]: none.
    next: Vec<Time>,
    now: Time,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("channels", &self.channels.len())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Device {
    /// All pseudo channels idle at time zero.
    ///
    /// # Errors
    /// The parameter at fault when the memory or the controller is impossible.
    pub fn new(hbm: &HbmConfig, controller: &ControllerConfig) -> Result<Self, ParameterError> {
        let channel = PseudoChannel::new(hbm, controller)?;
        let count = usize::from(hbm.geometry.pseudo_channels);
        Ok(Device { channels: vec![channel; count], next: vec![Time::MAX; count], now: Time::ZERO })
    }

    /// How many pseudo channels it has.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Takes a request for one pseudo channel.
    ///
    /// # Errors
    /// As [`PseudoChannel::submit`], and [`SubmitError::NoSuchChannel`].
    pub fn submit(
        &mut self,
        now: Time,
        channel: usize,
        request: Request,
    ) -> Result<(), SubmitError> {
        self.now = self.now.max(now);
        let Some(target) = self.channels.get_mut(channel) else {
            return Err(SubmitError::NoSuchChannel { id: request.id, channel });
        };
        // A refusal, too, comes at `now`: what was due by then is done, and something else is next.
        let taken = target.submit(now, request);
        self.next[channel] = target.next_event().unwrap_or(Time::MAX);
        taken
    }

    /// Whether a pseudo channel would find room for a request at the time of its last call. `false`
    /// for one that does not exist.
    #[must_use]
    pub fn has_room(&self, channel: usize) -> bool {
        self.channels.get(channel).is_some_and(PseudoChannel::has_room)
    }

    /// The earliest [`PseudoChannel::next_event`]. O(channels).
    #[must_use]
    pub fn next_event(&self) -> Option<Time> {
        self.next.iter().copied().min().filter(|next| *next < Time::MAX)
    }

    /// Advances the pseudo channels and hands over completions with their channel: ordered in time
    /// within a channel, channel after channel. Channels with nothing due cost a comparison.
    pub fn advance(&mut self, now: Time, completed: &mut impl FnMut(usize, Completion)) {
        self.now = self.now.max(now);
        for (index, channel) in self.channels.iter_mut().enumerate() {
            if self.next[index] <= self.now {
                channel.advance(self.now, &mut |completion| completed(index, completion));
                self.next[index] = channel.next_event().unwrap_or(Time::MAX);
            }
        }
    }

    /// The sum over the pseudo channels, up to the time of the last call. O(channels · commands not
    /// yet issued): it looks at copies, so that asking changes nothing.
    #[must_use]
    pub fn stats(&self) -> MemoryStats {
        let mut sum = MemoryStats::default();
        for channel in &self.channels {
            let mut channel = channel.clone();
            channel.advance(self.now, &mut |_| {});
            sum += channel.stats();
        }
        sum
    }
}

/// A stack over which every request is striped alike.
///
/// A buffer that stripes each packet across all pseudo channels (Themis, Appendix A: "We stripe
/// each packet across all 16 PCs") gives each channel the same commands at the same clocks, so one
/// channel is simulated and counts for all: exactly the completion times and bytes of a [`Device`]
/// whose channels all get the request. A request's columns are stripes of
/// [`Geometry::stripe_bytes`]; its `useful` bytes are those of the whole device.
#[derive(Clone, Debug)]
pub struct StripedDevice {
    channel: PseudoChannel,
    geometry: Geometry,
}

impl StripedDevice {
    /// All pseudo channels idle at time zero.
    ///
    /// # Errors
    /// The parameter at fault when the memory or the controller is impossible.
    pub fn new(hbm: &HbmConfig, controller: &ControllerConfig) -> Result<Self, ParameterError> {
        let channel = PseudoChannel::new(hbm, controller)?;
        Ok(StripedDevice { channel, geometry: hbm.geometry })
    }

    /// The stack's geometry.
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Columns (stripes) that `size` bytes take: 512 B each with the default geometry.
    #[must_use]
    pub fn columns_for(&self, size: Bytes) -> u64 {
        size.div_ceil(self.geometry.stripe_bytes())
    }

    /// Bytes of one row across all pseudo channels: the batch of Themis (16 KB by default).
    #[must_use]
    pub fn row_bytes(&self) -> Bytes {
        self.geometry.row_bytes * u64::from(self.geometry.pseudo_channels)
    }

    /// Takes a request for all pseudo channels.
    ///
    /// # Errors
    /// As [`PseudoChannel::submit`].
    pub fn submit(&mut self, now: Time, request: Request) -> Result<(), SubmitError> {
        self.channel.submit(now, request)
    }

    /// As [`PseudoChannel::has_room`].
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.channel.has_room()
    }

    /// As [`PseudoChannel::held`].
    #[must_use]
    pub fn held(&self) -> usize {
        self.channel.held()
    }

    /// As [`PseudoChannel::next_event`]. O(1).
    #[must_use]
    #[inline]
    pub fn next_event(&self) -> Option<Time> {
        self.channel.next_event()
    }

    /// As [`PseudoChannel::advance`].
    pub fn advance(&mut self, now: Time, completed: &mut impl FnMut(Completion)) {
        self.channel.advance(now, completed);
    }

    /// Counters of the whole device: the sum over its channels, as [`Device::stats`] gives it.
    #[must_use]
    pub fn stats(&self) -> MemoryStats {
        self.channel.stats().striped(u64::from(self.geometry.pseudo_channels))
    }

    /// Counters of one of its channels, in which busy and idle are plain time.
    #[must_use]
    pub fn channel_stats(&self) -> MemoryStats {
        self.channel.stats()
    }
}
