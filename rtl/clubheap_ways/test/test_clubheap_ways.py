"""Two, three and four ways in lockstep with the Rust type; the bench and its streams are those of ClubHeap."""

import pytest
from flow.cores import RTL, label, load
from flow.simulate import simulate

BENCH = RTL / "clubheap" / "test"


def run(parameters, seed=1, operations=12_000, sources=None, build=None):
    """One stream against the model; returns what was covered."""
    settings = {
        "WAYS": str(parameters["Ways"]), "CLUSTER": str(parameters["Cluster"]), "PARTITIONS": "1",
        "CAPACITY": str(parameters["Capacity"]), "SEED": str(seed), "OPS": str(operations),
    }
    return simulate(load()["clubheap_ways"], parameters, "bench_clubheap", BENCH, settings, sources, build)


SMALL = [
    {"Ways": 2, "Cluster": 2, "Capacity": 30, "RankW": 6},
    {"Ways": 3, "Cluster": 2, "Capacity": 50, "RankW": 6},
    {"Ways": 4, "Cluster": 3, "Capacity": 63, "RankW": 6},
]


def unreachable(name):
    """With one PIFO, it is not empty while all elements are in use."""
    return "full_replace_empty" in name


@pytest.mark.parametrize("parameters", SMALL, ids=label)
def test_small(parameters):
    covered = run(parameters)
    print(f"\ncoverage of {parameters}")
    for name, number in sorted(covered.items()):
        print(f"  {number:9}  {name}")
    assert covered, "no coverage was recorded"
    missed = [name for name, number in covered.items() if number == 0 and not unreachable(name)]
    assert not missed, f"never met: {missed}"


# The sizes that are synthesized.
LARGE = [{"Ways": ways, "Cluster": 2, "Capacity": 4094} for ways in (2, 3, 4)]


@pytest.mark.full
@pytest.mark.parametrize("parameters", SMALL + LARGE, ids=label)
def test_full(parameters):
    run(parameters, seed=2, operations=1_000_000)
