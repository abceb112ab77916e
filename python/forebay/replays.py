"""A real capture through a switch."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from ._forebay import replay_file
from .errors import CaptureError, ReplayError
from .quantities import Quantity, bits, listed, maybe, size, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._parameters import ReplayParameters
    from ._types import Rank

_Path = str | PathLike[str]


def replay(
    path: _Path,
    *,
    rate: Quantity | Sequence[Quantity],
    ports: int | None = None,
    routes: Mapping[str, int] | None = None,
    speed: float | None = None,
    load: float | None = None,
    switch: str = "drop-tail",
    tree: str | None = None,
    buffer: Quantity | None = None,
    mark: Quantity | None = None,
    rank: Rank | None = None,
    class_: str | None = None,
    classes: int | None = None,
    max_packets: int = 4_000_000,
    out: _Path | None = None,
    pcap: _Path | None = None,
    trace: _Path | None = None,
    trace_window: str = "..",
    trace_sample: int = 1,
    **parameters: Unpack[ReplayParameters],
) -> dict[str, Any]:
    """Drives a switch with the capture at ``path``; what ``forebay replay --json`` prints as its
    ``report``.

    ``rate`` is that of every port ("10G", or bits a second), or one for each; ``routes`` maps
    prefixes to ports. ``rank`` is the name of a rank function, an expression over header fields, or
    a function that is called with a named tuple of them for every packet; ``class_`` is an
    expression. ``tree`` is the text of a scheduling tree, for ``switch="tree"``. ``out``, ``pcap``
    and ``trace`` are files to write. ``parameters`` are those of the switch, as ``alpha=2`` or
    ``hbm={"rows": 4096}``.

    What a function raises ends the replay and is raised; the files then end somewhere. Raises
    ``ReplayError`` if a parameter does not fit, and ``CaptureError`` if the capture is cut or
    damaged. What was replayed all the same is that error's ``report``, the ``report`` of the
    ``KeyboardInterrupt`` of a replay that is stopped, and ``measured`` of the ``StoreError`` of a
    file that cannot be written to its end.
    """
    report, cut, notes, unwritten, interrupted = replay_file(
        fspath(path),
        settings={
            "rate": _rates(rate, ports),
            "routes": [f"{prefix}={port}" for prefix, port in (routes or {}).items()],
            "speed": speed,
            "load": load,
            "switch": switch,
            "tree": tree,
            "buffer": maybe(size, "buffer", buffer),
            "mark": maybe(size, "mark", mark),
            "rank": rank,
            "class_": class_,
            "classes": classes,
            "max_packets": max_packets,
            "out": _file(out),
            "pcap": _file(pcap),
            "trace": _file(trace),
            "trace_window": trace_window,
            "trace_sample": trace_sample,
            "parameters": parameters,
        },
    )
    for note in notes:
        warnings.warn(f"{fspath(path)}: {note}", stacklevel=2)
    seen: dict[str, Any] = json.loads(report)
    if interrupted is not None:
        interrupted.report = seen
        raise interrupted
    if unwritten is not None:
        unwritten.measured = seen
        raise unwritten
    if cut is not None:
        packet, text = cut
        error = CaptureError(text)
        error.report, error.packet = seen, packet
        raise error
    return seen


def _rates(rate: Quantity | Sequence[Quantity], ports: int | None) -> list[str]:
    """The rate of each port."""
    if ports is not None:
        ports = whole("ports", ports)
        if not 1 <= ports <= 65535:
            raise ReplayError(f"ports: a switch has between 1 and 65,535 ports, not {ports}")
    rates = [bits("rate", one) for one in listed(rate)]
    if isinstance(rate, (str, Real)):
        return rates * (1 if ports is None else ports)
    if ports is not None and len(rates) != ports:
        raise ReplayError(f"rate: {len(rates)} rates for {ports} ports; give one for all, or {ports}")
    return rates


def _file(path: _Path | None) -> str | None:
    return None if path is None else fspath(path)
