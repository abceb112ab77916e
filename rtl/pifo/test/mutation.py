"""What a mutant has to survive: a short stream on a queue of four partitions."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_pifo import lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or {"Depth": 8, "RankW": 4, "DataW": 8, "Partitions": 4}, 3_000, sources, build)
