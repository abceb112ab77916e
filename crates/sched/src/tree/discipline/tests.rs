use alloc::vec;
use alloc::vec::Vec;

use super::*;

/// Bytes that each of the backlogged children sent.
fn sent(name: &str, shares: &[Share], sizes: &[u32], packets: u32) -> Vec<u64> {
    let info = *disciplines().named(name).unwrap();
    let mut discipline = (info.build)(shares, 9000);
    let mut bytes = vec![0; shares.len()];
    let mut waiting: Vec<(u64, u32, u32)> = Vec::new();
    for child in 0..shares.len() as u32 {
        waiting.push((discipline.rank(child), child, child));
    }
    for turn in 0..packets {
        let at = (0..waiting.len()).min_by_key(|&at| (waiting[at].0, waiting[at].1)).unwrap();
        let (rank, _, child) = waiting.remove(at);
        let size = sizes[child as usize];
        bytes[child as usize] += u64::from(size);
        discipline.sent(child, rank, size);
        waiting.push((discipline.rank(child), turn + 100, child));
    }
    bytes
}

#[test]
fn weighted_ones_share_bytes_by_weight_whatever_the_sizes() {
    let shares = [1, 2, 4].map(|weight| Share { weight, priority: 0 });
    for info in disciplines().into_iter().filter(|info| info.weighted) {
        let bytes = sent(info.name, &shares, &[64, 1500, 9000], 60_000);
        let all: u64 = bytes.iter().sum();
        for (bytes, weight) in bytes.iter().zip([1.0, 2.0, 4.0]) {
            let share = *bytes as f64 / all as f64;
            assert!((share - weight / 7.0).abs() < 1e-3, "{}: {share} for {weight}", info.name);
        }
    }
    let shares = [1, 0, 0].map(|priority| Share { weight: 1, priority });
    let bytes = sent("sp", &shares, &[64, 1500, 100], 20_000);
    assert_eq!(bytes[0], 0, "something of a higher priority always waits");
    let share = bytes[1] as f64 / (bytes[1] + bytes[2]) as f64;
    assert!((share - 0.5).abs() < 0.01, "within a priority bytes count: {share}");
    let shares = [(1, 0), (3, 0), (9, 1)].map(|(weight, priority)| Share { weight, priority });
    let bytes = sent("sp", &shares, &[100, 1500, 1500], 20_000);
    assert_eq!(bytes[2], 0);
    assert!((bytes[1] as f64 / bytes[0] as f64 - 3.0).abs() < 0.05, "{bytes:?}");
}

#[test]
fn no_input_makes_a_discipline_panic() {
    for shares in [&[][..], &[Share { weight: u32::MAX, priority: u32::MAX }; 2]] {
        for info in disciplines() {
            let mut discipline = (info.build)(shares, u32::MAX);
            for child in [0, 1, u32::MAX] {
                for size in [0, u32::MAX] {
                    let rank = discipline.rank(child);
                    discipline.sent(child, rank, size);
                    discipline.sent(child, u64::MAX, size);
                    discipline.idle();
                }
            }
        }
    }
}
