"""Quantities with units as the engine reads them: texts like "10G", "16 KiB" and "2 us", or whole
numbers."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from operator import index
from typing import Any

#: A size in bytes, a rate in bits a second, a span in picoseconds; or a text with its unit.
Quantity = str | int


def listed(value: Any) -> list[Any]:
    """Several, or one alone."""
    return [value] if isinstance(value, (str, Real)) else list(value)


def whole(name: str, value: Any) -> int:
    """A whole number, of any type that has them."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {type(value).__name__}") from None


def bits(name: str, rate: Any) -> str:
    """A rate, of which a bare number is in bits a second."""
    return _text(name, rate, "b/s", "bits a second, or a text such as '10G'")


def size(name: str, value: Any) -> str:
    """A size, of which a bare number is in bytes."""
    return _text(name, value, "B", "bytes, or a text such as '100 KB'")


def span(name: str, value: Any) -> str:
    """A span of time, of which a bare number is in picoseconds."""
    return _text(name, value, "ps", "picoseconds, or a text such as '2 us'")


def maybe(read: Callable[[str, Any], str], name: str, value: Any) -> str | None:
    """The same of what may be left out."""
    return None if value is None else read(name, value)


def _text(name: str, value: Any, unit: str, expected: str) -> str:
    if isinstance(value, str):
        return value
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else index(value)
    except TypeError:
        got = repr(value) if isinstance(value, Real) else type(value).__name__
        raise TypeError(f"{name}: expected whole {expected}, got {got}") from None
    if isinstance(value, bool):
        raise TypeError(f"{name}: expected whole {expected}, got {value}")
    return f"{number} {unit}"
