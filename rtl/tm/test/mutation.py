"""What a mutant has to survive: a short stream on a small buffer of four ports."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_tm import SHAPES, lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or SHAPES[0], 6_000, sources, build)
