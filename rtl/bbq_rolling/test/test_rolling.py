"""Builds configurations of the rolling window and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [
    {"Levels": 2, "Width": 4, "SlotBits": 5, "DataW": 16, "RankW": 24},
    {"Levels": 2, "Width": 8, "SlotBits": 6, "DataW": 16, "RankW": 16},
]


def lockstep(parameters, operations, sources=None, build=None):
    """What was covered outside the BBQ; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "RESETS": "12"}
    covered = simulate(load()["bbq_rolling"], parameters, "bench_rolling", Path(__file__).parent, settings, sources, build)
    return {name: number for name, number in covered.items() if name.startswith("bbq_rolling.cover")}


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_rolling(parameters, full):
    operations = 1_000_000 if full else 10_000
    coverage.demand("bbq_rolling", parameters, seed(), operations, lockstep(parameters, operations))
