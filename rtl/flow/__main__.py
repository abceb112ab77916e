"""`python -m flow ACTIVITY [CORE]`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from . import cells, cores, csr, figures, formal, lint, model, mutate, synth


def files(chosen: list[cores.Core]) -> None:
    """Prints the sources of the chosen cores in the order in which they compile, each once."""
    for source in dict.fromkeys(source for core in chosen for source in core.sources):
        print(cores.RTL / source)


def build_model(core: cores.Core, texts: list[str]) -> None:
    """Builds the model of a core with these parameters, and prints its path."""
    values = model.read_values(texts)
    wave = values.pop("wave", 0) != 0
    print(model.model(core, values, wave))


ACTIVITIES = {"files": files, "csr": csr.csr, "lint": lint.lint, "formal": formal.formal, "mutate": mutate.mutate, "synth": synth.synth,
              "synth-full": synth.synth_full, "cells": cells.cells,
              "figures": figures.figures}


def main(arguments: list[str]) -> int:
    known = cores.load()
    if len(arguments) >= 2 and arguments[0] == "model" and arguments[1] in known:
        return attempt(lambda: build_model(known[arguments[1]], arguments[2:]))
    if len(arguments) not in (1, 2) or arguments[0] not in ACTIVITIES:
        print(f"usage: python -m flow {'|'.join(ACTIVITIES)} [{'|'.join(known)}]\n"
              "       python -m flow model CORE [NAME=VALUE ...] [wave=1]", file=sys.stderr)
        return 2
    if len(arguments) == 2 and arguments[1] not in known:
        print(f"flow: there is no core '{arguments[1]}'; there are {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = [known[arguments[1]]] if len(arguments) == 2 else list(known.values())
    return attempt(lambda: ACTIVITIES[arguments[0]](chosen))


def attempt(work: Callable[[], None]) -> int:
    """The exit code of some work; what went wrong is said."""
    try:
        work()
    except (RuntimeError, AssertionError, ValueError) as error:
        print(f"flow: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
