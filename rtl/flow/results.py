"""The tables `rtl/results/NAME.csv` and `.md`: what was synthesized, and of which sources.

A row's `sources` is a digest of the Verilog as synthesis sees it (`hardware`), the parameters and
the tools' versions. A row whose digest is that of the present sources is not computed again; one
that differs stays, as a number of an earlier version, until it is.
"""

from __future__ import annotations

import csv
import hashlib
import json

from .cores import RTL, Core
from .hardware import hardware
from .shape import shape

SHAPE = ["N", "rank bits", "M", "K", "ways", "small", "D", "W"]
XILINX = ["LUT", "LUTRAM", "SRL", "CARRY4", "FF", "BRAM36", "BRAM18"]
ECP5 = ["ECP5 LUT4", "ECP5 FF", "ECP5 DP16KD", "ECP5 DPR16X4", "ECP5 MHz", "seeds MHz"]
CELLS = ["library", "cells", "logic mm2", "of it flip-flops mm2", "memories", "Mbit", "Mbit x ports", "memory mm2",
         "mm2", "% of BBQ"]
COLUMNS = ["core", "configuration", *SHAPE, *XILINX, *ECP5, "Mpackets/s", *CELLS, "sources"]
FOLDER = RTL / "results"


def digest(core: Core, parameters: dict) -> str:
    """Eight digits that change with whatever a row depends on."""
    parts = [hardware((RTL / source).read_text()) for source in core.sources]
    tools = [line for line in (RTL / "requirements.txt").read_text().splitlines() if line.startswith("yowasp")]
    text = "\0".join([*parts, *tools, json.dumps(parameters, sort_keys=True)])
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def read(name: str) -> dict[str, dict]:
    """The rows of a core's table by configuration."""
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["configuration"]: {key: value for key, value in row.items() if value} for row in csv.DictReader(file)}


def finish(core: Core, parameters: dict, row: dict) -> dict:
    """Adds what follows from the configuration and the clock."""
    means = shape(core.name, parameters)
    row |= {key: means[key] for key in SHAPE if key in means}
    if "ECP5 MHz" in row and means:
        row["Mpackets/s"] = f"{float(row['ECP5 MHz']) / means['cycles per packet']:.1f}"
    return row


def write(name: str, rows: list[dict], head: str | None = None) -> None:
    """Replaces both files; `head` says where the table comes from."""
    FOLDER.mkdir(exist_ok=True)
    used = [column for column in COLUMNS if any(column in row for row in rows)]
    with (FOLDER / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, used, restval="", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    lines = ["| " + " | ".join(used) + " |", "|" + "---|" * len(used)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in used) + " |" for row in rows]
    head = head or (f"Written by `make synth CORE={name}`; what the columns count is said in `rtl/flow/synth.py`, "
                    "cycles per packet in `rtl/flow/shape.py`.")
    (FOLDER / f"{name}.md").write_text(f"{head}\n\n" + "\n".join(lines) + "\n")
