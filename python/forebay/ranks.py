"""Rank functions of one's own, under names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from ._forebay import add_rank

#: Values that a function may refer to, and that say the same in every process.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def register_rank(
    name: str, function: Callable[[Any], int], *, about: str | None = None, version: str | None = None
) -> None:
    """Puts a Python function among the rank functions: from then on it is one wherever they are
    named.

    That is ``switch.rank = "name"`` in an experiment, ``rank="name"`` of ``Switch``, ``Scheduler``,
    ``replay`` and ``net.run``; and the name is a switch and a scheduler of its own, as those of
    other rank functions are. The function is called with a named tuple of ``now``, ``size``,
    ``flow``, ``input``, ``class_`` and ``flow_size``, and answers a whole number from 0 to 2**64 -
    1; the smallest leaves first. It must depend on nothing else: experiments run it on several
    threads, and one run's answers must not change another's.

    Results are stored under ``version``, too, so that those of a changed function are computed
    anew. By default it is a digest of the function's code and of the numbers, texts and functions
    that it refers to; a function that refers to anything else, such as an array or a module that is
    not Python's own, needs a version. Called again, it replaces the function of this name; what was
    loaded before keeps the former one.

    >>> import forebay as fb
    >>> fb.register_rank("small-packets-first", lambda packet: packet.size)
    >>> switch = fb.Switch("pifo", ["10G"], rank="small-packets-first")
    """
    if not callable(function):
        raise TypeError(f"function: expected a function, got {type(function).__name__}")
    if version is None:
        version = _digest(function)
    written = (about or getattr(function, "__doc__", None) or "").strip() or "a Python function"
    add_rank(name, function, written.splitlines()[0], version)


def _digest(function: Callable[[Any], int]) -> str:
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        raise TypeError(f"version: a {kind} does not show its code; give a version, which changes whenever its answers do")
    digest = blake2b(digest_size=8)
    for part in _parts(function, set()):
        digest.update(f"{len(part)}:{part}".encode())
    return digest.hexdigest()


def _parts(function: FunctionType, seen: set[int]) -> Iterator[str]:
    """What decides a function's answers: its code, and the plain values and functions of Python
    that it refers to."""
    seen.add(id(function))
    yield from _code(function.__code__)
    for name, value in _referred(function):
        if isinstance(value, FunctionType):
            if id(value) not in seen:
                yield from _parts(value, seen)
        elif (text := _plain(value)) is not None:
            yield text
        elif not _is_pythons(value):
            kind = type(value).__name__
            raise TypeError(
                f"version: the function refers to `{name}`, and a digest does not see into a {kind}; "
                "give a version, which changes whenever its answers do"
            )


def _referred(function: FunctionType) -> Iterator[tuple[str, Any]]:
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        if _is_full(cell):
            yield name, cell.cell_contents
    for name in sorted(_names(code)):
        if name in function.__globals__:
            yield name, function.__globals__[name]
    for value in function.__defaults__ or ():
        yield "a default", value
    yield from (function.__kwdefaults__ or {}).items()


def _is_pythons(value: Any) -> bool:
    """Whether this comes with Python: it changes with the version of Python only."""
    if isinstance(value, ModuleType):
        return value.__name__.partition(".")[0] in sys.stdlib_module_names
    if isinstance(value, (type, BuiltinFunctionType)):
        return (value.__module__ or "builtins").partition(".")[0] in sys.stdlib_module_names
    return False


def _is_full(cell: Any) -> bool:
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _names(code: CodeType) -> set[str]:
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*(_names(one) for one in inner))


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield _plain(constant) or type(constant).__name__


def _plain(value: Any) -> str | None:
    """A value that says the same in every process, as a text."""
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, (tuple, list, set, frozenset)):
        parts = [part for one in value if (part := _plain(one)) is not None]
        if len(parts) < len(value):
            return None
        ordered = sorted(parts) if isinstance(value, (set, frozenset)) else parts
        return f"{type(value).__name__}({', '.join(ordered)})"
    if isinstance(value, dict):
        return _plain([pair for item in value.items() for pair in item])
    return None
