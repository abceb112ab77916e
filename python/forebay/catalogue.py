"""The experiments in a folder."""

from __future__ import annotations

from pathlib import Path

from ._forebay import Experiment


def _shipped() -> Path:
    """The experiments that the package carries, or those of the checkout that it is used in."""
    carried = Path(__file__).parent / "shipped" / "experiments"
    return carried if carried.is_dir() else Path(__file__).parents[2] / "experiments"


def experiments(folder: str | Path | None = None) -> list[Experiment]:
    """Every experiment file under ``folder``, in order of path. Without one, those of the folder
    ``experiments`` here, or, where there is none, those that the package carries.

    >>> import forebay as fb
    >>> [found.title for found in fb.experiments("no/such/folder")]
    Traceback (most recent call last):
        ...
    FileNotFoundError: no/such/folder is no folder; give that of the experiments, as in experiments("experiments")
    """
    usual = Path("experiments")
    place = Path(folder) if folder is not None else usual if usual.is_dir() else _shipped()
    if not place.is_dir():
        raise FileNotFoundError(
            f'{place} is no folder; give that of the experiments, as in experiments("experiments")'
        )
    # What `forebay reproduce` reads says which experiments there are, and is none.
    files = sorted(file for file in place.rglob("*.toml") if file.name != "reproduce.toml")
    return [Experiment.load(file) for file in files]
