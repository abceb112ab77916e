"""Which edits `make golden` notices; with stand-ins for the tools, in a tree of their own."""

import os
import subprocess

import pytest
from flow.cores import RTL

# As cargo: what is built follows from every source, however deep.
MATURIN = """#!/bin/sh
while [ "$1" != --out ]; do shift; done
mkdir -p "$2"
find {root}/crates -name '*.rs' -exec cat {} + >"$2/forebay.whl"
grep -q 'does not compile' "$2/forebay.whl" && { echo 'error: no'; exit 1; }
exit 0
"""
PIP = '#!/bin/sh\necho "$@" >>{root}/installed\n'
NOTHING = "#!/bin/sh\n"


@pytest.fixture
def tree(tmp_path):
    """A virtual environment that is installed, and one deep source."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    scripts = {"maturin": MATURIN, "pip": PIP, "python": NOTHING, "cargo": NOTHING}
    for name, script in scripts.items():
        path = tmp_path / "venv" / "bin" / name
        path.write_text(script.replace("{root}", str(tmp_path)))
        path.chmod(0o755)
    (tmp_path / "venv" / ".installed").touch()
    deep = tmp_path / "crates" / "pifo" / "src" / "hardware" / "pieo" / "queue.rs"
    deep.parent.mkdir(parents=True)
    deep.write_text("// as it was\n")
    return tmp_path, deep


def make(root):
    """`make test`, and how often something has been installed until now."""
    # The make that runs the tests is another one.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    environment["PATH"] = f"{root / 'venv' / 'bin'}{os.pathsep}{environment['PATH']}"
    command = ["make", "-C", RTL, f"ROOT={root}", f"VENV={root / 'venv'}", "test"]
    done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
    installed = root / "installed"
    return done, len(installed.read_text().splitlines()) if installed.exists() else 0


def test_a_deep_edit_is_installed_and_nothing_else_is(tree):
    root, deep = tree
    counts = [make(root)[1], make(root)[1]]
    deep.touch()
    counts.append(make(root)[1])
    deep.write_text("// edited\n")
    counts += [make(root)[1], make(root)[1]]
    assert counts == [1, 1, 1, 2, 2]


def test_what_does_not_compile_fails_and_says_why(tree):
    root, deep = tree
    make(root)
    deep.write_text("does not compile\n")
    done, count = make(root)
    assert done.returncode != 0 and "error: no" in done.stderr and count == 1
    deep.write_text("// as it was\n")
    done, count = make(root)
    assert done.returncode == 0 and count == 1
