//! Keys of members: `Ethernet0|3-4`, with lists of ports and of ranges, and the natural order of
//! port names.

use std::cmp::Ordering;

/// A key that names queues or priority groups of ports.
#[derive(Debug, PartialEq)]
pub(super) struct MemberKey<'a> {
    pub(super) ports: Vec<&'a str>,
    pub(super) indices: Vec<u8>,
}

/// Reads `port[,port]|first[-last][,…]` with indices up to `most`, or `host|asic|port|first[-last]`
/// of a chassis with virtual output queues, whose ports have names of three parts. The outer result
/// is none for a key of another form; the inner error is a bad index.
pub(super) fn member(key: &str, most: u8) -> Option<Result<MemberKey<'_>, &str>> {
    let (ports, indices) = key.rsplit_once('|')?;
    let ports: Vec<&str> = match ports.split('|').map(str::trim).collect::<Vec<_>>().as_slice() {
        [names] if !names.is_empty() => {
            names.split(',').map(str::trim).filter(|port| !port.is_empty()).collect()
        }
        [host, asic, port] if !(host.is_empty() || asic.is_empty() || port.is_empty()) => {
            vec![ports]
        }
        _ => return None,
    };
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
        let key = member("lc-1|asic0|Ethernet0|0-2", 15).unwrap().unwrap();
        assert_eq!(key, MemberKey { ports: vec!["lc-1|asic0|Ethernet0"], indices: vec![0, 1, 2] });
        assert_eq!(member("asic0|Ethernet0|3", 7), None);
        assert_eq!(member("||Ethernet0|3", 7), None);
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
