"""Writes the stubs of the classes written in Rust, as they are compiled; `--check` says whether the file has them.

    make python-stubs

PyO3 notes names, signatures and documentation in the extension, and maturin reads them out. A type that no Rust type
tells stands as a text in the function's signature; what such a text names is imported from here, or from
`forebay/_types.py`.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from os.path import abspath
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
STUB = PACKAGE / "forebay" / "_forebay.pyi"
HEAD = "# Written by `make python-stubs` from the sources in `src`.\n"
#: Where names in texts come from, but for those of `_types`.
ELSEWHERE = {
    "Any": "from typing import Any",
    "ArrayLike": "from numpy.typing import ArrayLike",
    "Callable": "from collections.abc import Callable",
    "Literal": "from typing import Literal",
    "NDArray": "from numpy.typing import NDArray",
    "Sequence": "from collections.abc import Sequence",
    "SupportsIndex": "from typing import SupportsIndex",
    "Unpack": "from typing_extensions import Unpack",
    "np": "import numpy as np",
}


def written():
    """What maturin writes: it builds the extension first, if that is not done."""
    maturin = shutil.which("maturin", path=Path(sys.executable).parent) or "maturin"
    with tempfile.TemporaryDirectory() as out:
        command = [maturin, "generate-stubs", "--quiet", "--locked", "--interpreter", abspath(sys.executable), "--out", out]
        subprocess.run(command, cwd=PACKAGE, check=True)
        (file,) = Path(out).rglob("_forebay.pyi")
        return file.read_text()


def with_imports(text):
    """Takes texts out of their quotes and imports what they name."""
    named = set()

    def bare(found):
        named.update(re.findall(r"(?<!['\w.-])[A-Za-z_]\w*(?!['\w-])", found[2]))
        return found[1] + found[2]

    text = re.sub(r"""(: |-> )"([^"\n]+)"(?=[,)=: ])""", bare, text)
    types = (PACKAGE / "forebay" / "_types.py").read_text()
    ours = sorted(named & set(re.findall(r"^(?:class )?(\w+)(?: =|\()", types, re.MULTILINE)))
    known = [line for name, line in ELSEWHERE.items() if name in named]
    imports = [*known, "from ._types import " + ", ".join(ours)]
    first = text.index("from ")
    return HEAD + text[:first] + "\n".join(imports) + "\n" + text[first:]


def main():
    text = with_imports(written())
    if "--check" not in sys.argv:
        STUB.write_text(text)
    elif text != STUB.read_text():
        sys.exit(f"{STUB.name} is not what the sources say; run: make python-stubs")


if __name__ == "__main__":
    main()
