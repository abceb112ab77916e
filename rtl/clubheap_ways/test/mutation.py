"""What a mutant has to survive: short streams on a ternary heap with two slots to a node."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_clubheap_ways import run as lockstep  # noqa: E402

PARAMETERS = {"Ways": 3, "Cluster": 3, "Capacity": 100, "RankW": 6}


def run(sources, build, parameters=None):
    lockstep(parameters or PARAMETERS, operations=8_000, sources=sources, build=build)
