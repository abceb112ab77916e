"""`python -m flow ACTIVITY [CORE]`."""

from __future__ import annotations

import sys

from . import cells, cores, csr, figures, formal, lint, mutate, synth


def files(chosen: list[cores.Core]) -> None:
    """Prints the sources of the chosen cores in the order in which they compile, each once."""
    for source in dict.fromkeys(source for core in chosen for source in core.sources):
        print(cores.RTL / source)


ACTIVITIES = {"files": files, "csr": csr.csr, "lint": lint.lint, "formal": formal.formal, "mutate": mutate.mutate, "synth": synth.synth,
              "synth-full": synth.synth_full, "cells": cells.cells,
              "figures": figures.figures}


def main(arguments: list[str]) -> int:
    known = cores.load()
    if len(arguments) not in (1, 2) or arguments[0] not in ACTIVITIES:
        print(f"usage: python -m flow {'|'.join(ACTIVITIES)} [{'|'.join(known)}]", file=sys.stderr)
        return 2
    if len(arguments) == 2 and arguments[1] not in known:
        print(f"flow: there is no core '{arguments[1]}'; there are {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = [known[arguments[1]]] if len(arguments) == 2 else list(known.values())
    try:
        ACTIVITIES[arguments[0]](chosen)
    except (RuntimeError, AssertionError) as error:
        print(f"flow: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
