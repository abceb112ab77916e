"""The experiments in a folder."""

from __future__ import annotations

from pathlib import Path

from ._forebay import Experiment


def experiments(folder: str | Path = "experiments") -> list[Experiment]:
    """Every experiment file under ``folder``, in order of path.

    >>> import forebay as fb
    >>> [found.title for found in fb.experiments("no/such/folder")]
    Traceback (most recent call last):
        ...
    FileNotFoundError: no/such/folder is no folder; give that of the experiments, as in experiments("experiments")
    """
    place = Path(folder)
    if not place.is_dir():
        raise FileNotFoundError(
            f'{place} is no folder; give that of the experiments, as in experiments("experiments")'
        )
    # What `forebay reproduce` reads says which experiments there are, and is none.
    files = sorted(file for file in place.rglob("*.toml") if file.name != "reproduce.toml")
    return [Experiment.load(file) for file in files]
