//! Protocol buffers as bytes, as far as a trace needs them: varints, 64-bit words, texts, and
//! messages in messages. Format: protobuf.dev, "Encoding". O(bytes); a nested message is written in
//! place, and its length before it once it is known.

/// The wire types.
const VARINT: u32 = 0;
const LENGTH: u32 = 2;

/// Bytes that a varint of 64 bits takes at most.
#[cfg(test)]
const LONGEST: usize = 10;

/// A message that is being written. Its memory is used again after [`Message::clear`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// What has been written.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins anew.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// A whole number, unsigned; an enum's number; a truth value as 0 or 1.
    pub(crate) fn number(&mut self, field: u32, value: u64) {
        self.tag(field, VARINT);
        varint(&mut self.bytes, value);
    }

    /// A text: its length in bytes, then its UTF-8.
    pub(crate) fn text(&mut self, field: u32, text: &str) {
        self.tag(field, LENGTH);
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A message, which `write` fills.
    pub(crate) fn message(&mut self, field: u32, write: impl FnOnce(&mut Message)) {
        self.tag(field, LENGTH);
        let start = self.bytes.len();
        write(self);
        let length = self.bytes.len() - start;
        // The length comes before what it counts: appended, then rotated to its place.
        varint(&mut self.bytes, length as u64);
        let head = self.bytes.len() - start - length;
        self.bytes[start..].rotate_right(head);
    }

    fn tag(&mut self, field: u32, wire: u32) {
        varint(&mut self.bytes, u64::from(field << 3 | wire));
    }
}

/// Seven bits a byte, the lowest first; the top bit says that more follow.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
pub(crate) mod reading {
    //! A naive reader, for tests.

    /// A field of a message that was read.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) enum Field {
        Number(u64),
        Bytes(Vec<u8>),
    }

    pub(crate) fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0u128;
        for place in 0..super::LONGEST {
            let byte = bytes[place];
            value |= u128::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                *bytes = &bytes[place + 1..];
                return u64::try_from(value).unwrap();
            }
        }
        panic!("a varint that does not end");
    }

    /// The fields of a message, by number.
    pub(crate) fn fields(mut bytes: &[u8]) -> Vec<(u32, Field)> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes);
            let field = match tag & 7 {
                0 => Field::Number(varint(&mut bytes)),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (inside, rest) = bytes.split_at(length);
                    bytes = rest;
                    Field::Bytes(inside.to_vec())
                }
                other => panic!("wire type {other}"),
            };
            found.push(((tag >> 3) as u32, field));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::reading::{Field, fields};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_of_the_specification() {
        let mut message = Message::default();
        message.number(1, 150);
        assert_eq!(message.bytes(), [0x08, 0x96, 0x01]);
        message.clear();
        message.text(2, "testing");
        assert_eq!(message.bytes(), [0x12, 7, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        message.clear();
        message.message(3, |inside| inside.number(1, 150));
        assert_eq!(message.bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers in prop::collection::vec((1u32..1000, any::<u64>()), 0..20),
            text in "\\PC{0,200}",
        ) {
            let mut message = Message::default();
            message.message(7, |inside| {
                for (field, value) in &numbers {
                    inside.number(*field, *value);
                }
                inside.message(8, |deeper| deeper.text(9, &text));
            });
            let outer = fields(message.bytes());
            let [(7, Field::Bytes(inside))] = &outer[..] else { panic!("{outer:?}") };
            let mut inside = fields(inside);
            let (number, last) = inside.pop().unwrap();
            let Field::Bytes(deeper) = last else { panic!("{last:?}") };
            prop_assert_eq!(number, 8);
            prop_assert_eq!(fields(&deeper), vec![(9, Field::Bytes(text.into_bytes()))]);
            let expected: Vec<_> = numbers.iter().map(|(f, v)| (*f, Field::Number(*v))).collect();
            prop_assert_eq!(inside, expected);
        }
    }
}
