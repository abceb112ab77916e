//! Keys of members: `Ethernet0|3-4`, with lists of ports and of ranges, and the natural order of
//! port names.

use std::cmp::Ordering;

/// A key that names queues or priority groups of ports.
#[derive(Debug, PartialEq)]
pub(super) struct MemberKey<'a> {
    pub(super) ports: Vec<&'a str>,
    pub(super) indices: Vec<u8>,
}

/// Reads `port[,port]|first[-last][,…]` with indices up to `most`. The outer result is none for a
/// key of another form (one with four parts belongs to a switch with virtual output queues); the
/// inner error is a bad index.
pub(super) fn member(key: &str, most: u8) -> Option<Result<MemberKey<'_>, &str>> {
    let mut parts = key.split('|');
    let (ports, indices) = (parts.next()?, parts.next()?);
    if parts.next().is_some() || ports.trim().is_empty() {
        return None;
    }
    let ports = ports.split(',').map(str::trim).filter(|port| !port.is_empty()).collect();
    Some(range_list(indices, most).map(|indices| MemberKey { ports, indices }).ok_or(indices))
}

/// `3`, `3-4`, `0,3-4`: ascending, without duplicates, none above `most`.
pub(super) fn range_list(text: &str, most: u8) -> Option<Vec<u8>> {
    let mut found = 0u32;
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (index(first)?, index(last)?);
        if first > last || last > most.min(31) {
            return None;
        }
        found |= (first..=last).fold(0, |bits, index| bits | 1 << index);
    }
    Some((0..32).filter(|index| found & (1 << index) != 0).collect())
}

fn index(text: &str) -> Option<u8> {
    let text = text.trim();
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Orders `Ethernet8` before `Ethernet16`: trailing digits count as a number.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let split = |name: &str| {
        let word = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        (name[..word].to_owned(), name[word..].parse::<u64>().unwrap_or(0))
    };
    split(a).cmp(&split(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_of_every_form() {
        let key = member("Ethernet0,Ethernet4|0,3-4", 7).unwrap().unwrap();
        assert_eq!(
            key,
            MemberKey { ports: vec!["Ethernet0", "Ethernet4"], indices: vec![0, 3, 4] }
        );
        assert_eq!(member("Ethernet0|8", 7), Some(Err("8")));
        assert_eq!(member("Ethernet0|4-3", 7), Some(Err("4-3")));
        assert_eq!(member("Ethernet0", 7), None);
        assert_eq!(member("host|asic0|Ethernet0|3", 7), None);
        assert_eq!(range_list("+3", 7), None);
        assert_eq!(range_list("3,3-3", 7), Some(vec![3]));
    }

    #[test]
    fn ports_order_by_their_number() {
        let mut names = ["Ethernet16", "Ethernet8", "Ethernet", "CPU"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["CPU", "Ethernet", "Ethernet8", "Ethernet16"]);
    }

    proptest! {
        #[test]
        fn any_key_reads_or_not(key in ".{0,40}", most in 0u8..40) {
            if let Some(Ok(key)) = member(&key, most) {
                prop_assert!(key.indices.iter().all(|index| *index <= most));
                prop_assert!(key.indices.is_sorted());
            }
        }
    }
}
