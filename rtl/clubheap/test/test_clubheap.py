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


SMALL = [
    {"Cluster": 2, "Capacity": 30, "Early": 1},
    {"Cluster": 2, "Capacity": 30, "Early": 0},
    {"Cluster": 4, "Capacity": 50, "Early": 1, "RankW": 8},
    {"Cluster": 2, "Capacity": 60, "Partitions": 8, "Early": 1, "RankW": 6},
    {"Cluster": 2, "Capacity": 60, "Partitions": 20, "Early": 0},
]


@pytest.mark.parametrize("parameters", SMALL, ids=str)
def test_small(parameters):
    run(parameters)
