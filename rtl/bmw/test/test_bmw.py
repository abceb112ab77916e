"""Builds trees and runs the bench on each; demands that every case occurred."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

FOLDER = Path(__file__).parent
MILLION = 1_000_000
SHAPES = [
    {"Ways": 2, "Levels": 4, "RankW": 5, "DataW": 16},
    {"Ways": 4, "Levels": 3, "RankW": 6, "DataW": 16},
]
LARGE = [{"Ways": 4, "Levels": 6}, {"Ways": 2, "Levels": 11}]


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "RESETS": "10", "WAYS": str(parameters["Ways"])}
    return simulate(load()["bmw"], parameters, "bench_bmw", FOLDER, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_bmw(parameters, full):
    operations = MILLION if full else 6_000
    coverage.demand("bmw", parameters, seed(), operations, lockstep(parameters, operations))


@pytest.mark.full
@pytest.mark.parametrize("parameters", LARGE, ids=label)
def test_large(parameters):
    coverage.demand("bmw", parameters, seed(), MILLION, lockstep(parameters, MILLION), everywhere=False)
