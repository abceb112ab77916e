"""Configurations of ClubHeap; the bench is `bench_clubheap.py`."""

import re
from collections import Counter
from pathlib import Path

import pytest
from flow.cores import label, load
from flow.simulate import simulate

FOLDER = Path(__file__).parent


def run(parameters, seed=1, operations=20_000, sources=None, build=None):
    """One stream against the model."""
    settings = {
        "CLUSTER": str(parameters["Cluster"]), "CAPACITY": str(parameters["Capacity"]),
        "PARTITIONS": str(parameters.get("Partitions", 1)), "WAYS": "2", "SEED": str(seed), "OPS": str(operations),
    }
    return simulate(load()["clubheap"], parameters, "bench_clubheap", FOLDER, settings, sources, build)


# Small heaps that meet every way of reading: LutRamPairs = 0 puts every level in block RAM; with three
# logical PIFOs and LutRamPairs = 3 there are LUT RAM, early and dynamic levels in one heap.
SMALL = [
    {"Cluster": 2, "Capacity": 30, "Early": 1, "LutRamPairs": 0, "RankW": 6},
    {"Cluster": 2, "Capacity": 60, "Partitions": 3, "Early": 1, "LutRamPairs": 3, "RankW": 6},
    {"Cluster": 4, "Capacity": 60, "Partitions": 20, "Early": 0, "LutRamPairs": 4, "RankW": 8},
]


def report(parameters, covered):
    """Prints the coverage, summed over levels; returns the hazards never met on any level."""
    kinds = Counter()
    for name, number in covered.items():
        kinds[re.sub(r"(__DOT__)?gen_\w+?(__BRA__)", r"\2", name.split(".", 2)[-1])] += number
    print(f"\ncoverage of {parameters}")
    for name, number in sorted(kinds.items()):
        print(f"  {number:9}  {name}")
    return [name for name, number in kinds.items() if number == 0 and not unreachable(parameters, name)]


def unreachable(parameters, name):
    """With one logical PIFO, it is not empty while all elements are in use."""
    return parameters.get("Partitions", 1) == 1 and "full_replace_empty" in name


@pytest.mark.parametrize("parameters", SMALL, ids=label)
def test_small(parameters):
    missed = report(parameters, run(parameters))
    assert not missed, f"never met: {missed}"


# The sizes that are synthesized, and large ones.
LARGE = [
    {"Cluster": 2, "Capacity": 4094},
    {"Cluster": 16, "Capacity": 4080, "Early": 0},
    {"Cluster": 2, "Capacity": 4094, "Partitions": 16},
    {"Cluster": 8, "Capacity": 1000, "Partitions": 256, "RankW": 32},
    {"Cluster": 2, "Capacity": 131070, "Partitions": 256},
]


@pytest.mark.full
@pytest.mark.parametrize("parameters", SMALL + LARGE, ids=label)
def test_full(parameters):
    report(parameters, run(parameters, seed=2, operations=1_000_000))
