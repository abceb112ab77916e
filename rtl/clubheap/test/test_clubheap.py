"""Configurations of ClubHeap; the bench is `bench_clubheap.py`."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

FOLDER = Path(__file__).parent


def run(parameters, operations, sources=None, build=None):
    """One stream against the model."""
    settings = {
        "CLUSTER": str(parameters["Cluster"]), "CAPACITY": str(parameters["Capacity"]),
        "PARTITIONS": str(parameters.get("Partitions", 1)), "WAYS": str(parameters.get("Ways", 2)), "OPS": str(operations), "RESETS": "40",
    }
    return simulate(load()["clubheap"], parameters, "bench_clubheap", FOLDER, settings, sources, build)


# Small heaps that meet every way of reading: LutRamPairs = 0 puts every level in block RAM; with three
# logical PIFOs and LutRamPairs = 3 there are LUT RAM, early and dynamic levels in one heap.
SMALL = [
    {"Cluster": 2, "Capacity": 30, "Early": 1, "LutRamPairs": 0, "RankW": 6},
    {"Cluster": 2, "Capacity": 60, "Partitions": 3, "Early": 1, "LutRamPairs": 3, "RankW": 6},
    {"Cluster": 4, "Capacity": 60, "Partitions": 20, "Early": 0, "LutRamPairs": 4, "RankW": 8},
]
# The plain levels, with each number of ways.
PLAIN = [
    {"Ways": 2, "Small": 1, "Cluster": 2, "Capacity": 30, "RankW": 6},
    {"Ways": 3, "Cluster": 2, "Capacity": 50, "RankW": 6},
    {"Ways": 4, "Cluster": 3, "Capacity": 63, "RankW": 6},
]


def demand(parameters, operations, everywhere=False):
    """Runs the stream; a hazard must be met on one level at least, and which levels can meet it depends on the shape."""
    def unreachable(point):
        # One logical PIFO is not empty while all elements are in use; and 10^6 operations on so many elements
        # need not empty a pair of the deep levels whose pairs are given out.
        alone = parameters.get("Partitions", 1) == 1 and point == "cover_full_replace_empty"
        return alone or (parameters["Capacity"] > 100_000 and point.startswith("cover_give"))

    covered = run(parameters, operations)
    coverage.demand("clubheap", parameters, seed(), operations, covered, everywhere, unreachable)


@pytest.mark.parametrize("parameters", SMALL, ids=label)
def test_small(parameters, full):
    demand(parameters, 1_000_000 if full else 20_000)


@pytest.mark.parametrize("parameters", PLAIN, ids=label)
def test_plain(parameters, full):
    demand(parameters, 1_000_000 if full else 30_000, everywhere=True)


# The sizes that are synthesized, and large ones.
LARGE = [
    {"Cluster": 2, "Capacity": 4094},
    {"Cluster": 16, "Capacity": 4080, "Early": 0},
    {"Cluster": 2, "Capacity": 4094, "Partitions": 16},
    {"Cluster": 8, "Capacity": 1000, "Partitions": 256, "RankW": 32},
    {"Cluster": 2, "Capacity": 131070, "Partitions": 256},
    *({"Ways": ways, "Small": 1, "Cluster": 2, "Capacity": 4094} for ways in (2, 3, 4)),
]


@pytest.mark.full
@pytest.mark.parametrize("parameters", LARGE, ids=label)
def test_large(parameters):
    demand(parameters, 1_000_000)
