"""Writes the stubs of the classes written in Rust, as they are compiled, and what their keyword
arguments may be; `--check` says whether the files have them.

    make python-stubs

PyO3 notes names, signatures and documentation in the extension, and maturin reads them out. A type
that no Rust type tells stands as a text in the function's signature; what such a text names is
imported from here, or from `forebay/_types.py`. Keyword arguments are the parameters that the
engine declares, with the kinds that it declares: `forebay/_parameters.py` has them as dictionaries.
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
PARAMETERS = PACKAGE / "forebay" / "_parameters.py"
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
    "TypedDict": "from typing import TypedDict",
    "Unpack": "from typing_extensions import Unpack",
    "np": "import numpy as np",
}


def written():
    """What maturin writes: it builds the extension first, if that is not done."""
    maturin = shutil.which("maturin", path=Path(sys.executable).parent) or "maturin"
    with tempfile.TemporaryDirectory() as out:
        command = [maturin, "generate-stubs", "--quiet", "--locked", "--no-default-features", "--interpreter", abspath(sys.executable), "--out", out]
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
    first = text.index("from ")
    return HEAD + text[:first] + "\n".join([*imports(named), *ours(named, "_parameters", "_types")]) + "\n" + text[first:]


def imports(named):
    """Lines that import these names, as far as they come from elsewhere."""
    return [line for name, line in ELSEWHERE.items() if name in named]


def ours(named, *modules):
    """Lines that import these names from modules of the package."""
    for module in modules:
        text = (PACKAGE / "forebay" / f"{module}.py").read_text()
        defined = set(re.findall(r"^(?:class )?(\w+)(?: =|\()", text, re.MULTILINE))
        if named & defined:
            yield f"from .{module} import " + ", ".join(sorted(named & defined))


def dictionaries():
    """The dictionaries of keyword arguments, from the extension that is built."""
    sys.path.insert(0, str(PACKAGE))
    from forebay._forebay import parameter_types

    classes, named = [], {"TypedDict"}
    for name, about, entries in parameter_types():
        lines = [f"    {entry}: {of}" for entry, of in entries]
        classes.append(f'class {name}(TypedDict, total=False):\n    """{about}"""\n\n' + "\n".join(lines) + "\n")
        named.update(word for _, of in entries for word in re.findall(r"\w+", re.sub(r'"[^"]*"', "", of)))
    head = ['"""What keyword arguments may be."""\n', *sorted(imports(named)), "", *ours(named, "_types")]
    return HEAD + "\n".join(head) + "\n\n\n" + "\n\n".join(classes)


def main():
    for file, write in [(PARAMETERS, dictionaries), (STUB, lambda: with_imports(written()))]:
        text = write()
        if "--check" not in sys.argv:
            file.write_text(text)
        elif not file.exists() or text != file.read_text():
            sys.exit(f"{file.name} is not what the sources say; run: make python-stubs")


if __name__ == "__main__":
    main()
