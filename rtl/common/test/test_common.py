"""Builds the shared cells' benches; the benches are in `bench_free_list.py`."""

from pathlib import Path

import pytest
from flow.cores import load
from flow.simulate import simulate


@pytest.mark.parametrize("bits", [2, 5])
def test_free_list(bits):
    simulate(load()["common"], {"Bits": bits}, "bench_free_list", Path(__file__).parent)
