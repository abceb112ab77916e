"""The exceptions of the package. Each carries the text that the command would print."""

from __future__ import annotations

from typing import Any


class ForebayError(Exception):
    """What every exception of the package derives from."""


class InternalError(ForebayError):
    """A defect of Forebay itself; nothing that was finished is lost."""


class ShapeError(ForebayError, ValueError):
    """A structure cannot have the size or the parameters asked for."""


class Refused(ForebayError):
    """A queue did not take an element; the queue is as it was.

    The attributes are those of the refused element. ``popped`` is set by ``replace``, whose pop has then
    taken place all the same.
    """

    #: Why: ``full``, ``rank-too-large``, ``below-window``, ``beyond-window``, ``no-such-partition``,
    #: ``not-admitted``, ``beyond-horizon``, ``already-queued``, ``id-too-large``, ``no-memory``.
    reason: str = ""
    #: The rank it came with.
    rank: int = 0
    #: The element itself.
    item: Any = None
    #: Its place in the batch, if it came in one; what stood before it was taken.
    index: int | None = None
    #: What ``replace`` popped before, as a pair of rank and item.
    popped: tuple[int, Any] | None = None
