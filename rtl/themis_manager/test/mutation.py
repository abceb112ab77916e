"""What a mutant has to survive: a stream on a small queue, long enough for the rarest of them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_themis_manager import SHAPES, lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or SHAPES[0], 60_000, sources, build)
