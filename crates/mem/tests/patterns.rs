//! Themis, Appendix A: Table 2, the ping-pong, and Figures 15 to 17.

// Helpers of tests unwrap as tests do.
#![allow(clippy::unwrap_used)]

use forebay_mem::patterns::{AccessLayout, BankSet, continuous, ping_pong, row_cells, table2};
use forebay_mem::{ControllerConfig, Direction, HbmConfig, WriteToRead};
use forebay_units::{Bytes, Duration};

const CELLS: [u64; 6] = [32, 64, 128, 256, 512, 1024];

/// Gb/s of the whole stack for each cell size.
fn sweep(controller: &ControllerConfig, banks: BankSet, direction: Direction) -> Vec<f64> {
    let hbm = HbmConfig::samsung_hbm2e();
    let rate = |cell| {
        let cell = Bytes::new(cell);
        let outcome = row_cells(&hbm, controller, banks, direction, cell, 4000).unwrap();
        outcome.device_rate().as_bps() as f64 / 1e9
    };
    let rates: Vec<f64> = CELLS.into_iter().map(rate).collect();
    eprintln!("{banks:?} {direction:?} {:?}: {rates:.1?}", controller.scheduling);
    rates
}

fn near(measured: f64, paper: f64, tolerance: f64) -> bool {
    (measured / paper - 1.0).abs() <= tolerance
}

#[test]
fn table_2_is_reproduced() {
    let hbm = HbmConfig::samsung_hbm2e();
    let total = |controller: &ControllerConfig, layout| {
        let outcome = table2(&hbm, controller, layout).unwrap();
        eprintln!("{layout:?}: {}", outcome.total);
        outcome.total.as_secs_f64() * 1e6
    };
    let best = total(&ControllerConfig::fr_fcfs(), AccessLayout::Best);
    assert!(near(best, 2.64, 0.05), "{best} us");
    for controller in [ControllerConfig::fr_fcfs(), ControllerConfig::in_order(0)] {
        let worst = total(&controller, AccessLayout::Worst);
        assert!(near(worst, 1540.0, 0.05), "{worst} us");
        // 32,767 row cycles, then the last row's tRCD + CL + burst.
        let exact = Duration::from_ps(625) * (32_767 * 75 + 22 + 22 + 2);
        assert_eq!(table2(&hbm, &controller, AccessLayout::Worst).unwrap().total, exact);
        let packet = total(&controller, AccessLayout::PacketWorst);
        assert!(near(packet, 24.0, 0.05), "{packet} us");
        assert!(near(worst / best, 583.0, 0.05), "{}", worst / best);
    }
}

#[test]
fn ping_pong_is_a_fifth_of_a_stream() {
    let mut hbm = HbmConfig::samsung_hbm2e();
    let ratio = |hbm: &HbmConfig| {
        let stream = continuous(hbm, Direction::Read, 4000).unwrap().device_rate().as_bps() as f64;
        let writes = continuous(hbm, Direction::Write, 4000).unwrap().device_rate().as_bps() as f64;
        assert!(near(writes, stream, 1e-9));
        ping_pong(hbm, 4000).unwrap().device_rate().as_bps() as f64 / stream
    };
    let fifth = ratio(&hbm);
    assert!(near(fifth, 4.0 / 21.0, 1e-3), "{fifth}");
    assert!(near(fifth, 0.2, 0.05), "{fifth}");
    hbm.timing.write_to_read = WriteToRead::FromDataEnd;
    assert!(near(ratio(&hbm), 4.0 / 26.0, 1e-3));
}

#[test]
fn one_bank_is_exact() {
    // T_row = max(tRC, tRCD + (n - 1) tCCD_L + tRTP + tRP), whatever the scheduler.
    for controller in [ControllerConfig::fr_fcfs(), ControllerConfig::in_order(0)] {
        let rates = sweep(&controller, BankSet::ONE_BANK, Direction::Read);
        for (cell, rate) in CELLS.into_iter().zip(&rates) {
            let clocks = 75u64.max(22 + (cell / 32 - 1) * 4 + 8 + 22);
            let exact = (cell * 16 * 8) as f64 / (clocks as f64 * 0.625);
            assert!(near(*rate, exact, 1e-6), "{cell} B: {rate} Gb/s, not {exact}");
        }
        for (rate, known) in rates.iter().zip([87.4, 174.8, 349.6, 655.4, 936.2, 1191.6]) {
            assert!(near(*rate, known, 1e-3), "{rate} Gb/s, not {known}");
        }
        // Writes: tRCDWR + (n - 1) tCCD_L + CWL + burst + tWR + tRP.
        let rates = sweep(&controller, BankSet::ONE_BANK, Direction::Write);
        for (cell, rate) in CELLS.into_iter().zip(&rates) {
            let clocks = 75u64.max(18 + (cell / 32 - 1) * 4 + 8 + 2 + 26 + 22);
            let exact = (cell * 16 * 8) as f64 / (clocks as f64 * 0.625);
            assert!(near(*rate, exact, 1e-6), "{cell} B: {rate} Gb/s, not {exact}");
        }
    }
}

/// What no scheduler can exceed, in Gb/s of the stack: the bus, one row cycle a bank, and one
/// activation every tRRD. Bytes of 16 pseudo channels over clocks of 0.625 ns.
fn bound(banks: BankSet, cell: u64) -> f64 {
    let columns = cell / 32;
    let bus = columns * if banks.groups == 1 { 4 } else { 2 };
    let cycle = 75.max(22 + (columns - 1) * 4 + 8 + 22);
    let number = u64::from(banks.groups) * u64::from(banks.banks_per_group);
    let clocks = (bus as f64).max(cycle as f64 / number as f64).max(7.0);
    (cell * 16 * 8) as f64 / (clocks * 0.625)
}

/// At least what other models of the part give, and at most what is possible.
fn assert_reaches(banks: BankSet, least: [f64; 6]) {
    let rates = sweep(&ControllerConfig::fr_fcfs(), banks, Direction::Read);
    for ((rate, least), cell) in rates.iter().zip(least).zip(CELLS) {
        let most = bound(banks, cell);
        assert!(
            *rate >= least * 0.99 && *rate <= most * 1.0001,
            "{cell} B: {rate} Gb/s is outside {least} to {most}"
        );
    }
}

#[test]
fn several_banks_and_groups_overlap() {
    assert_reaches(BankSet::ONE_GROUP, [350., 699., 1380., 1280., 1564., 1600.]);
    assert_reaches(BankSet::FOUR_GROUPS, [350., 699., 1398., 2180., 2380., 2760.]);
    assert_reaches(BankSet::ALL, [936., 1869., 3170., 3267., 3267., 3267.]);
}

#[test]
fn a_batch_alone_stays_below_peak() {
    // 16 KB batches, one row of each pseudo channel.
    let hbm = HbmConfig::samsung_hbm2e();
    let row = Bytes::new(1024);
    let rate = |controller: &ControllerConfig, banks| {
        let outcome = row_cells(&hbm, controller, banks, Direction::Read, row, 2000).unwrap();
        outcome.device_rate().as_bps() as f64 / 1e9
    };
    let alone = rate(&ControllerConfig::in_order(0), BankSet::ONE_BANK);
    assert!(near(alone, 1191.6, 1e-3), "{alone}");
    let ahead = rate(&ControllerConfig::in_order(1), BankSet::FOUR_GROUPS);
    assert!(near(ahead, 1660.0, 0.02), "{ahead}");
    let interleaved = rate(&ControllerConfig::fr_fcfs(), BankSet::ALL);
    assert!(interleaved > 3200.0, "{interleaved}");
}
