"""Builds configurations of the traffic manager and runs the bench on each."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate

SHAPES = [
    {"Ports": 4, "Classes": 2, "DataW": 64, "CellBeatsLog2": 1, "Cells": 60, "LargestBytes": 100, "AlphaLog2": 1,
     "Width": 8},
    # A beat a cell, one queue a port, ports that there are not.
    {"Ports": 3, "Classes": 1, "DataW": 32, "CellBeatsLog2": 0, "Cells": 100, "LargestBytes": 64, "AlphaLog2": 2,
     "Width": 8},
    # As it is synthesized, with a small memory.
    {"Cells": 40},
]
# The other schedulers, on small buffers.
ORDERS = [
    {**SHAPES[0], "Scheduler": 1},
    {**SHAPES[0], "Scheduler": 2, "Levels": 3, "FieldBits": 12, "Fraction": 6, "RankBits": 3},
    {**SHAPES[0], "Scheduler": 3, "Classes": 4, "Cells": 90, "Levels": 3, "Width": 8, "FieldBits": 7, "Fraction": 4},
]


def lockstep(parameters, cycles, sources=None, build=None):
    """What was covered outside the cores that it is made of; raises AssertionError if anything was wrong."""
    settings = {"OPS": str(cycles), "RESETS": "15", "PHASES": "3"}
    covered = simulate(load()["tm"], parameters, "bench_tm", Path(__file__).parent, settings, sources, build)
    inner = ("u_order", "u_rank", "u_occamy", "u_free")
    return {name: number for name, number in covered.items() if not any(part in name for part in inner)}


@pytest.mark.parametrize("parameters", SHAPES + ORDERS, ids=label)
def test_tm(parameters, full):
    cycles = 1_000_000 if full else 30_000 if parameters in SHAPES else 10_000
    # Three queues have to fill the memory to the last cell for one of them to lose its last packet: too rare to demand.
    coverage.demand("tm", parameters, seed(), cycles, lockstep(parameters, cycles),
                    unreachable=lambda point: point == "cover_none" and parameters.get("Classes") == 1)


# More ports than a bitmap has bits, so that the BBQ steers; more queues than the sweep sees in a moment.
@pytest.mark.full
def test_eight_ports():
    lockstep({"Ports": 8, "Classes": 4, "DataW": 32, "CellBeatsLog2": 1, "Cells": 90, "LargestBytes": 70, "AlphaLog2": 1,
              "Levels": 3, "Width": 4}, 300_000)
