"""Builds configurations of the latency-free BBQ and runs the bench on each."""

from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate

SHAPES = [
    {"Levels": 2, "Width": 4, "SlotBits": 5, "DataW": 16},
    {"Levels": 3, "Width": 2, "SlotBits": 6, "DataW": 16},
]


@pytest.mark.parametrize("parameters", SHAPES, ids=str)
def test_latency_free(parameters, full):
    settings = {"OPS": str(1_000_000 if full else 6_000)}
    covered = simulate(load()["bbq_free"], parameters, "bench_free", Path(__file__).parent, settings)
    missed = [name for name, number in covered.items() if number == 0 and name.startswith("bbq_free.cover")]
    assert not missed, f"never provoked: {missed}"
