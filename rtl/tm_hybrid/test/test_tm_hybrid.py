"""Builds configurations of the hybrid traffic manager before its model of HBM, and runs the lockstep bench on each."""

import dataclasses
from pathlib import Path

import pytest
from flow import coverage
from flow.cores import RTL, label, load
from flow.simulate import seed, simulate

FOLDER = Path(__file__).parent
AROUND = ["tm_hybrid/replay/tm_hybrid_hbm.sv", "tm_hybrid/replay/tm_hybrid_replay.sv"]

SHAPES = [
    # Few packets, so that every memory fills; an HBM with less space than the queue could use.
    {"Ports": 2, "DataW": 64, "CellBeatsLog2": 4, "LargestBytes": 100, "Width": 4, "SlotBits": 5, "Near": 12, "High": 8,
     "Low": 4, "Batch": 4, "Groups": 2, "Regions": 5, "Reads": 4, "Departures": 4, "RowBytesLog2": 9, "Banks": 2},
    # More of everything, and a port that there is not.
    {"Ports": 3, "DataW": 32, "CellBeatsLog2": 5, "LargestBytes": 90, "Levels": 3, "Width": 4, "SlotBits": 5, "Near": 20,
     "High": 14, "Low": 8, "Batch": 2, "Groups": 4, "Regions": 6, "Reads": 8, "Departures": 8, "RowBytesLog2": 8},
]
# What is not this core's own, and is demanded of its own test.
INNER = ("u_manager", "u_ingress", "u_store", "u_free", "u_output", "u_csr", "u_hbm")


def lockstep(parameters, cycles, sources=None, build=None):
    """What was covered of the core's own; raises AssertionError if anything was wrong."""
    core = load()["tm_hybrid"]
    core = dataclasses.replace(core, top="tm_hybrid_replay", sources=[*core.sources, *AROUND])
    if sources is not None:
        sources = [*sources, *(RTL / source for source in AROUND)]
    settings = {"OPS": str(cycles), "RESETS": "12"}
    covered = simulate(core, parameters, "bench_tm_hybrid", FOLDER, settings, sources, build)
    return {name: number for name, number in covered.items() if not any(part in name for part in INNER)}


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_tm_hybrid(parameters, full):
    cycles = 1_000_000 if full else 30_000
    coverage.demand("tm_hybrid", parameters, seed(), cycles, lockstep(parameters, cycles))
