"""A bar that fills as runs finish: in a terminal, and in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable

#: Called with runs done, runs in all, and the label of the run begun last.
Progress = Callable[[int, int, str], object]

_WIDTH = 30


def choose(progress: Progress | bool | None, title: str) -> Progress | None:
    """What to call as runs finish; nothing where a bar would be seen by no one."""
    if progress is None:
        progress = _in_notebook() or sys.stderr.isatty()
    if progress is True:
        return _NotebookBar(title) if _in_notebook() else _TerminalBar(title)
    return progress or None


def _in_notebook() -> bool:
    # Only if IPython runs already: importing it would cost more than all the rest.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config


class _TerminalBar:
    """One line of stderr, written over itself."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __call__(self, done: int, total: int, label: str) -> None:
        filled = _WIDTH * done // max(total, 1)
        line = f"{'━' * filled}{'─' * (_WIDTH - filled)} {done}/{total} {label}"
        sys.stderr.write(f"\r\x1b[K{line[:100]}" + ("\n" if done == total else ""))
        sys.stderr.flush()


class _NotebookBar:
    """An HTML progress element that is updated in place."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.handle = None

    def __call__(self, done: int, total: int, label: str) -> None:
        from html import escape

        from IPython.display import HTML, display

        text = escape(f"{self.title}: {done} of {total} runs")
        shown = HTML(f'<progress value="{done}" max="{total}"></progress> {text}')
        if self.handle is None:
            self.handle = display(shown, display_id=True)
        else:
            self.handle.update(shown)
