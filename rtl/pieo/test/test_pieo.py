"""Builds configurations of PIEO and runs the bench on each."""

from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate

SHAPES = [{"Size": 3, "RankW": 6, "TimeW": 6, "DataW": 8}, {"Size": 8, "RankW": 8, "TimeW": 8, "DataW": 8}]


@pytest.mark.parametrize("parameters", SHAPES, ids=str)
def test_pieo(parameters, full):
    settings = {"OPS": str(1_000_000 if full else 6_000)}
    covered = simulate(load()["pieo"], parameters, "bench_pieo", Path(__file__).parent, settings)
    missed = [name for name, number in covered.items() if number == 0]
    assert not missed, f"never provoked: {missed}"
