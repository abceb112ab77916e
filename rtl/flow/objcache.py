"""Compiles Verilator's run-time library once and not for every configuration: most of a build's
time.

Called by Verilator's makefile in front of the compiler (`OBJCACHE`). Everything else is compiled as
asked.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path


def main(command: list[str]) -> int:
    root = os.environ["VERILATOR_ROOT"]
    if "-c" not in command or "-o" not in command or not command[-1].startswith(root):
        return subprocess.run(command, check=False).returncode
    target = command[command.index("-o") + 1]
    # Another Verilator comes to lie at the same place, so its version counts besides the flags.
    version = (Path(root) / "include" / "verilated_config.h").read_text()
    key = hashlib.sha256("\0".join([*command, version]).encode()).hexdigest()[:16]
    kept = Path(__file__).resolve().parent.parent / "build" / "runtime" / f"{key}.o"
    if not kept.exists():
        code = subprocess.run(command, check=False).returncode
        if code != 0:
            return code
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(f".{os.getpid()}")
        shutil.copy(target, partial)
        partial.replace(kept)
    else:
        shutil.copy(kept, target)
    dependencies = Path(target).with_suffix(".d")
    if not dependencies.exists():
        dependencies.write_text("")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
