"""Builds configurations of SurgeProtector's scheduler and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [
    {"WorkW": 8, "SizeW": 5, "Fraction": 4, "Bits": 2, "Levels": 3, "Width": 4, "Capacity": 20, "DataW": 16},
    # A job that waits, and sizes whose last bits never count; block RAM.
    {"WorkW": 20, "SizeW": 2, "Fraction": 1, "Bits": 3, "Levels": 2, "Width": 16, "Capacity": 1, "DataW": 16, "AsyncDepth": 1},
    # The ranks of the software.
    {"WorkW": 48, "Fraction": 16, "Bits": 9, "Levels": 5, "Width": 8, "Capacity": 100},
    {"Capacity": 60},
]


def lockstep(parameters, cycles, sources=None, build=None):
    """What was covered outside the BBQ; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(cycles), "RESETS": "20"}
    covered = simulate(load()["surge"], parameters, "bench_surge", Path(__file__).parent, settings, sources, build)
    return {name: number for name, number in covered.items() if not name.startswith("surge.u_queue")}


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_surge(parameters, full):
    cycles = 1_000_000 if full else 12_000
    coverage.demand("surge", parameters, seed(), cycles, lockstep(parameters, cycles))
