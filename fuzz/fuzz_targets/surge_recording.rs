//! Any bytes as a recording of job sizes: read or refused, never a panic; what is read is written
//! and read again the same, and can be replayed and scaled.
#![no_main]

use forebay_surge::SchedulerConfig;
use forebay_surge::model::{Recorded, SimulationConfig, simulate};
use forebay_units::{Duration, Rate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let Ok(mut recorded) = Recorded::read(file) else { return };
    let again = Recorded::read(recorded.to_csv().as_bytes());
    assert!(again.is_ok_and(|again| again == recorded));
    let Ok(joint) = recorded.joint() else { return };
    recorded.scale(joint.max_rate() / 1e9);
    let rate = Rate::from_gbps(1);
    let (warmup, measured) = (Duration::ZERO, Duration::from_us(50));
    let scheduler = SchedulerConfig::under("wsjf-inorder").unwrap();
    let config = SimulationConfig { warmup, measured, ..SimulationConfig::new(scheduler) };
    let segments = recorded.segments_for(Duration::from_us(1));
    let (innocent, attack) = (recorded.innocent_at(rate), recorded.attack_at(rate, segments));
    // Packets of a few bits come often: so many and no more.
    assert!(simulate(&config, innocent.take(1000), attack.take(1000)).is_ok());
});
