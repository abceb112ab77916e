"""A real capture through a switch."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from ._forebay import replay_file
from .errors import CaptureError

_Path = str | PathLike[str]
_Size = str | int


def replay(
    path: _Path,
    *,
    rate: _Size | Sequence[_Size],
    ports: int | None = None,
    routes: Mapping[str, int] | None = None,
    speed: float | None = None,
    load: float | None = None,
    switch: str = "drop-tail",
    buffer: _Size | None = None,
    mark: _Size | None = None,
    rank: str | None = None,
    class_: str | None = None,
    classes: int | None = None,
    max_packets: int = 4_000_000,
    out: _Path | None = None,
    pcap: _Path | None = None,
    trace: _Path | None = None,
    trace_window: str = "..",
    trace_sample: int = 1,
) -> dict[str, Any]:
    """Drives a switch with the capture at ``path``; the report of ``forebay replay --json``.

    ``rate`` is that of every port ("10G", or bits a second), or one for each; ``routes`` maps prefixes to ports.
    ``rank`` and ``class_`` are expressions over header fields. ``out``, ``pcap`` and ``trace`` are files to write.

    Raises ``CaptureError`` if the capture is cut or damaged, whose ``report`` is that of what came before.
    """
    single = isinstance(rate, (str, int))
    rates = [_bits(rate)] * (1 if ports is None else ports) if single else [_bits(one) for one in rate]
    if ports is not None and len(rates) != ports:
        raise ValueError(f"rate: {len(rates)} rates for {ports} ports; give one for all, or {ports}")
    report, cut, notes = replay_file(
        fspath(path),
        rates=rates,
        routes=[f"{prefix}={port}" for prefix, port in (routes or {}).items()],
        speed=speed,
        load=load,
        switch=switch,
        buffer=_bytes(buffer),
        mark=_bytes(mark),
        rank=rank,
        class_=class_,
        classes=classes,
        max_packets=max_packets,
        out=_file(out),
        pcap=_file(pcap),
        trace=_file(trace),
        trace_window=trace_window,
        trace_sample=trace_sample,
    )
    for note in notes:
        warnings.warn(f"{fspath(path)}: {note}", stacklevel=2)
    seen: dict[str, Any] = json.loads(report)
    if cut is not None:
        packet, text = cut
        error = CaptureError(text)
        error.report, error.packet = seen, packet
        raise error
    return seen


def _bits(rate: _Size) -> str:
    return f"{rate} b/s" if isinstance(rate, int) else rate


def _bytes(size: _Size | None) -> str | None:
    return f"{size} B" if isinstance(size, int) else size


def _file(path: _Path | None) -> str | None:
    return None if path is None else fspath(path)
