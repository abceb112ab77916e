"""Seeded bugs: every mutant of a core's `mutants.toml` must fail the core's short tests, with its
own `parameters` if it names some.

A mutant replaces one piece of text, which must occur exactly once in the file, so a list that no
longer matches the sources is an error and not a silent pass.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tomllib

from .cores import BUILD, RTL, Core


def _bench(core: Core):
    """The core's `test/mutation.py`: `run(sources, build, parameters)` raises AssertionError if the
    bug is seen."""
    path = core.folder / "test" / "mutation.py"
    spec = importlib.util.spec_from_file_location(f"{core.name}_mutation", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _apply(core: Core, mutant: dict, folder) -> list:
    sources = []
    for source in core.sources:
        text = (RTL / source).read_text()
        if source == mutant["file"]:
            if text.count(mutant["old"]) != 1:
                raise RuntimeError(f"mutant '{mutant['name']}': its text is not exactly once in {source}")
            text = text.replace(mutant["old"], mutant["new"])
        copy = folder / source
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
        sources.append(copy)
    return sources


def mutate(cores: list[Core]) -> None:
    survivors = []
    # A mutant is run for a moment, so it is compiled quickly and not well.
    os.environ["MAKEFLAGS"] = "OPT_FAST=-O0 OPT_SLOW=-O0"
    for core in cores:
        path = core.folder / "mutants.toml"
        if not path.exists():
            print(f"mutate: {core.name}: there are no seeded bugs")
            continue
        bench = _bench(core)
        for mutant in tomllib.loads(path.read_text())["mutant"]:
            folder = BUILD / "mutants" / core.name
            shutil.rmtree(folder, ignore_errors=True)
            sources = _apply(core, mutant, folder)
            try:
                bench.run(sources, f"mutant_{core.name}", mutant.get("parameters"))
            except AssertionError:
                print(f"mutate: {core.name}: caught: {mutant['name']}", flush=True)
            else:
                print(f"mutate: {core.name}: SURVIVED: {mutant['name']}", flush=True)
                survivors.append(mutant["name"])
    if survivors:
        raise AssertionError(f"{len(survivors)} mutants survived: {', '.join(survivors)}")
