"""What a mutant of the free list has to survive; the other cells are in the cores' lists."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_common import lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or {"Entries": 7}, 2_000, sources, build)
