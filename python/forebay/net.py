"""Networks of hosts and switches, packet by packet: flows in, completion times out.

>>> import forebay as fb
>>> flows = fb.net.incast(hosts=8, degree=4, query="200 KB", per_second=500, span="5 ms")
>>> done = fb.net.run("star:8,10G,1us", flows, switch="occamy", buffer="100 KB")
>>> done.report["ended"]
'finished'
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from ._forebay import Table, incast_table, net_run, permutation_table, poisson_table
from .errors import RunError
from .quantities import Quantity, bits, listed, maybe, size
from .quantities import span as _span

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._parameters import NetRunParameters
    from ._types import Rank

__all__ = ["Run", "incast", "permutation", "poisson", "run"]

_Path = str | PathLike[str]
_COLUMNS = ("src", "dst", "bytes", "start_ps")


@dataclass(frozen=True)
class Run:
    """What a run measured."""

    #: The report of ``forebay net run --json``.
    report: dict[str, Any]
    #: A row for each flow, the columns of ``--out``; times in nanoseconds.
    flows: Table

    def __repr__(self) -> str:
        report = self.report
        return f"<Run: {report['ended']}, {report['finished']} of {report['flows']} flows finished>"

    def _repr_html_(self) -> str:
        from html import escape

        heads = list(self.report["classes"][0])
        cells = [[_shown(row[head]) for head in heads] for row in self.report["classes"]]
        head = "".join(f"<th>{escape(head)}</th>" for head in heads)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells)
        return f"<p>{escape(repr(self)[1:-1])}</p><table><tr>{head}</tr>{body}</table>"


def run(
    topology: _Path,
    flows: _Path | Any,
    *,
    switch: str = "drop-tail",
    tree: str | None = None,
    buffer: Quantity | None = None,
    mark: Quantity | None = None,
    rank: Rank | None = None,
    class_: str | None = None,
    threads: int = 1,
    seed: int = 1,
    give_up: Quantity | None = None,
    warm_up: Quantity = 0,
    max_timeouts: int = 16,
    fail: str | Sequence[str] = (),
    size_classes: Quantity | Sequence[Quantity] = (10_000, 100_000, 1_000_000, 10_000_000),
    top: int = 10,
    trace: _Path | None = None,
    trace_window: str = "..",
    trace_sample: int = 1,
    **parameters: Unpack[NetRunParameters],
) -> Run:
    """Runs ``flows`` through a network until every flow has finished, as ``forebay net run``.

    ``topology`` is a file or a shape ("leaf-spine:9x16x4,50G,200G,10us"). ``flows`` is a flow file,
    or anything with columns ``src``, ``dst``, ``bytes`` and ``start_ps``: a table of ``poisson``,
    ``incast`` or ``permutation``, a dictionary of arrays, a data frame. Sizes are in bytes and
    spans in picoseconds unless they are texts with units. ``tree`` is the text of a scheduling
    tree, for ``switch="tree"``. ``rank`` is the order of packets in a switch that ranks them
    (``pifo``, ``themis``, ``occamy-rank``): a rank function's name, a rule over ``now`` (ps),
    ``size``, ``flow``, ``input``, ``class`` and ``flow_size``, the smallest first, or a function
    that is called with a named tuple of these (``class_``) for every packet, and takes
    ``threads=1``. What it raises ends the run and is raised. ``class_`` is the class of a flow, a
    rule over ``src``, ``dst``, ``bytes``, ``start_ns`` and ``flow`` (its number), for switches that
    order by class (0 first), as ``strict-priority`` does.

    ``parameters`` are those of hosts, called as the options of the command (``control="dctcp"``,
    ``mss="8960 B"``), and those of the switch, as ``alpha=2`` or ``hbm={"rows": 4096}``: the
    signature names them all to type checkers, an error to everybody.

    Raises ``NetError`` if a parameter does not fit, ``RunError`` if flows cannot finish; its
    ``run`` has what was measured until then, and so has the ``KeyboardInterrupt`` of a run that is
    stopped. Where the trace cannot be written to its end, it is ``measured`` of the ``StoreError``.
    """
    # Those of a switch are a number.
    if not isinstance(parameters.get("classes", 1), int):
        raise TypeError("classes: the size classes of the report are `size_classes` now")
    report, table, problem, unwritten, interrupted = net_run(
        fspath(topology),
        fspath(flows) if isinstance(flows, (str, PathLike)) else _columns(flows),
        settings={
            "switch": switch,
            "tree": tree,
            "buffer": maybe(size, "buffer", buffer),
            "mark": maybe(size, "mark", mark),
            "rank": rank,
            "class_": class_,
            "threads": threads,
            "seed": seed,
            "give_up": maybe(_span, "give_up", give_up),
            "warm_up": _span("warm_up", warm_up),
            "max_timeouts": max_timeouts,
            "fail": [fail] if isinstance(fail, str) else list(fail),
            "size_classes": [size("size_classes", one) for one in listed(size_classes)],
            "top": top,
            "trace": None if trace is None else fspath(trace),
            "trace_window": trace_window,
            "trace_sample": trace_sample,
            "parameters": parameters,
        },
    )
    done = Run(json.loads(report), table)
    if interrupted is not None:
        interrupted.run = done
        raise interrupted
    if unwritten is not None:
        unwritten.measured = done
        raise unwritten
    if problem is not None:
        error = RunError(problem)
        error.run = done
        raise error
    return done


def poisson(
    *, hosts: int, load: float, rate: Quantity, sizes: _Path = "websearch", span: Quantity, seed: int = 1
) -> Table:
    """Flows between random hosts, each of which sends ``load`` of ``rate`` by a Poisson process
    until ``span``.

    ``sizes`` is "websearch", "hadoop", "wide-area", or a CSV file ``size_bytes,cum_prob``.
    """
    return poisson_table(hosts, load, bits("rate", rate), fspath(sizes), _span("span", span), seed)


def incast(*, hosts: int, degree: int, query: Quantity, per_second: float, span: Quantity, seed: int = 1) -> Table:
    """Every host asks ``degree`` others at once, ``per_second`` times a second by a Poisson process
    until ``span``.

    ``query`` is what the responses have together.
    """
    return incast_table(hosts, degree, size("query", query), per_second, _span("span", span), seed)


def permutation(*, hosts: int, bytes: Quantity, seed: int = 1) -> Table:
    """Every host sends ``bytes`` to one other, at time 0."""
    return permutation_table(hosts, size("bytes", bytes), seed)


def _columns(flows: Any) -> tuple[Any, ...]:
    try:
        return tuple(flows[name] for name in _COLUMNS)
    except (KeyError, TypeError, IndexError) as error:
        names = ", ".join(_COLUMNS)
        raise TypeError(f"flows: expected a file, or columns {names}; {type(flows).__name__} has no such") from error


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
