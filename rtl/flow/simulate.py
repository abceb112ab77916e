"""Builds a configuration with Verilator and runs a cocotb test module on it.

cocotb keeps Python out of the clock: benches wait on edges, so a cycle costs some twenty microseconds.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .cores import BUILD, RTL, Core, label
from .tools import environment


def simulate(core: Core, parameters: dict, module: str, folder: Path, settings: dict[str, str] | None = None,
             sources: list[Path] | None = None, build: str | None = None) -> None:
    """Runs every cocotb test in `folder/module.py`; raises if one fails.

    `settings` reach the bench as environment variables; `sources` replace the core's own (for mutants).
    """
    os.environ.update(environment())
    from cocotb_tools.runner import get_runner

    files = sources if sources is not None else [RTL / source for source in core.sources]
    build_dir = BUILD / "sim" / (build or f"{core.name}_{label(parameters)}")
    build_dir.mkdir(parents=True, exist_ok=True)
    runner = get_runner("verilator")
    runner.build(
        sources=files, hdl_toplevel=core.top, parameters=parameters, build_dir=build_dir,
        build_args=["--assert", "--x-assign", "unique", "--x-initial", "unique", "-CFLAGS", "-std=c++20 -O1",
                    str(RTL / "lint" / "waivers.vlt")],
        log_file=build_dir / "build.log",
    )
    results = runner.test(
        hdl_toplevel=core.top, test_module=module, test_dir=folder, build_dir=build_dir,
        results_xml=str(build_dir / "results.xml"), log_file=build_dir / f"{module}.log",
        plusargs=["+verilator+rand+reset+2", "+verilator+seed+1"],
        extra_env={"PYTHONPATH": os.pathsep.join([str(folder), str(RTL), *sys.path]), **(settings or {})},
    )
    check(results, build_dir / f"{module}.log")


def check(results: Path, log: Path) -> None:
    """Raises if the simulation reported a failure, or nothing at all."""
    from cocotb_tools.check_results import get_results

    tests, failed = get_results(results)
    if tests == 0 or failed:
        raise AssertionError(f"{failed} of {tests} tests failed; see {log}")
