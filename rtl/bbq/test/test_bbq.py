"""Builds configurations of BBQ and runs the lockstep bench on each; demands that every hazard occurred."""

from math import log2
from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate

FOLDER = Path(__file__).parent

SHORT = [
    {"Levels": 2, "Width": 4, "SlotBits": 4, "DataW": 16},
    {"Levels": 3, "Width": 4, "SlotBits": 5, "DataW": 16, "Partitions": 2, "AsyncDepth": 1},
    {"Levels": 3, "Width": 2, "SlotBits": 4, "DataW": 16, "Partitions": 4, "AsyncDepth": 4},
]
LONG = [
    {"Levels": 2, "Width": 8, "SlotBits": 11},
    {"Levels": 3, "Width": 8, "SlotBits": 12},
    {"Levels": 5, "Width": 8, "SlotBits": 17},
    {"Levels": 3, "Width": 16, "SlotBits": 8, "Partitions": 16},
    {"Levels": 15, "Width": 2, "SlotBits": 6, "Partitions": 8},
]


def steered(parameters):
    bits = int(log2(parameters.get("Partitions", 1)))
    return (bits - 1) // int(log2(parameters["Width"])) if bits else 0


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if an answer was wrong."""
    settings = {"OPS": str(operations), "STEERED": str(steered(parameters))}
    return simulate(load()["bbq"], parameters, "bench_bbq", FOLDER, settings, sources, build)


def report(parameters, covered):
    print(f"\ncoverage of {parameters}")
    for name, number in sorted(covered.items()):
        print(f"  {number:9}  {name}")


@pytest.mark.parametrize("parameters", SHORT, ids=str)
def test_short_streams(parameters, full):
    covered = lockstep(parameters, 1_000_000 if full else 12_000)
    report(parameters, covered)
    assert covered, "no coverage was recorded"
    missed = [name for name, number in covered.items() if number == 0]
    assert not missed, f"never provoked: {missed}"


@pytest.mark.full
@pytest.mark.parametrize("parameters", LONG, ids=str)
def test_long_streams(parameters):
    report(parameters, lockstep(parameters, 1_000_000))
