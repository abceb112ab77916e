"""What a mutant has to survive: a short stream on a small buffer before a small HBM."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_tm_hybrid import SHAPES, lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or SHAPES[0], 12_000, sources, build)
