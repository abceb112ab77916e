"""Builds configurations of PIFO and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [
    {"Depth": 5, "RankW": 4, "DataW": 8},
    {"Depth": 16, "RankW": 4, "DataW": 8, "Partitions": 4},
    {"Depth": 1, "RankW": 1, "DataW": 8, "Partitions": 3},
]


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "RESETS": "20"}
    return simulate(load()["pifo"], parameters, "bench_pifo", Path(__file__).parent, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_pifo(parameters, full):
    operations = 1_000_000 if full else 5_000
    coverage.demand("pifo", parameters, seed(), operations, lockstep(parameters, operations))
