"""The notebooks of the book run, what they state holds, and what is stored of them is what they
print today."""

import base64
import runpy
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
#: Bytes of a stored notebook at most.
LARGEST = 300_000

each_notebook = pytest.mark.parametrize("script", sorted(NOTEBOOKS.glob("*.py")), ids=lambda script: script.stem)


def stored(script):
    """The executed notebook beside a script."""
    return pytest.importorskip("nbformat").read(script.with_suffix(".ipynb"), as_version=4)


def outputs(notebook, kind):
    """The outputs of a kind, in their order."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [output for cell in cells for output in cell.outputs if output.output_type == kind]


@each_notebook
def test_it_runs_and_prints_what_is_stored(script, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiments").symlink_to(NOTEBOOKS.parents[1] / "experiments")
    runpy.run_path(str(script))
    __import__("matplotlib.pyplot").pyplot.close("all")
    printed = capsys.readouterr().out
    assert printed
    assert printed == "".join(output.text for output in outputs(stored(script), "stream")), "stale: make notebooks"


@each_notebook
def test_it_is_stored_as_executed(script):
    written = pytest.importorskip("jupytext").read(script)
    notebook = stored(script)
    sources = [(cell.cell_type, cell.source) for cell in written.cells]
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == sources, "stale: make notebooks"
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    assert not outputs(notebook, "error")
    shown = outputs(notebook, "display_data") + outputs(notebook, "execute_result")
    assert not any(" at 0x" in output.data.get("text/plain", "") for output in shown), "it differs each time"
    charts = [base64.b64decode(output.data["image/png"]) for output in shown if "image/png" in output.data]
    assert charts and all(chart.startswith(b"\x89PNG") for chart in charts)
    assert script.with_suffix(".ipynb").stat().st_size < LARGEST
