"""What a packet takes at its queue's share, by itself: with products of more than 32 bits, and with fewer than the time has."""

from pathlib import Path

import pytest
from flow.cores import Core, label
from flow.simulate import simulate

# FieldW 20 and BytesW 14: 524,288 x 8,192 B is 2^32.
SHAPES = [{"FieldW": 20, "BytesW": 14, "Fraction": 0, "TimeW": 16}, {"FieldW": 12, "BytesW": 11, "Fraction": 5, "TimeW": 16},
          {"FieldW": 1, "BytesW": 7, "Fraction": 9, "TimeW": 12}]


@pytest.mark.parametrize("parameters", SHAPES, ids=label)
def test_time(parameters):
    folder = Path(__file__).parent
    core = Core("tm_time", folder.parent, "tm_time", ["tm/tm_time.sv"], {})
    settings = {"FIELD": str(parameters["FieldW"]), "BYTES": str(parameters["BytesW"]),
                "FRACTION": str(parameters["Fraction"]), "TIME": str(parameters["TimeW"])}
    simulate(core, parameters, "bench_time", folder, settings)
