"""Two linters, no warnings: Verilator over every configuration, Verible over every source.

Waivers: `rtl/lint/waivers.vlt` for Verilator, `rtl/lint/verible.rules` for Verible.
"""

from __future__ import annotations

from .cores import RTL, Core, label
from .tools import run


def lint(cores: list[Core]) -> None:
    for core in cores:
        for parameters in core.sweep.get("lint", {}).get("parameters", [{}]):
            values = [f"-G{key}={value}" for key, value in parameters.items()]
            run(["verilator", "--lint-only", "-Wall", "-Wpedantic", "--timing", "--assert", "lint/waivers.vlt",
                 "--top-module", core.top, *values, *core.sources])
            print(f"lint: {core.name} {label(parameters)}: Verilator is content")
    sources = sorted({source for core in cores for source in core.sources})
    benches = sorted(str(path.relative_to(RTL)) for core in cores for path in core.folder.glob("formal/*.sv"))
    run(["verible-verilog-lint", "--rules_config", "lint/verible.rules", *sources, *benches])
    print(f"lint: {len(sources) + len(benches)} files: Verible is content")
