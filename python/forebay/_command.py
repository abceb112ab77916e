"""The command ``forebay``, which the package brings along."""

from __future__ import annotations

import signal
import sys
from pathlib import Path


def main() -> int:
    """Does what the program's arguments say; the exit code."""
    try:
        from ._forebay import run_command  # type: ignore[attr-defined]
    except ImportError:
        print("error: this build of the package is without the command; pip install forebay has it", file=sys.stderr)
        return 1
    # Python would notice an interrupt only when the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    shipped = Path(__file__).parent / "shipped/experiments"
    return int(run_command(["forebay", *sys.argv[1:]], shipped if shipped.is_dir() else None))


if __name__ == "__main__":
    raise SystemExit(main())
