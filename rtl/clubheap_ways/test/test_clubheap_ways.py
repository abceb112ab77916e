"""Two, three and four ways in lockstep with the Rust type; the bench and its streams are those of ClubHeap."""

import pytest
from flow import coverage
from flow.cores import RTL, label, load
from flow.simulate import seed, simulate

BENCH = RTL / "clubheap" / "test"


def run(parameters, operations, sources=None, build=None):
    """One stream against the model; returns what was covered."""
    settings = {
        "WAYS": str(parameters["Ways"]), "CLUSTER": str(parameters["Cluster"]), "PARTITIONS": "1",
        "CAPACITY": str(parameters["Capacity"]), "OPS": str(operations), "RESETS": "12",
    }
    return simulate(load()["clubheap_ways"], parameters, "bench_clubheap", BENCH, settings, sources, build)


SMALL = [
    {"Ways": 2, "Cluster": 2, "Capacity": 30, "RankW": 6},
    {"Ways": 3, "Cluster": 2, "Capacity": 50, "RankW": 6},
    {"Ways": 4, "Cluster": 3, "Capacity": 63, "RankW": 6},
]


def demand(parameters, operations, everywhere):
    """Runs the stream and demands its coverage."""
    # One PIFO is not empty while all elements are in use, and there is no number for another.
    coverage.demand("clubheap_ways", parameters, seed(), operations, run(parameters, operations), everywhere,
                    unreachable=lambda point: point in ("cover_full_replace_empty", "cover_no_such_part"))


@pytest.mark.parametrize("parameters", SMALL, ids=label)
def test_small(parameters, full):
    demand(parameters, 1_000_000 if full else 30_000, everywhere=True)


# The sizes that are synthesized.
LARGE = [{"Ways": ways, "Cluster": 2, "Capacity": 4094} for ways in (2, 3, 4)]


@pytest.mark.full
@pytest.mark.parametrize("parameters", LARGE, ids=label)
def test_large(parameters):
    demand(parameters, 1_000_000, everywhere=False)
