"""Maps one design to the cells of a Liberty file: `python -m flow.cellmap DESIGN.il LIBERTY WORDS
OUT.json`.

In a process of its own because yosys is loaded as a library. Memories of more than WORDS words stay
as they are, black boxes of which only the size is counted; smaller ones become flip-flops.

The native yosys of PyPI (pyosys), not the WebAssembly one that reads the Verilog: there, `abc`,
with or without a library, ends the program in silence with exit status 0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

BEFORE = ("read_rtlil {design}", "synth -flatten -run begin:fine", "memory_map t:$mem_v2 r:SIZE<={words} %i")
AFTER = ("opt -fast -full", "opt -undriven -fine", "techmap", "opt -fast", "dfflibmap -liberty {liberty}",
         "abc -liberty {liberty}", "opt_clean -purge", "tee -q -o {out}.stat stat -json -liberty {liberty}")


def _memories(libyosys, module) -> list[dict]:
    """Words, bits of a word and ports of every memory; ports on one address are one."""
    found = []
    for name in module.cells_:
        cell = module.cells_[name]
        if cell.type.str() != "$mem_v2":
            continue

        def number(parameter, cell=cell):
            return cell.parameters[libyosys.IdString("\\" + parameter)].as_int()

        def address(port, cell=cell):
            return cell.connections_[libyosys.IdString("\\" + port)]

        ports = number("RD_PORTS") + number("WR_PORTS")
        if ports == 2 and address("RD_ADDR") == address("WR_ADDR"):
            ports = 1
        found.append({"name": name.str(), "words": number("SIZE"), "width": number("WIDTH"), "ports": ports})
    return found


def main(design: str, liberty: str, words: str, out: str) -> None:
    from pyosys import libyosys

    mapped = libyosys.Design()
    names = {"design": design, "liberty": liberty, "words": words, "out": out}
    for command in BEFORE:
        mapped.run_pass(command.format(**names))
    memories = _memories(libyosys, mapped.top_module())
    for command in AFTER:
        mapped.run_pass(command.format(**names))
    Path(out).write_text(json.dumps({"memories": memories, "stat": json.loads(Path(f"{out}.stat").read_text())}))


if __name__ == "__main__":
    main(*sys.argv[1:])
