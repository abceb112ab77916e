"""Charts with matplotlib, from tables of results.

An optional extra: ``pip install forebay[charts]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._forebay import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray


def chart(results: Results, metric: str, *, x: str | None = None, axes: Axes | None = None, **at: Any) -> Axes:
    """Draws a metric against a swept parameter, a line per policy: means over seeds, with the
    report's 95 % intervals.

    ``x`` is a swept parameter, by default the first that ``at`` leaves several values; ``at`` holds
    others at a value (``chart(r, "loss", ports=8)``, ``rate="50 Gb/s"``), which each has to be that
    has several: nothing but seeds is averaged.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("charts need matplotlib; install it with: pip install forebay[charts]") from error

    if not isinstance(results, Results):
        raise TypeError(f"results: expected Results, as Experiment.run returns, got {type(results).__name__}")
    table = results.table
    swept: list[str] = [axis["name"] for axis in results.manifest["experiment"]["axes"]]
    if x is None:
        varied = (name for name in swept if name not in at and len(set(table[name])) > 1)
        x = next(varied, swept[0] if swept else None)
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
        estimates = [_estimate(sample[np.isfinite(sample)]) for sample in samples]
        means, halves = np.array(estimates, dtype=float).T
        (line,) = axes.plot(points, means, marker="o", label=policy)
        axes.fill_between(points, means - halves, means + halves, alpha=0.15, color=line.get_color())
    unit = table["unit"][int(np.argmax(keep))]
    units = table[f"{x}_unit"] if f"{x}_unit" in table.columns else []
    axes.set(xlabel=f"{x} ({units[0]})" if units else x, ylabel=f"{metric} ({unit})" if unit else metric)
    axes.legend()
    return axes


# Of Student's t, the 97.5 % quantiles for 1 to 30 degrees of freedom and for some more: the table
# that reports use.
_QUANTILES = (
    "12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 2.201 2.179 2.160 2.145 2.131 2.120 2.110 2.101 "
    "2.093 2.086 2.080 2.074 2.069 2.064 2.060 2.056 2.052 2.048 2.045 2.042 2.000 1.980 1.960"
)


def _estimate(sample: NDArray[np.float64]) -> tuple[float, float]:
    """The mean of a sample and half the width of its 95 % interval: 0 of one value, no number of
    none."""
    count = len(sample)
    if count < 2:
        return (float(sample[0]), 0.0) if count else (np.nan, np.nan)
    # Between the entries the quantile is linear in 1 / degrees of freedom.
    known = [1 / freedom for freedom in [*range(1, 31), 60, 120]] + [0.0]
    quantiles = [float(quantile) for quantile in _QUANTILES.split()]
    quantile = np.interp(1 / (count - 1), known[::-1], quantiles[::-1])
    return float(sample.mean()), float(quantile * sample.std(ddof=1) / np.sqrt(count))


def _number(results: Results, name: str, value: Any) -> Any:
    """The value as its column has it: a text of the file, such as "50 Gb/s", as the number that it
    is."""
    (axis,) = (axis for axis in results.manifest["experiment"]["axes"] if axis["name"] == name)
    known = {each["text"]: each["number"] for each in axis["values"] if axis["is_number"]}
    return known.get(value, value) if isinstance(value, str) else value


def _first(column: Any, keep: NDArray[np.bool_]) -> Any:
    return np.array(column)[keep].tolist()[0]


def _values(column: Any, keep: NDArray[np.bool_]) -> str:
    return ", ".join(map(repr, dict.fromkeys(np.array(column)[keep].tolist())))
