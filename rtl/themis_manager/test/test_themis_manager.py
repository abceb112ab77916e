"""Builds configurations of Themis's manager and runs the lockstep bench on each; demands that every case occurred."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

FOLDER = Path(__file__).parent

SHAPES = [
    {"Levels": 2, "Width": 4, "SlotBits": 5, "DataW": 16, "Near": 12, "High": 8, "Low": 4, "Batch": 4, "Groups": 2},
    {"Levels": 3, "Width": 2, "SlotBits": 6, "DataW": 8, "Near": 20, "High": 12, "Low": 6, "Batch": 8, "Groups": 2},
]


def lockstep(parameters, cycles, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(cycles), "RESETS": "12"}
    return simulate(load()["themis_manager"], parameters, "bench_themis_manager", FOLDER, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_themis_manager(parameters, full):
    cycles = 1_000_000 if full else 12_000
    covered = lockstep(parameters, cycles)
    # The hazards within the queue are its own test's to meet.
    own = {name: number for name, number in covered.items() if "u_queue" not in name}
    coverage.demand("themis_manager", parameters, seed(), cycles, own)
