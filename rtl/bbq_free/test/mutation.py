"""What a mutant has to survive: a short stream on two levels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_free import lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or {"Levels": 2, "Width": 4, "SlotBits": 5, "DataW": 16}, 4_000, sources, build)
