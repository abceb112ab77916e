"""Builds the shared cells' benches; the benches are in `bench_free_list.py`."""

from pathlib import Path

import pytest
from flow import coverage
from flow.cores import label, load
from flow.simulate import seed, simulate


def lockstep(parameters, operations, sources=None, build=None):
    """Returns what was covered; raises AssertionError if a number was wrong."""
    settings = {"OPS": str(operations), "RESETS": "12"}
    return simulate(load()["common"], parameters, "bench_free_list", Path(__file__).parent, settings, sources, build)


@pytest.mark.parametrize("parameters", [{"Entries": 3}, {"Entries": 5}, {"Entries": 31}, {"Entries": 32}], ids=label)
def test_free_list(parameters, full):
    operations = 1_000_000 if full else 3_000
    coverage.demand("common", parameters, seed(), operations, lockstep(parameters, operations))
