"""Builds configurations of Occamy and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [
    {"Queues": 5, "Cells": 60, "AlphaLog2": 1, "SublistsLog2": 0, "Largest": 7, "Burst": 12},
    {"Queues": 2, "Cells": 50, "AlphaLog2": 0, "SublistsLog2": 1, "Largest": 15, "Burst": 20},
    {"Queues": 16, "Cells": 300, "AlphaLog2": 3, "SublistsLog2": 2, "Largest": 30, "Burst": 9},
]


def lockstep(parameters, cycles, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an output was wrong."""
    settings = {"OPS": str(cycles), "RESETS": "20"}
    return simulate(load()["occamy"], parameters, "bench_occamy", Path(__file__).parent, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_occamy(parameters, full):
    cycles = 1_000_000 if full else 16_000
    # What is within a threshold of no more than the free cells fits.
    coverage.demand("occamy", parameters, seed(), cycles, lockstep(parameters, cycles),
                    unreachable=lambda point: point == "cover_full" and parameters["AlphaLog2"] == 0)


# The sizes that are synthesized.
@pytest.mark.full
@pytest.mark.parametrize("parameters", [{"Queues": 64, "Cells": 2050}, {"Queues": 512, "Cells": 65535}], ids=label)
def test_large(parameters):
    lockstep(parameters, 1_000_000)
