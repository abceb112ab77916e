"""Charts with matplotlib, from tables of results. An optional extra: ``pip install forebay[charts]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from ._forebay import Results


def chart(results: Results, metric: str, *, x: str | None = None, axes: Axes | None = None, **at: Any) -> Axes:
    """Draws a metric against a swept parameter, a line per policy: means over seeds, with all seeds' range.

    ``x`` is a swept parameter, by default the first; ``at`` holds others at a value (``chart(r, "loss", ports=8)``,
    ``rate="50 Gb/s"``), which each has to be that has several: nothing but seeds is averaged.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("charts need matplotlib; install it with: pip install forebay[charts]") from error

    table = results.table
    swept: list[str] = [axis["name"] for axis in results.manifest["experiment"]["axes"]]
    x = x if x is not None else (swept[0] if swept else None)
    if x not in swept:
        raise ValueError(f"x: {x!r} is no swept parameter; there are {', '.join(swept) or 'none'}")
    keep = np.array(table["metric"]) == metric
    if not keep.any():
        raise ValueError(f"metric: there is no {metric!r}; there are {', '.join(sorted(set(table['metric'])))}")
    for name, value in at.items():
        if name not in swept:
            raise ValueError(f"{name}: no swept parameter; there are {', '.join(swept)}")
        held = keep & (np.array(table[name]) == _number(results, name, value))
        if not held.any():
            raise ValueError(f"{name}: nothing is at {value!r}; there are {_values(table[name], keep)}")
        keep = held
    for name in swept:
        if name != x and len(set(np.array(table[name])[keep].tolist())) > 1:
            raise ValueError(
                f"{name}: it is swept too, over {_values(table[name], keep)}; hold it at one, for example "
                f"{name}={_first(table[name], keep)!r}, or draw against it: x={name!r}"
            )
    if axes is None:
        _, axes = plt.subplots()
    policies = np.array(table["policy"])
    places, values = np.array(table[x]), np.asarray(table["value"])
    for policy in dict.fromkeys(policies.tolist()):
        chosen = keep & (policies == policy)
        points = list(dict.fromkeys(places[chosen].tolist()))
        samples = [values[chosen & (places == point)] for point in points]
        (line,) = axes.plot(points, [np.nanmean(sample) for sample in samples], marker="o", label=policy)
        low, high = [np.nanmin(s) for s in samples], [np.nanmax(s) for s in samples]
        axes.fill_between(points, low, high, alpha=0.15, color=line.get_color())
    unit = table["unit"][int(np.argmax(keep))]
    units = table[f"{x}_unit"] if f"{x}_unit" in table.columns else []
    axes.set(xlabel=f"{x} ({units[0]})" if units else x, ylabel=f"{metric} ({unit})" if unit else metric)
    axes.legend()
    return axes


def _number(results: Results, name: str, value: Any) -> Any:
    """The value as its column has it: a text of the file, such as "50 Gb/s", as the number that it is."""
    (axis,) = (axis for axis in results.manifest["experiment"]["axes"] if axis["name"] == name)
    known = {each["text"]: each["number"] for each in axis["values"] if axis["is_number"]}
    return known.get(value, value) if isinstance(value, str) else value


def _first(column: Any, keep: NDArray[np.bool_]) -> Any:
    return np.array(column)[keep].tolist()[0]


def _values(column: Any, keep: NDArray[np.bool_]) -> str:
    return ", ".join(map(repr, dict.fromkeys(np.array(column)[keep].tolist())))
