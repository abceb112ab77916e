"""What the streams covered: the demand of every test, a line for each at the end of a run, and a
table of long runs.

A point is a named `cover property`; it stands in several places where its module is used more than
once (a level, a memory). `make rtl-test` prints a line per configuration; `make rtl-full` writes
`rtl/results/coverage.csv`, where every point has its row, and `coverage.md`, a line per
configuration.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .cores import RTL, label

CSV = RTL / "results" / "coverage.csv"
MD = RTL / "results" / "coverage.md"
COLUMNS = ["core", "configuration", "seed", "operations", "point", "times", "places", "places met"]


@dataclass
class Run:
    """One configuration's coverage: for each point, how often it held in each of its places."""

    core: str
    configuration: str
    seed: int
    operations: int
    points: dict[str, list[int]] = field(default_factory=dict)

    def rows(self) -> list[dict]:
        """A row for each point."""
        return [{"core": self.core, "configuration": self.configuration, "seed": str(self.seed),
                 "operations": str(self.operations), "point": point, "times": str(sum(times)), "places": str(len(times)),
                 "places met": str(sum(number > 0 for number in times))} for point, times in sorted(self.points.items())]


RUNS: list[Run] = []


def point(name: str) -> str:
    """`cover_word_1` of a cover property's hierarchical name; one of a loop within its module keeps
    its index."""
    path, last = name.rsplit(".", 1)
    looped = re.search(r"__BRA__(\d+)__KET____DOT__\w+$", path)
    return f"{last}[{looped[1]}]" if looped else last


def demand(core: str, parameters: dict, seed: int, operations: int, covered: dict[str, int], everywhere: bool = True,
           unreachable: Callable[[str], bool] = lambda point: False) -> None:
    """Notes a run's coverage; raises if a point never held: in one of its places, or, unless
    `everywhere`, in any."""
    run = Run(core, label(parameters), seed, operations)
    for name, number in covered.items():
        run.points.setdefault(point(name), []).append(number)
    RUNS.append(run)
    if not run.points:
        raise AssertionError("no coverage was recorded")
    missed = [name for name, times in run.points.items()
              if (min(times) if everywhere else sum(times)) == 0 and not unreachable(name)]
    if missed:
        raise AssertionError(f"never provoked with SEED={seed}: {', '.join(sorted(missed))}")


def summary(rows: list[dict]) -> list[str]:
    """A line for each configuration."""
    lines = []
    for key in dict.fromkeys((row["core"], row["configuration"]) for row in rows):
        mine = [row for row in rows if (row["core"], row["configuration"]) == key]
        met = [row for row in mine if row["times"] != "0"]
        places, places_met = (sum(int(row[column]) for row in mine) for column in ("places", "places met"))
        line = f"{key[0]} {key[1]}: {len(met)} of {len(mine)} points, {places_met} of {places} places"
        if met:
            rarest = min(met, key=lambda row: int(row["times"]))
            line += f"; rarest {rarest['point']} {rarest['times']} times"
        missed = [row["point"] for row in mine if row["times"] == "0"]
        lines.append(line + (f"; never {', '.join(missed)}" if missed else ""))
    return lines


def write(runs: list[Run]) -> None:
    """Replaces the rows of these configurations in both files."""
    fresh = [row for run in runs for row in run.rows()]
    replaced = {(row["core"], row["configuration"]) for row in fresh}
    kept = []
    if CSV.exists():
        with CSV.open(newline="") as file:
            kept = [row for row in csv.DictReader(file) if (row["core"], row["configuration"]) not in replaced]
    rows = sorted([*kept, *fresh], key=lambda row: (row["core"], row["configuration"], row["point"]))
    with CSV.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    MD.write_text("Written by `make rtl-full`; what the lines count is said in `rtl/flow/coverage.py`, every point is in "
                  "`coverage.csv`.\n\n" + "".join(f"- {line}\n" for line in summary(rows)))
