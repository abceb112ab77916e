"""What a mutant has to survive: a short stream on a list of nine elements."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_pieo import lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or {"Size": 3, "RankW": 6, "TimeW": 6, "DataW": 8}, 4_000, sources, build)
