//! DRAMsim3, a conventional clock-by-clock DRAM simulator, as a peer of the HBM model.
//!
//! One channel with the geometry and timing of our default part (it counts 64 columns a row, of
//! 16 B, and takes two for an access), refresh pushed out of reach, open pages, a queue a bank,
//! first-ready first-come. It takes one 32 B access at a time.

use std::fs;
use std::hint::black_box;

use dramsim3::MemorySystem;
use forebay_mem::Request;

/// The default HBM2E as DRAMsim3 writes it.
const CONFIG: &str = "\
[dram_structure]
protocol = HBM
bankgroups = 4
banks_per_group = 4
rows = 65536
columns = 64
device_width = 64
BL = 4
num_dies = 1

[timing]
tCK = 0.625
CL = 22
CWL = 8
tRCDRD = 22
tRCDWR = 18
tRP = 22
tRAS = 53
tRFC = 560
tREFI = 1000000000
tREFIb = 1000000000
tRPRE = 1
tWPRE = 1
tRRD_S = 7
tRRD_L = 7
tWTR_S = 12
tWTR_L = 12
tFAW = 26
tWR = 26
tCCD_S = 2
tCCD_L = 4
tXS = 600
tCKE = 8
tCKSRE = 10
tXP = 8
tRTP_L = 8
tRTP_S = 8

[system]
channel_size = 1024
channels = 1
bus_width = 64
address_mapping = rorabgbachco
queue_structure = PER_BANK
row_buf_policy = OPEN_PAGE
cmd_queue_size = 8
trans_queue_size = 32
unified_queue = False

[other]
epoch_period = 1000000000
output_level = 0
";

/// Simulates a part of the requests, access by access; returns how many. Zero (and so no speed) if
/// the configuration cannot be written.
pub(crate) fn accesses(requests: &[Request]) -> u64 {
    let folder = std::env::temp_dir().join("forebay-bench-dramsim3");
    let config = folder.join("hbm2e.ini");
    if fs::create_dir_all(&folder).and_then(|()| fs::write(&config, CONFIG)).is_err() {
        return 0;
    }
    let Ok(mut memory) = MemorySystem::new(&config, &folder) else { return 0 };
    let mut waiting: u64 = 0;
    let mut accesses = 0;
    let mut clocks: u64 = 0;
    // It is slow: a 64th of the requests tells its speed.
    for request in &requests[..requests.len() / 64] {
        let bank = u64::from(request.bank.group) * 4 + u64::from(request.bank.bank);
        for column in 0..u64::from(request.columns) {
            let address = ((u64::from(request.row) * 16 + bank) * 32 + column) * 32;
            while !memory.can_add(address, false) {
                memory.tick(|_, _| waiting = waiting.saturating_sub(1));
                clocks += 1;
            }
            memory.add(address, false);
            waiting += 1;
            accesses += 1;
        }
    }
    while waiting > 0 {
        memory.tick(|_, _| waiting -= 1);
        clocks += 1;
    }
    black_box(clocks);
    accesses
}
