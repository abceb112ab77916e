"""Builds configurations of Themis's queue and runs the lockstep bench on each; demands that every hazard occurred."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

FOLDER = Path(__file__).parent
MILLION = 1_000_000

SHORT = [
    {"Levels": 2, "Width": 4, "SlotBits": 4, "DataW": 16},
    {"Levels": 3, "Width": 4, "SlotBits": 5, "DataW": 16, "AsyncDepth": 1},
    {"Levels": 2, "Width": 2, "SlotBits": 3, "DataW": 8, "AsyncDepth": 4},
]
LONG = [
    {"Levels": 2, "Width": 8, "SlotBits": 11},
    {"Levels": 3, "Width": 8, "SlotBits": 12},
    {"Levels": 5, "Width": 8, "SlotBits": 17},
    {"Levels": 3, "Width": 16, "SlotBits": 8},
    {"Levels": 15, "Width": 2, "SlotBits": 6},
]


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "RESETS": str(12 if parameters["SlotBits"] < 10 else 2)}
    return simulate(load()["themis"], parameters, "bench_themis", FOLDER, settings, sources, build)


@pytest.mark.parametrize("parameters", SHORT, ids=label)
def test_short_streams(parameters, full):
    operations = MILLION if full else 12_000
    coverage.demand("themis", parameters, seed(), operations, lockstep(parameters, operations))


@pytest.mark.full
@pytest.mark.parametrize("parameters", LONG, ids=label)
def test_long_streams(parameters):
    coverage.demand("themis", parameters, seed(), MILLION, lockstep(parameters, MILLION), everywhere=False)
