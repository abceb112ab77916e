"""Builds trees and runs the bench on each; demands that every case occurred."""

from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate

FOLDER = Path(__file__).parent
SHAPES = [
    {"Ways": 2, "Levels": 4, "RankW": 5, "DataW": 16},
    {"Ways": 4, "Levels": 3, "RankW": 6, "DataW": 16},
]
LARGE = [{"Ways": 4, "Levels": 6}, {"Ways": 2, "Levels": 11}]


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "WAYS": str(parameters["Ways"])}
    return simulate(load()["bmw"], parameters, "bench_bmw", FOLDER, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=str)
def test_bmw(parameters, full):
    covered = lockstep(parameters, 1_000_000 if full else 6_000)
    assert covered, "no coverage was recorded"
    missed = [name for name, number in covered.items() if number == 0]
    assert not missed, f"never provoked: {missed}"


@pytest.mark.full
@pytest.mark.parametrize("parameters", LARGE, ids=str)
def test_large(parameters):
    lockstep(parameters, 1_000_000)
