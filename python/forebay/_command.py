"""The command ``forebay``, which the package brings along."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Does what the program's arguments say; the exit code."""
    try:
        from ._forebay import run_command  # type: ignore[attr-defined]
    except ImportError:
        print("error: this build of the package is without the command; pip install forebay has it", file=sys.stderr)
        return 1
    # Python would notice an interrupt only when the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return int(run_command(["forebay", *sys.argv[1:]]))


if __name__ == "__main__":
    raise SystemExit(main())
