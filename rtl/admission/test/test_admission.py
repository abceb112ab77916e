"""Builds configurations of the three schemes and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

DT = {"Scheme": 0, "Queues": 5, "Cells": 60, "Largest": 7, "AlphaLog2": 1}
ABM = {"Scheme": 1, "Queues": 6, "Cells": 100, "Largest": 7, "AlphaLog2": 1, "ClassesLog2": 1, "Congested": 9,
       "IntervalLog2": 6, "PortCells": 40}
PUSHOUT = {"Scheme": 2, "Queues": 5, "Cells": 60, "Largest": 7}
SHAPES = [
    DT,
    {"Scheme": 0, "Queues": 16, "Cells": 300, "Largest": 30, "AlphaLog2": 0},
    ABM,
    {"Scheme": 1, "Queues": 16, "Cells": 300, "Largest": 3, "AlphaLog2": 2, "ClassesLog2": 2, "Congested": 12,
     "IntervalLog2": 7, "PortCells": 50},
    PUSHOUT,
    {"Scheme": 2, "Queues": 16, "Cells": 40, "Largest": 1},
    {"Scheme": 2, "Queues": 2, "Cells": 30, "Largest": 9},
]


def lockstep(parameters, cycles, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an output was wrong."""
    settings = {"OPS": str(cycles), "RESETS": "20"}
    return simulate(load()["admission"], parameters, "bench_admission", Path(__file__).parent, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_admission(parameters, full):
    cycles = 1_000_000 if full else 12_000
    coverage.demand("admission", parameters, seed(), cycles, lockstep(parameters, cycles))


# The sizes that are synthesized.
@pytest.mark.full
@pytest.mark.parametrize("parameters", [entry["parameters"] for entry in load()["admission"].sweep["synth"]], ids=label)
def test_large(parameters):
    lockstep(parameters, 1_000_000)
