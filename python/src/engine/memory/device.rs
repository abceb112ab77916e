//! The three ways in which a stack can be driven, behind one face.

use forebay_mem::{
    Completion, ControllerConfig, Device, HbmConfig, MemoryStats, PseudoChannel, Request,
    StripedDevice, SubmitError,
};
use forebay_parameters::{Configure, ParameterError, Word};
use forebay_units::{Bytes, Time};

/// Which pseudo channels a request goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Word)]
pub(super) enum Channels {
    /// To all of them, in lockstep.
    #[default]
    Striped,
    /// To the only one there is.
    One,
    /// To one of them by its number.
    Each,
}

/// What a memory is made of.
#[derive(Default, Configure)]
pub(super) struct MemoryConfig {
    /// Which pseudo channels a request goes to.
    #[parameter(assumed = "as hybrid buffers use them")]
    pub(super) channels: Channels,
    #[parameter(part)]
    pub(super) stack: HbmConfig,
    #[parameter(part)]
    pub(super) controller: ControllerConfig,
}

/// The memory model that [`Channels`] asks for.
pub(super) enum Memory {
    Striped(Box<StripedDevice>),
    One(Box<PseudoChannel>),
    Each(Box<Device>),
}

impl Memory {
    pub(super) fn new(config: &MemoryConfig) -> Result<Self, ParameterError> {
        let MemoryConfig { channels, stack, controller } = config;
        Ok(match channels {
            Channels::Striped => Memory::Striped(Box::new(StripedDevice::new(stack, controller)?)),
            Channels::One => Memory::One(Box::new(PseudoChannel::new(stack, controller)?)),
            Channels::Each => Memory::Each(Box::new(Device::new(stack, controller)?)),
        })
    }

    /// Bytes that one column of a request moves.
    pub(super) fn access(&self, hbm: &HbmConfig) -> Bytes {
        match self {
            Memory::Striped(device) => device.geometry().stripe_bytes(),
            Memory::One(_) | Memory::Each(_) => hbm.geometry.access_bytes,
        }
    }

    pub(super) fn submit(
        &mut self,
        now: Time,
        channel: usize,
        request: Request,
    ) -> Result<(), SubmitError> {
        match self {
            Memory::Striped(device) => device.submit(now, request),
            Memory::One(memory) => memory.submit(now, request),
            Memory::Each(device) => device.submit(now, channel, request),
        }
    }

    /// Whether a request finds room now.
    pub(super) fn has_room(&self, channel: usize) -> bool {
        match self {
            Memory::Striped(device) => device.has_room(),
            Memory::One(memory) => memory.has_room(),
            Memory::Each(device) => device.has_room(channel),
        }
    }

    pub(super) fn advance(&mut self, now: Time, done: &mut impl FnMut(Completion)) {
        match self {
            Memory::Striped(device) => device.advance(now, done),
            Memory::One(memory) => memory.advance(now, done),
            Memory::Each(device) => device.advance(now, &mut |_, completion| done(completion)),
        }
    }

    pub(super) fn next_event(&self) -> Option<Time> {
        match self {
            Memory::Striped(device) => device.next_event(),
            Memory::One(memory) => memory.next_event(),
            Memory::Each(device) => device.next_event(),
        }
    }

    pub(super) fn stats(&self) -> MemoryStats {
        match self {
            Memory::Striped(device) => device.stats(),
            Memory::One(memory) => memory.stats(),
            Memory::Each(device) => device.stats(),
        }
    }
}
