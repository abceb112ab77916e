"""A core as a program: its Verilator model with a driver of its own in C++, from the folder `replay`
beside its sources.

`forebay replay --rtl` asks for one (`python -m flow model tm Cells=512 wave=1`) and reads the last
line, the program's path. What is up to date is not built again.
"""

from __future__ import annotations

from pathlib import Path

from .cores import BUILD, RTL, Core, label
from .tools import run


def read_values(texts: list[str]) -> dict[str, int]:
    """`Cells=512` as a parameter and its value."""
    values = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name.isidentifier() or not value.isdecimal():
            raise ValueError(f"'{text}' is no parameter: write it as Name=number")
        values[name] = int(value)
    return values


def model(core: Core, parameters: dict[str, int], wave: bool = False) -> Path:
    """Builds the program; with `wave` it can write the signals as FST."""
    folder = core.folder / "replay"
    top = f"{core.name}_replay"
    if not (folder / "replay.cpp").is_file():
        raise ValueError(f"{core.name} has no driver: there is no {folder / 'replay.cpp'}")
    build = BUILD / "model" / f"{core.name}_{label(parameters)}{'_wave' if wave else ''}"
    build.mkdir(parents=True, exist_ok=True)
    flags = ["-std=c++20", "-DVL_USER_STOP"]
    if wave:
        # The writer's libraries are not asked of the machine.
        flags += ["-DWAVE", f"-I{RTL / 'common' / 'fst'}"]
    command = ["verilator", "--cc", "--exe", "--assert", "--no-timing", "-O3", "--x-assign", "fast", "--x-initial", "fast",
               "--output-split", "0", "--top-module", top, "--Mdir", str(build), "-o", top,
               *(["--trace-fst"] if wave else []), "-CFLAGS", " ".join(flags), str(RTL / "lint" / "waivers.vlt"),
               *[f"-G{name}={value}" for name, value in parameters.items()],
               *core.sources, *(str(source) for source in sorted(folder.glob("*.sv"))), str(folder / "replay.cpp")]
    run(command, build / "verilator.log")
    run(["make", "-j", "2", "-C", str(build), "-f", f"V{top}.mk", "OPT_FAST=-O2", "LDLIBS=-pthread"], build / "make.log")
    return build / top
