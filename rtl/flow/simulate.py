"""Builds a configuration with Verilator and runs a cocotb test module on it.

cocotb keeps Python out of the clock: benches wait on edges, so a cycle costs some twenty
microseconds.

The environment's SEED decides both the benches' streams and what registers, memories and inputs
hold at first.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .cores import BUILD, RTL, Core, label
from .tools import environment


def seed() -> int:
    """The SEED of this run."""
    text = os.environ.get("SEED", "1")
    if not text.isdecimal() or not 1 <= int(text) < 2**31:
        raise ValueError(f"SEED is '{text}', but must be a number from 1 to 2147483647")
    return int(text)


def simulate(core: Core, parameters: dict, module: str, folder: Path, settings: dict[str, str] | None = None,
             sources: list[Path] | None = None, build: str | None = None) -> dict[str, int]:
    """Runs every cocotb test in `folder/module.py`; raises if one fails, returns what was covered.

    `settings` reach the bench as environment variables; `sources` replace the core's own (for
    mutants).
    """
    os.environ.update(environment(), OBJCACHE=f"{sys.executable} {RTL / 'flow' / 'objcache.py'}")
    from cocotb_tools.runner import get_runner

    files = sources if sources is not None else [RTL / source for source in core.sources]
    build_dir = BUILD / "sim" / (build or f"{core.name}_{label(parameters)}")
    build_dir.mkdir(parents=True, exist_ok=True)
    runner = get_runner("verilator")
    runner.build(
        sources=files, hdl_toplevel=core.top, parameters=parameters, build_dir=build_dir,
        build_args=["--assert", "--x-assign", "unique", "--x-initial", "unique", "--coverage-user",
                    # A model in several files needs precompiled headers, which the wheel is not
                    # configured for.
                    "--output-split", "0",
                    "-CFLAGS", "-std=c++20", str(RTL / "lint" / "waivers.vlt")],
        log_file=build_dir / "build.log",
    )
    (build_dir / "coverage.dat").unlink(missing_ok=True)
    log = build_dir / f"{module}.log"
    try:
        results = runner.test(
            hdl_toplevel=core.top, test_module=module, test_dir=folder, build_dir=build_dir,
            results_xml=str(build_dir / "results.xml"), log_file=log,
            plusargs=["+verilator+rand+reset+2", f"+verilator+seed+{seed()}",
                      f"+verilator+coverage+file+{build_dir / 'coverage.dat'}"],
            test_args=["--coverage-per-instance"],
            extra_env={"PYTHONPATH": os.pathsep.join([str(folder), str(RTL), *sys.path]), "SEED": str(seed()),
                       **(settings or {})},
        )
    except (SystemExit, RuntimeError) as stop:
        # A failed assertion of the design stops the simulator before it can report.
        raise AssertionError(f"the simulation stopped before its end with SEED={seed()}; see {log}") from stop
    check(results, log)
    return coverage(build_dir)


def coverage(build_dir: Path) -> dict[str, int]:
    """How often each named `cover property` held, summed over configurations of one instance
    path."""
    counts: dict[str, int] = {}
    for line in (build_dir / "coverage.dat").read_text(errors="replace").splitlines():
        if not line.startswith("C "):
            continue
        text, number = line[2:].rsplit(" ", 1)
        fields = dict(pair.split("\x02", 1) for pair in text.strip("'").split("\x01") if "\x02" in pair)
        name = f"{fields.get('h', '')}.{fields.get('o', '')}"
        counts[name] = counts.get(name, 0) + int(number)
    return counts


def check(results: Path, log: Path) -> None:
    """Raises if the simulation reported a failure, or nothing at all."""
    from cocotb_tools.check_results import get_results

    tests, failed = get_results(results)
    if tests == 0 or failed:
        raise AssertionError(f"{failed} of {tests} tests failed with SEED={seed()}; see {log}")
