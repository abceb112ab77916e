"""Draws the figures of `rtl/figures.toml` from the tables: `rtl/results/FILE.svg`.

A series is the rows of one core whose columns are what `where` says (a list gives the least and the
largest value); a point needs both axes, so a figure shows what has been synthesized and nothing
else.
"""

from __future__ import annotations

import tomllib

from . import results
from .cores import RTL, Core


def _matches(row: dict, where: dict) -> bool:
    for column, wanted in where.items():
        if column not in row:
            return False
        number = float(row[column])
        low, high = wanted if isinstance(wanted, list) else (wanted, wanted)
        if not low <= number <= high:
            return False
    return True


def _value(row: dict, column: str) -> float | None:
    """A column as a number; `BRAM` is both kinds of block RAM in units of 36 kbit."""
    if column == "BRAM" and "BRAM36" in row:
        return float(row["BRAM36"]) + float(row["BRAM18"]) / 2
    return float(row[column]) if column in row else None


def points(series: dict, x: str, y: str) -> list[tuple[float, float]]:
    """The points of a series from left to right; of several at one place the highest."""
    best: dict[float, float] = {}
    for row in results.read(series["core"]).values():
        at, height = _value(row, x), _value(row, y)
        if at is not None and height is not None and _matches(row, series.get("where", {})):
            best[at] = max(height, best.get(at, height))
    return sorted(best.items())


def _draw(figure: dict) -> bool:
    from matplotlib import pyplot

    pyplot.rcParams["svg.hashsalt"] = "forebay"
    pyplot.rcParams["svg.fonttype"] = "none"
    plot, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    drawn = False
    for series in figure["series"]:
        found = points(series, figure["x"], figure["y"])
        if found:
            axes.plot(*zip(*found, strict=True), marker="o", label=series["label"])
            drawn = True
    if drawn:
        if figure["x"] in ("N", "M", "K"):
            axes.set_xscale("log", base=2)
        if figure.get("log_y"):
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        axes.set(xlabel=figure["x"], ylabel=figure["y"])
        axes.set_title(figure["title"], fontsize="medium")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
        plot.savefig(results.FOLDER / f"{figure['file']}.svg", metadata={"Date": None})
    pyplot.close(plot)
    return drawn


def figures(_cores: list[Core]) -> None:
    """Every figure that has at least one point."""
    import matplotlib

    matplotlib.use("svg")
    for figure in tomllib.loads((RTL / "figures.toml").read_text())["figure"]:
        state = "drawn" if _draw(figure) else "no rows yet"
        print(f"figures: {figure['file']}: {state}")
