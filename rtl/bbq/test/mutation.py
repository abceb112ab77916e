"""What a mutant has to survive: short streams; on block RAM (all forwards exist there) with partitions if it asks for no
other configuration.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_bbq import lockstep  # noqa: E402

PARAMETERS = {"Levels": 3, "Width": 4, "SlotBits": 5, "DataW": 16, "Partitions": 2, "AsyncDepth": 1}


def run(sources, build, parameters=None):
    lockstep(parameters or PARAMETERS, 12_000, sources, build)
