"""A bar that fills as runs finish: in a terminal, and in a notebook."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any

#: Called with runs done, runs in all, and the label of the run begun last.
Progress = Callable[[int, int, str], object]
#: The same and how much of all is done, from 0 to 1, with what is done of runs that are not
#: finished.
Shown = Callable[[int, int, str, float], object]

_WIDTH = 30


def choose(progress: Progress | bool | None, title: str) -> Shown | None:
    """What to call as runs finish; nothing where a bar would be seen by no one."""
    if progress is None:
        progress = _in_notebook() or sys.stderr.isatty()
    if progress is True:
        return _NotebookBar(title) if _in_notebook() else _TerminalBar()
    if progress is False:
        return None
    told = progress
    return lambda done, total, label, share: told(done, total, label)


def _in_notebook() -> bool:
    # Only if IPython runs already: importing it would cost more than all the rest.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config


class _TerminalBar:
    """One line of stderr, written over itself; never longer than the terminal is wide."""

    def __call__(self, done: int, total: int, label: str, share: float) -> None:
        filled = int(_WIDTH * share)
        counted = f"{done}/{total}" if done == total else f"{done}/{total} ({100 * share:.0f} %)"
        line = f"{'━' * filled}{'─' * (_WIDTH - filled)} {counted} {label}"
        # One column less: some terminals go on to the next line when the last is filled.
        columns = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{line[:columns]}" + ("\n" if done == total else ""))
        sys.stderr.flush()


class _NotebookBar:
    """An HTML progress element that is updated in place."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.handle: Any = None

    def __call__(self, done: int, total: int, label: str, share: float) -> None:
        from html import escape
        from importlib import import_module

        shell = import_module("IPython.display")
        text = escape(f"{self.title}: {done} of {total} runs")
        shown = shell.HTML(f'<progress value="{share:.3f}" max="1"></progress> {text}')
        if self.handle is None:
            self.handle = shell.display(shown, display_id=True)
        else:
            self.handle.update(shown)
