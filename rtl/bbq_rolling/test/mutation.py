"""What a mutant has to survive: a short stream on halves of eight ranks."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_rolling import lockstep  # noqa: E402

PARAMETERS = {"Levels": 2, "Width": 4, "SlotBits": 5, "DataW": 16, "RankW": 24}


def run(sources, build, parameters=None):
    lockstep(parameters or PARAMETERS, 6_000, sources, build)
