"""The exceptions of the package. Each carries the text that the command would print."""

from __future__ import annotations

from typing import Any


class ForebayError(Exception):
    """What every exception of the package derives from."""


class InternalError(ForebayError):
    """A defect of Forebay itself; nothing that was finished is lost."""


class ShapeError(ForebayError, ValueError):
    """A structure cannot have the size or the parameters asked for."""


class ConfigError(ForebayError, ValueError):
    """An experiment file or a change of it is wrong: every problem, with its line and its fix."""


class StoreError(ForebayError, OSError):
    """A results folder or a file that is written cannot be used: not writable, full, or damaged."""

    #: Of a file that could not be written to its end, what the call would have answered. None if
    #: nothing was done.
    measured: Any = None


class InUseError(StoreError):
    """Another program writes to the results folder."""


class RunError(ForebayError):
    """A run failed; what finished is stored and will be reused."""

    #: What ``net.run`` measured until then; None of an experiment.
    run: Any = None


class ResultsError(ForebayError):
    """A folder holds no finished results."""


class SweepError(ForebayError):
    """Workers left runs undone; what finished is stored and will be reused."""


class CaptureError(ForebayError, ValueError):
    """A capture cannot be read, or not to its end."""

    #: What was replayed of one that is cut or damaged: what ``replay`` would have answered. None if
    #: nothing was.
    report: dict[str, Any] | None = None
    #: The packet that is not whole, counted from 1 in the capture. None if nothing was replayed.
    packet: int | None = None


class ReplayError(ForebayError, ValueError):
    """A capture cannot be replayed so: a parameter does not fit."""


class NetError(ForebayError, ValueError):
    """A network cannot be run so: a parameter does not fit, or a file does not read."""


class ExpressionError(ForebayError, ValueError):
    """A text is no expression."""

    #: Where, in characters from 1.
    column: int = 0


class RuleError(ForebayError, ValueError):
    """A function that was given as a rule has answered something that the rule cannot be."""


class Refused(ForebayError):
    """A queue did not take an element; the queue is as it was.

    The attributes are those of the refused element. ``popped`` is set by ``replace``, whose pop has
    then taken place all the same.
    """

    #: Why: ``full``, ``rank-too-large``, ``below-window``, ``beyond-window``,
    #: ``no-such-partition``, ``not-admitted``, ``beyond-horizon``, ``already-queued``,
    #: ``id-too-large``, ``no-memory``.
    reason: str = ""
    #: The rank it came with.
    rank: int = 0
    #: The element itself.
    item: Any = None
    #: Its place in the batch, if it came in one; what stood before it was taken.
    index: int | None = None
    #: What ``replace`` popped before, as a pair of rank and item.
    popped: tuple[int, Any] | None = None
