"""Executes the notebooks of the book: of every docs/notebooks/NAME.py it writes NAME.ipynb, with
outputs and charts.

    python notebooks.py [NAME …]

`make notebooks` runs it. Nothing that differs from one execution to the next is kept: no
identifiers drawn at random, no times, no version of the interpreter. So a notebook changes only
when its script or an output does.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbclient
import nbformat

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
#: Seconds that a cell may take.
CELL_SECONDS = 300
#: Charts as PNG, which every viewer shows; only errors are told.
KERNEL_OPTIONS = ["--InlineBackend.figure_formats=png", "--IPKernelApp.log_level=ERROR"]


def execute(script: Path) -> Any:
    """The notebook of a script, with outputs; in a folder that holds nothing but the
    experiments."""
    notebook = jupytext.read(script)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "experiments").symlink_to(ROOT / "experiments")
        nbclient.NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,
            extra_arguments=KERNEL_OPTIONS,
            resources={"metadata": {"path": folder}},
        ).execute()
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    for place, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{place}", {}
    return notebook


def main(names: list[str]) -> None:
    """Executes these notebooks, or all."""
    for script in sorted(NOTEBOOKS.glob("*.py")):
        if not names or script.stem in names:
            target = script.with_suffix(".ipynb")
            nbformat.write(execute(script), target)
            print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
