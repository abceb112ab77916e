"""What a mutant has to survive: a short stream on a small buffer under its scheme."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from test_admission import DT, lockstep  # noqa: E402


def run(sources, build, parameters=None):
    lockstep(parameters or DT, 6_000, sources, build)
