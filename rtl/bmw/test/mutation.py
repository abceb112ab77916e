"""What a mutant has to survive: the short streams on a tree of three levels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_bmw import lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or {"Ways": 4, "Levels": 3, "RankW": 6, "DataW": 16}, 6_000, sources, build)
