"""Builds configurations of PIEO and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [{"Size": 3, "RankW": 6, "TimeW": 6, "DataW": 8}, {"Size": 8, "RankW": 8, "TimeW": 8, "DataW": 8}]


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "RESETS": "12"}
    return simulate(load()["pieo"], parameters, "bench_pieo", Path(__file__).parent, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_pieo(parameters, full):
    operations = 1_000_000 if full else 6_000
    coverage.demand("pieo", parameters, seed(), operations, lockstep(parameters, operations))
