"""What a mutant has to survive: short streams on one heap that has every way of reading, and pointers."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_clubheap import run as lockstep  # noqa: E402

PARAMETERS = {"Cluster": 2, "Capacity": 60, "Partitions": 3, "Early": 1, "LutRamPairs": 3, "RankW": 6}


def run(sources, build, parameters=None):
    lockstep(parameters or PARAMETERS, operations=12_000, sources=sources, build=build)
