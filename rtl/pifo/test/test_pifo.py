"""Builds configurations of PIFO and runs the bench on each."""

from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate

SHAPES = [{"Depth": 5, "RankW": 4, "DataW": 8}, {"Depth": 16, "RankW": 4, "DataW": 8, "Partitions": 4}]


@pytest.mark.parametrize("parameters", SHAPES, ids=str)
def test_pifo(parameters, full):
    settings = {"OPS": str(1_000_000 if full else 5_000)}
    simulate(load()["pifo"], parameters, "bench_pifo", Path(__file__).parent, settings)
