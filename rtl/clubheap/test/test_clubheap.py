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
    simulate(load()["clubheap"], parameters, "bench_clubheap", FOLDER, settings, sources, build)


# LutRamPairs = 0 puts every level in block RAM, so that small heaps meet every way of reading.
SMALL = [
    {"Cluster": 2, "Capacity": 30, "Early": 1, "LutRamPairs": 0, "RankW": 6},
    {"Cluster": 2, "Capacity": 60, "Partitions": 20, "Early": 1, "LutRamPairs": 4, "RankW": 6},
    {"Cluster": 4, "Capacity": 60, "Partitions": 3, "Early": 0, "LutRamPairs": 3, "RankW": 8},
]


@pytest.mark.parametrize("parameters", SMALL, ids=str)
def test_small(parameters):
    run(parameters)
