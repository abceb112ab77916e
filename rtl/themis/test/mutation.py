"""What a mutant has to survive: short streams; on block RAM (all forwards exist there) if it asks for no other
configuration.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_themis import SHORT, lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or SHORT[1], 12_000, sources, build)
