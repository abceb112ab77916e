"""Writes the hardware's release, and tries it with FuseSoC; `packaging/rtl` calls it.

    packaging/rtl.py FOLDER

Equal sources make equal bytes.
"""

import fnmatch
import gzip
import io
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "rtl"))
from flow import cores  # noqa: E402

REPOSITORY = "https://github.com/forebay/forebay"
# What of a core's folder a user needs: not how we prove, test and measure it.
SHIPPED = ("*.core", "*.sv", "*.h", "*.vlt", "wave*.json")
# All that may be in the release.
EXPECTED = ("README.md", "LICENSE-MIT", "LICENSE-APACHE", "docs/rtl-*.md", "*/*.f", *(f"*/{one}" for one in SHIPPED))
LINK = re.compile(r"(\]\()([^()\s]+)(\))")
README = """# Forebay's hardware {version}

Priority queues, schedulers and a buffer manager in SystemVerilog, each in lockstep with a model in
Rust, proved and synthesized. [The interfaces](docs/rtl-interfaces.md) are described first: handshakes,
reset, parameters; then each core on a page of its own.

| core | what it is | page |
|---|---|---|
{table}

With [FuseSoC](https://fusesoc.readthedocs.io) 2.4 and Verilator 5:

```sh
fusesoc library add forebay {folder}
fusesoc run --target=lint forebay:rtl:bbq --Levels=3 --SlotBits=12
```

Begin with a core's example, such as `bbq/bbq_example.sv`. Your own core depends on
`forebay:rtl:bbq:{version}`. Without FuseSoC, each core's list has its files in the
order in which they compile, from this folder:

```sh
verilator --lint-only --timing lint/waivers.vlt -f bbq/bbq.f --top-module bbq
```

Tests, proofs, models and the flow that measures area and clock are in the
[repository]({repository}), where `make rtl-test CORE=bbq` repeats them. Use it under the terms of
LICENSE-MIT or of LICENSE-APACHE, as you like.
"""


def version() -> str:
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def descriptions() -> dict[str, str]:
    """What each core is, by its name; all must be of the release's version."""
    found = {}
    for path in sorted((ROOT / "rtl").glob("*/*.core")):
        name, what = (re.search(rf"^{key}: (.*)$", path.read_text(), re.MULTILINE)[1] for key in ("name", "description"))
        if name != f"forebay:rtl:{path.stem}:{version()}":
            raise SystemExit(f"rtl: {path.relative_to(ROOT)} is called {name}, not forebay:rtl:{path.stem}:{version()}")
        found[path.stem] = what
    return found


def page(path: Path) -> str:
    """A page of the book, whose links lead to what is here, or to the repository."""
    def link(found: re.Match) -> str:
        target, mark, anchor = found[2].partition("#")
        name = posixpath.normpath(posixpath.join("docs", target))
        if re.match(r"^[a-z]+:", found[2]) or not target or fnmatch.fnmatch(name, "docs/rtl-*.md"):
            return found[0]
        kind = "tree" if (ROOT / name).is_dir() else "blob"
        return f"{found[1]}{REPOSITORY}/{kind}/v{version()}/{name}{mark}{anchor}{found[3]}"
    return LINK.sub(link, path.read_text())


def page_of(core: str) -> str:
    place = f"docs/rtl-{core.replace('_', '-')}.md"
    return f"[page]({place})" if (ROOT / place).exists() else "[page](docs/rtl-interfaces.md)"


def contents() -> dict[str, bytes]:
    """Every file of the release."""
    files = {name: (ROOT / name).read_bytes() for name in ("LICENSE-MIT", "LICENSE-APACHE")}
    told = descriptions()
    for core in told:
        for pattern in SHIPPED:
            for path in (ROOT / "rtl" / core).glob(pattern):
                files[f"{core}/{path.name}"] = path.read_bytes()
    for name, core in cores.load().items():
        files[f"{name}/{name}.f"] = "".join(f"{source}\n" for source in core.sources).encode()
    for path in (ROOT / "docs").glob("rtl-*.md"):
        files[f"docs/{path.name}"] = page(path).encode()
    table = "\n".join(f"| `{core}` | {what} | {page_of(core)} |" for core, what in told.items())
    text = README.format(version=version(), table=table, repository=REPOSITORY, folder=f"forebay-rtl-{version()}")
    return files | {"README.md": text.encode()}


def unexpected(names) -> list[str]:
    """What a hardware engineer does not need."""
    return [name for name in names if name.count("/") > 1 or not any(fnmatch.fnmatch(name, one) for one in EXPECTED)]


def write(files: dict[str, bytes], archive: Path, epoch: int) -> None:
    folder = archive.name.removesuffix(".tar.gz")
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as opened:
        for name in sorted(files):
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mtime, member.mode = len(files[name]), epoch, 0o644
            opened.addfile(member, io.BytesIO(files[name]))
    archive.write_bytes(gzip.compress(written.getvalue(), mtime=0))


def attempt(archive: Path) -> None:
    """Uses the archive as a stranger does."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
        library = folder / archive.name.removesuffix(".tar.gz")
        environment = os.environ | {"HOME": scratch, "XDG_CONFIG_HOME": scratch, "XDG_DATA_HOME": scratch}

        def run(*words: str, cwd: Path = folder) -> str:
            done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"rtl: {' '.join(words)}\n{done.stdout}{done.stderr}")
            return done.stdout

        run("fusesoc", "library", "add", "forebay", library.name)
        listed = set(re.findall(rf"forebay:rtl:(\w+):{re.escape(version())}\b", run("fusesoc", "core", "list")))
        if listed != descriptions().keys():
            raise SystemExit(f"rtl: FuseSoC finds {sorted(listed)}, there are {sorted(descriptions())}")
        linted = shutil.which("verilator")
        for name, core in cores.load().items():
            run("fusesoc", "run", "--target=lint", *([] if linted else ["--setup"]), f"forebay:rtl:{name}")
            if linted:
                run("verilator", "--lint-only", "--timing", "lint/waivers.vlt", "-f", f"{name}/{name}.f",
                    "--top-module", core.top, cwd=library)
        print(f"rtl: FuseSoC finds {len(listed)} cores and resolves what they need"
              + (", Verilator lints them" if linted else "; not linted, there is no Verilator"), file=sys.stderr)


def main() -> None:
    archive = Path(sys.argv[1]).resolve() / f"forebay-rtl-{version()}.tar.gz"
    archive.parent.mkdir(parents=True, exist_ok=True)
    files = contents()
    if more := unexpected(files):
        raise SystemExit(f"rtl: {', '.join(more)} would be shipped; nobody needs that")
    write(files, archive, int(os.environ["SOURCE_DATE_EPOCH"]))
    attempt(archive)
    print(f"rtl: {len(files)} files, {archive.stat().st_size:,} bytes", file=sys.stderr)
    print(archive)


if __name__ == "__main__":
    main()
