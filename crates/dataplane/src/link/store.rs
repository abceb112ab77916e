//! The frames that wait or are on their way, by number.
//!
//! O(1); a number is given again once its frame has left, so there are never more than frames at
//! once.

use super::frame::Frame;

/// What a frame takes besides its bytes: its place here, in a switch and on the wire.
const OVERHEAD: u64 = 128;

/// What one frame of `bytes` takes.
pub(crate) fn memory_of(bytes: u32) -> u64 {
    u64::from(bytes) + OVERHEAD
}

#[derive(Debug)]
pub(crate) struct Store {
    frames: Vec<Option<Frame>>,
    free: Vec<u32>,
    used: u64,
    most: u64,
}

impl Store {
    /// Room for `most` bytes.
    pub(crate) fn new(most: u64) -> Self {
        Store { frames: Vec::new(), free: Vec::new(), used: 0, most }
    }

    /// Keeps a frame, and says by which number; gives it back if there is no room.
    pub(crate) fn put(&mut self, frame: Frame) -> Result<u32, Frame> {
        let takes = memory_of(frame.size());
        let fresh = self.frames.len() as u32;
        if self.used + takes > self.most || fresh == u32::MAX {
            return Err(frame);
        }
        self.used += takes;
        Ok(match self.free.pop() {
            Some(number) => {
                self.frames[number as usize] = Some(frame);
                number
            }
            None => {
                self.frames.push(Some(frame));
                fresh
            }
        })
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Frame> {
        self.frames.get_mut(number as usize)?.as_mut()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Frame> {
        self.frames.get(number as usize)?.as_ref()
    }

    /// The numbers of all frames.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.frames).filter_map(|(number, frame)| frame.as_ref().map(|_| number))
    }

    /// Takes a frame out; its number is free again.
    pub(crate) fn take(&mut self, number: u32) -> Option<Frame> {
        let frame = self.frames.get_mut(number as usize)?.take()?;
        self.used -= memory_of(frame.size());
        self.free.push(number);
        Some(frame)
    }

    /// How many frames there are.
    pub(crate) fn len(&self) -> usize {
        self.frames.len() - self.free.len()
    }
}
