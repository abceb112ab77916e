//! Packets a second that the sources give, by number of inputs. Run: `cargo bench -p forebay-workload`.
#![allow(missing_docs)] // the functions that criterion's macros write

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use forebay_units::Rate;
use forebay_workload::{Discipline, PacketSource, PoissonConfig, PoissonFlows, SizeDistribution};

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
        for discipline in [Discipline::Fifo, Discipline::RoundRobin] {
            for inputs in [1, 32, 256] {
                let Ok(sizes) = SizeDistribution::builtin(sizes) else { continue };
                let mut config = PoissonConfig::new(inputs, Rate::from_gbps(50), 0.9, sizes, 1);
                config.discipline = discipline;
                let Ok(mut source) = PoissonFlows::new(config) else { continue };
                let id = BenchmarkId::new(format!("{name}/{discipline:?}"), inputs);
                group.bench_function(id, |bencher| bencher.iter(|| drain(&mut source)));
            }
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = poisson
}
criterion_main!(benches);
