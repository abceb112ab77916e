//! Memory for frames to come, used again and again.

use std::sync::Arc;

use crate::link::Frame;
use crate::link::segments::{Segment, cut};

/// Ethernet's header and two tags.
pub(super) const LINK_HEADER: usize = 14 + 8;
/// The largest that a sender leaves to its card to cut, unless more was permitted (BIG TCP): an IP
/// packet, and a tag that is put back.
pub(super) const LARGEST_SEGMENT: usize = LINK_HEADER + 65_535;
/// The most buffers that are kept, of headers and of frames.
const SPARE: usize = 4096;
/// Buffers up to this size are of headers alone.
const HEADERS: usize = 256;
/// The most large segments whose pieces share its bytes: 8 MiB. Pieces of others are copied, so
/// that no piece that waits keeps more memory than it has.
const SHARED: usize = 128;

/// What is kept for frames to come.
pub(super) struct Buffers {
    heads: Vec<Vec<u8>>,
    frames: Vec<Vec<u8>>,
    segments: Vec<Arc<Segment>>,
}

/// Room for a large segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    index: usize,
    is_shared: bool,
}

impl Buffers {
    pub(super) fn new() -> Self {
        Buffers { heads: Vec::new(), frames: Vec::new(), segments: Vec::new() }
    }

    /// A buffer for a frame.
    pub(super) fn frame(&mut self) -> Vec<u8> {
        self.frames.pop().unwrap_or_default()
    }

    /// A buffer is used no more.
    pub(super) fn free(&mut self, buffer: Vec<u8>) {
        let spare = if buffer.capacity() <= HEADERS { &mut self.heads } else { &mut self.frames };
        if spare.len() < SPARE {
            spare.push(buffer);
        }
    }

    /// Room for a segment that nobody uses; the one that was used last, if there is a choice, since
    /// it is the nearest.
    pub(super) fn room(&mut self) -> Room {
        let is_free = |segment: &Arc<Segment>| Arc::strong_count(segment) == 1;
        let index = self.segments.iter().position(is_free).unwrap_or_else(|| {
            self.segments.push(Arc::new(Segment::of_room(LARGEST_SEGMENT)));
            self.segments.len() - 1
        });
        Room { index, is_shared: index < SHARED }
    }

    /// The segment in a room, to be filled.
    pub(super) fn filled(&mut self, room: Room) -> Option<&mut Segment> {
        let segment = self.segments.get_mut(room.index).and_then(Arc::get_mut)?;
        segment.clear();
        Some(segment)
    }

    /// What the segment in a room is cut to; `None` if it cannot be.
    pub(super) fn cut(&mut self, room: Room) -> Option<Vec<Frame>> {
        let Buffers { heads, segments, .. } = self;
        let mut frames = cut(segments.get(room.index)?, || heads.pop().unwrap_or_default())?;
        if !room.is_shared {
            frames = frames.into_iter().map(Frame::apart).collect();
        }
        Some(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::segments::testing::tcp;

    #[test]
    fn pieces_that_stay_keep_no_more_memory_than_is_bounded() {
        let mut buffers = Buffers::new();
        let whole = tcp(false, &[7; 3_000]);
        let mut kept = Vec::new();
        for number in 0..3 * SHARED {
            let room = buffers.room();
            let segment = buffers.filled(room).unwrap();
            segment.fill(&whole, 1_448);
            let frames = buffers.cut(room).unwrap();
            let data = |frame: &Frame| frame.parts()[1].len();
            let expected: [usize; 3] = if number < SHARED { [1_448, 1_448, 104] } else { [0; 3] };
            assert!(frames.iter().map(data).eq(expected), "{number}");
            assert_eq!(frames.iter().map(Frame::len).sum::<usize>(), 3_000 + 3 * 54);
            // The last stays.
            kept.extend(frames.into_iter().next_back());
        }
        assert_eq!(buffers.segments.len(), SHARED + 1);
        kept.truncate(5);
        assert_eq!(buffers.room().index, 5, "the first that is free");
    }
}
