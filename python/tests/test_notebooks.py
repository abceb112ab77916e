"""The notebooks of the book run, and what they state holds."""

import runpy
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("file", sorted(NOTEBOOKS.glob("*.py")), ids=lambda file: file.stem)
def test_notebook(file, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").symlink_to(NOTEBOOKS.parents[1] / "experiments")
    runpy.run_path(str(file))
    assert capsys.readouterr().out
    pyplot = __import__("matplotlib.pyplot").pyplot
    pyplot.close("all")
