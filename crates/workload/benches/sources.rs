//! Packets a second that the sources give, by number of inputs. Run:
//! `cargo bench -p forebay-workload`.
#![allow(missing_docs)] // the functions that criterion's macros write

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use forebay_units::Rate;
use forebay_workload::{
    Capture, CaptureLimits, CaptureReplay, InputDiscipline, MixConfig, MixRatio, PacketSource,
    PoissonFlows, PoissonFlowsConfig, PriorityMix, ReplayConfig, SizeDistribution,
};

const PACKETS: u64 = 10_000;

fn drain(source: &mut impl PacketSource) -> u64 {
    let mut bytes = 0;
    for _ in 0..PACKETS {
        if let Some(packet) = source.next_packet() {
            bytes += u64::from(black_box(packet).size);
        }
    }
    bytes
}

fn poisson(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("poisson");
    group.throughput(Throughput::Elements(PACKETS));
    for (name, sizes) in [("websearch", "websearch"), ("hadoop", "hadoop")] {
        for discipline in [InputDiscipline::Fifo, InputDiscipline::RoundRobin] {
            for inputs in [1, 32, 256] {
                let Ok(sizes) = SizeDistribution::builtin(sizes) else { continue };
                let mut config =
                    PoissonFlowsConfig::new(inputs, Rate::from_gbps(50), 0.9, sizes, 1);
                config.discipline = discipline;
                let Ok(mut source) = PoissonFlows::new(config) else { continue };
                let id = BenchmarkId::new(format!("{name}/{discipline:?}"), inputs);
                group.bench_function(id, |bencher| bencher.iter(|| drain(&mut source)));
            }
        }
    }
    group.finish();
}

fn mix(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mix");
    group.throughput(Throughput::Elements(PACKETS));
    let source = MixRatio::new(3, 1)
        .and_then(|ratio| PriorityMix::new(MixConfig::new(32, Rate::from_gbps(50), 0.9, ratio)));
    if let Ok(mut source) = source {
        group.bench_function("32", |bencher| bencher.iter(|| drain(&mut source)));
    }
    group.finish();
}

fn replay(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replay");
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../experiments/themis/captures/mixed-programs.pcap"
    );
    let Ok(bytes) = std::fs::read(file) else { return };
    let read = || Capture::read(&bytes[..], "mixed-programs.pcap", CaptureLimits::default());
    let Ok(capture) = read() else { return };
    group.throughput(Throughput::Elements(capture.packets().len() as u64));
    group.bench_function("read", |bencher| bencher.iter(|| black_box(read().is_ok())));
    group.throughput(Throughput::Elements(PACKETS));
    let config = ReplayConfig::new(32, Rate::from_gbps(50), 0.9);
    if let Ok(mut source) = CaptureReplay::new(&capture, config) {
        group.bench_function("32", |bencher| bencher.iter(|| drain(&mut source)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = poisson, mix, replay
}
criterion_main!(benches);
