"""Builds configurations of Gearbox and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [
    {"Levels": 3, "FifosLog2": 2, "PlacesLog2": 2, "FlowsLog2": 2, "StepDown": 1},
    {"Levels": 2, "FifosLog2": 2, "PlacesLog2": 3, "FlowsLog2": 3, "StepDown": 0},
    {"Levels": 4, "FifosLog2": 2, "PlacesLog2": 1, "FlowsLog2": 1, "StepDown": 1},
]

# What a short stream on the paper's size does not meet.
RARE = {"cover_joined_unmet", "cover_pair", "cover_joins_pair", "cover_passes_pair"}


def lockstep(parameters, slots, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(slots), "RESETS": "20"}
    return simulate(load()["gearbox"], parameters, "bench_gearbox", Path(__file__).parent, settings, sources, build)


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_gearbox(parameters, full):
    slots = 500_000 if full else 12_000
    # Four small levels are rarely busy all at once.
    coverage.demand("gearbox", parameters, seed(), slots, lockstep(parameters, slots),
                    everywhere=full or parameters["Levels"] < 4)


def test_prototype(full):
    """The paper's size with step-down FIFOs; a short stream does not meet everything there."""
    parameters = {"StepDown": 1}
    slots = 500_000 if full else 12_000
    coverage.demand("gearbox", parameters, seed(), slots, lockstep(parameters, slots), everywhere=full,
                    unreachable=lambda point: not full and point in RARE)
