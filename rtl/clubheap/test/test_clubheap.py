"""Configurations of ClubHeap; the bench is `bench_clubheap.py`."""

from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate

FOLDER = Path(__file__).parent


def run(parameters, seed=1, operations=20_000, sources=None, build=None):
    """One stream against the model."""
    settings = {
        "CLUSTER": str(parameters["Cluster"]), "CAPACITY": str(parameters["Capacity"]),
        "PARTITIONS": str(parameters.get("Partitions", 1)), "SEED": str(seed), "OPS": str(operations),
    }
    return simulate(load()["clubheap"], parameters, "bench_clubheap", FOLDER, settings, sources, build)


# Small heaps that meet every way of reading: LutRamPairs = 0 puts every level in block RAM; with three
# logical PIFOs and LutRamPairs = 3 there are LUT RAM, early and dynamic levels in one heap.
SMALL = [
    {"Cluster": 2, "Capacity": 30, "Early": 1, "LutRamPairs": 0, "RankW": 6},
    {"Cluster": 2, "Capacity": 60, "Partitions": 3, "Early": 1, "LutRamPairs": 3, "RankW": 6},
    {"Cluster": 4, "Capacity": 60, "Partitions": 20, "Early": 0, "LutRamPairs": 4, "RankW": 8},
]


# What no stream can reach, and why: a node of the last level has no sibling operation of some kinds.
def report(parameters, covered):
    """Prints the coverage and returns what was never seen."""
    print(f"\ncoverage of {parameters}")
    for name, number in sorted(covered.items()):
        print(f"  {number:9}  {name}")
    return [name for name, number in covered.items() if number == 0]


@pytest.mark.parametrize("parameters", SMALL, ids=str)
def test_small(parameters):
    missed = report(parameters, run(parameters))
    assert not missed, f"never seen: {missed}"
