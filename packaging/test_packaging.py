"""Tests of what packages are made and checked with, without a build: that they notice."""

import importlib.machinery
import importlib.util
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# No __pycache__ beside the programs.
sys.dont_write_bytecode = True
import carried  # noqa: E402
import oci  # noqa: E402

try:
    import tomllib
except ModuleNotFoundError:
    tomllib = None
try:
    import rtl
except ModuleNotFoundError:  # PyYAML or tomllib
    rtl = None


def script(name: str):
    """A program without a suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)


class Image(Scratch):
    def packed(self, name: str) -> Path:
        tree = self.folder / "tree"
        (tree / "bin").mkdir(parents=True, exist_ok=True)
        (tree / "bin/program").write_text("x")
        (tree / "bin/program").chmod(0o755)
        (tree / "work").mkdir(exist_ok=True)
        (tree / "work").chmod(0o1777)
        if not (tree / "work/link").is_symlink():
            (tree / "work/link").symlink_to("../bin")
        oci.pack(tree, "1.2.3", 1_000_000_000, self.folder / name)
        return self.folder / name

    def test_equal_input_makes_equal_bytes(self):
        self.assertEqual(self.packed("a").read_bytes(), self.packed("b").read_bytes())

    def test_what_was_packed_is_unpacked(self):
        configuration = oci.unpack(self.packed("a"), self.folder / "out")
        self.assertEqual(configuration["config"]["Entrypoint"], ["/bin/forebay"])
        out = self.folder / "out"
        self.assertEqual((out / "work/link/program").read_text(), "x")
        self.assertEqual(((out / "bin/program").stat().st_mode & 0o7777, (out / "work").stat().st_mode & 0o7777),
                         (0o755, 0o1777))

    def test_an_image_that_was_changed_is_noticed(self):
        path = self.packed("a")
        whole = path.read_bytes()
        at = whole.index(b'"WorkingDir": "/work"')
        path.write_bytes(whole[:at] + whole[at:].replace(b"/work", b"/mork", 1))
        with self.assertRaisesRegex(SystemExit, "another content"):
            oci.unpack(path, self.folder / "out")


class Carried(Scratch):
    LICENCES = [f"p/licences/{name}" for name in carried.LICENCES]

    def wheel(self, *names: str) -> list[str]:
        (self.folder / "experiments").mkdir(exist_ok=True)
        (self.folder / "experiments/a.toml").write_text("")
        path = self.folder / "one.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.writestr(name, "")
        return carried.wrong(path, self.folder / "experiments", "p/experiments")

    def test_what_lacks_and_what_is_too_much(self):
        self.assertEqual(self.wheel("p/experiments/a.toml", *self.LICENCES), [])
        self.assertEqual(self.wheel(*self.LICENCES), ["one.whl lacks p/experiments/a.toml"])
        self.assertIn("one.whl lacks p/licences/THIRD-PARTY.txt", self.wheel("p/experiments/a.toml"))
        self.assertEqual(self.wheel("p/experiments/a.toml", "p/__pycache__/a.pyc", *self.LICENCES),
                         ["one.whl carries p/__pycache__/a.pyc"])

    def test_the_folder_around_sources_does_not_count(self):
        path = self.folder / "one.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            archive.addfile(tarfile.TarInfo("one-1.0/a/b"), io.BytesIO())
        self.assertEqual(carried.members(path), {"a/b"})


@unittest.skipUnless(tomllib, "the package for Debian is read with Python 3.11")
class Debian(unittest.TestCase):
    def setUp(self):
        self.manifest = HERE.parent / "crates/cli/Cargo.toml"
        self.says = tomllib.loads(self.manifest.read_text())["package"]["metadata"]["deb"]

    def test_what_it_is_made_of_is_in_the_sources_or_gathered(self):
        script = (HERE / "deb").read_text()
        shells = re.search(r"for shell in (.*); do", script)[1].split()
        for source, _, _ in self.says["assets"]:
            if source.startswith("../../target/deb/"):
                name = Path(source).relative_to("../../target/deb").parts[0]
                self.assertTrue(name in shells or f'"$gathered/{name}"' in script, f"packaging/deb does not gather {name}")
            else:
                self.assertTrue(list((self.manifest.parent / source.partition("*")[0]).parent.glob("*")), source)

    def test_its_licence_is_ours(self):
        path, _ = self.says["license-file"]
        text = (self.manifest.parent / path).read_text()
        for line in (HERE.parent / "LICENSE-MIT").read_text().splitlines():
            self.assertIn(f"\n {line or '.'}\n", text)


class Licences(Scratch):
    def package(self, name: str, licence: str, **files: str) -> dict:
        for file, text in {"Cargo.toml": "", **files}.items():
            path = self.folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return {"name": name, "version": "1.0.0", "license": licence, "authors": [],
                "manifest_path": str(self.folder / name / "Cargo.toml")}

    def test_a_text_stands_once_and_a_choice_is_made(self):
        licences = script("licences")
        both = self.package("both", "MIT OR Apache-2.0", **{"LICENSE-MIT": "mit", "LICENSE-APACHE": "long"})
        same = self.package("same", "MIT", LICENSE="mit", **{"c/COPYING": "foreign", "src/license.rs": "code"})
        text = licences.written([both, same])
        self.assertEqual((text.count("\nmit\n"), text.count("foreign"), text.count("long"), text.count("code")),
                         (1, 1, 0, 0))
        self.assertIn("both 1.0.0, same 1.0.0", text)

    def test_what_only_builds_or_tests_is_not_linked(self):
        def needs(*pairs):
            return [{"pkg": name, "dep_kinds": [{"kind": kind}]} for name, kind in pairs]
        metadata = {"resolve": {"nodes": [{"id": "a", "deps": needs(("b", None), ("c", "dev"), ("d", "build"))},
                                          {"id": "b", "deps": needs(("a", None))}]}}
        self.assertEqual(script("licences").linked(metadata, "a"), {"a", "b"})


class Notes(unittest.TestCase):
    def notes(self, version: str) -> subprocess.CompletedProcess:
        return subprocess.run([HERE / "notes", version], capture_output=True, text=True, check=False)

    def test_a_release_has_notes(self):
        done = self.notes("v0.1.0")
        if re.search(r"^## Unreleased\n+[^#\n]", (HERE.parent / "CHANGELOG.md").read_text().replace("### ", ""), re.MULTILINE):
            self.assertRegex(done.stderr, "changes under")
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("### Added", done.stdout)
        self.assertNotIn("\n## ", done.stdout)

    def test_another_version_than_the_sources_is_refused(self):
        self.assertRegex(self.notes("9.9.9").stderr, "Cargo.toml is of another version than 9.9.9")
        self.assertEqual(self.notes("0.1").returncode, 1)


@unittest.skipUnless(rtl, "the hardware's release needs Python 3.11 and PyYAML")
class Hardware(Scratch):
    def test_it_has_what_an_engineer_needs_and_nothing_else(self):
        files = rtl.contents()
        self.assertEqual(rtl.unexpected(files), [])
        for needed in ("README.md", "LICENSE-MIT", "bbq/bbq.core", "bbq/bbq.sv", "bbq/bbq.f", "bbq/wave.json",
                       "common/free_list.sv", "lint/waivers.vlt", "docs/rtl-interfaces.md", "docs/rtl-bbq.md"):
            self.assertIn(needed, files)
        for not_needed in ("bbq/test/bench_bbq.py", "bbq/formal/bbq_formal.sv", "bbq/mutants.toml", "flow/synth.py"):
            self.assertEqual(rtl.unexpected([not_needed]), [not_needed])
        listed = {line for name, text in files.items() if name.endswith(".f") for line in text.decode().split("\n") if line}
        examples = {f"{core}/{core}_example.sv" for core in rtl.cores.load()}
        self.assertEqual(listed | examples, {name for name in files if name.endswith(".sv")})
        self.assertFalse(listed & examples)

    def test_its_links_lead_somewhere(self):
        files = rtl.contents()
        for name, text in files.items():
            for _, target, _ in rtl.LINK.findall(text.decode()) if name.endswith(".md") else []:
                path = target.partition("#")[0]
                if path and "://" not in path:
                    place = (Path(name).parent / path).as_posix()
                    self.assertIn(place, files, f"{name} leads to {target}")

    def test_equal_sources_make_equal_bytes(self):
        for name in ("a", "b"):
            (self.folder / name).mkdir()
            rtl.write(rtl.contents(), self.folder / name / "x.tar.gz", 1)
        self.assertEqual((self.folder / "a/x.tar.gz").read_bytes(), (self.folder / "b/x.tar.gz").read_bytes())


if __name__ == "__main__":
    unittest.main()
