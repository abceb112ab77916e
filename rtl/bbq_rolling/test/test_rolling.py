"""Builds a configuration of the rolling window and runs the bench on it."""

from pathlib import Path

from flow.cores import load
from flow.simulate import simulate


def test_rolling(full):
    parameters = {"Levels": 2, "Width": 4, "SlotBits": 5, "DataW": 16, "RankW": 24}
    settings = {"OPS": str(1_000_000 if full else 10_000)}
    covered = simulate(load()["bbq_rolling"], parameters, "bench_rolling", Path(__file__).parent, settings)
    missed = [name for name, number in covered.items() if number == 0 and name.startswith("bbq_rolling.cover")]
    assert not missed, f"never provoked: {missed}"
