"""Tests of what the site and the tutorials are checked with: that they notice."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SITE = Path(__file__).resolve().parent
sys.path.insert(0, str(SITE))
import links  # noqa: E402
from fences import Block, pieces  # noqa: E402


def script(path: Path):
    """A program without a suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    # No __pycache__ beside the program.
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


tutorials = script(SITE.parent / ".ci/tutorials")
try:
    import reference  # noqa: E402

    build = script(SITE / "build")
except ModuleNotFoundError:  # tomllib
    build = None
needs_build = unittest.skipUnless(build, "the site needs Python 3.11")


class Fences(unittest.TestCase):
    def test_a_block_says_what_becomes_of_it(self):
        page = 'a\n```sh run needs="python,ping" slow\nls\n\nls\n```\nb'
        first, block, last = pieces(page)
        self.assertEqual((first, last), ("a", "b"))
        self.assertEqual(block.says, {"run": "", "needs": "python,ping", "slow": ""})
        self.assertEqual((block.language, block.line, block.text), ("sh", 2, "ls\n\nls\n"))

    def test_a_longer_fence_holds_a_shorter_one(self):
        (block,) = pieces("````text\n```\n````")
        self.assertEqual(block.text, "```\n")

    def test_a_block_that_does_not_end_is_named(self):
        with self.assertRaisesRegex(ValueError, "line 2"):
            list(pieces("a\n```sh\nls"))

    @needs_build
    def test_code_is_marked_on_the_site(self):
        def first_line(info):
            (block,) = pieces(f"```{info}\nls\n```")
            return build.fence(block)
        self.assertEqual(first_line("sh"), "``` {.sh .not-run}")
        self.assertEqual(first_line("sh run"), "``` {.sh .ran}")
        self.assertEqual(first_line('sh file="a"'), '``` {.sh .written title="a"}')
        self.assertEqual(first_line("text"), "``` {.text}")
        self.assertIn('title="not run: why"', first_line('sh skip="why"'))


class Outputs(unittest.TestCase):
    def agrees(self, shown, printed, about=None):
        return tutorials.agrees(shown.split("\n"), printed.split("\n"), about)

    def test_what_differs_is_noticed(self):
        self.assertTrue(self.agrees("a 1\nb", "a 1\nb"))
        self.assertFalse(self.agrees("a 1\nb", "a 2\nb"))
        self.assertFalse(self.agrees("a 1", "a 1\nb"))
        self.assertFalse(self.agrees("a 1\nb", "a 1"))

    def test_what_is_left_out(self):
        self.assertTrue(self.agrees("…\nb\n…", "a\na\nb"))
        self.assertTrue(self.agrees("in … s", "in 0.3 s"))
        self.assertFalse(self.agrees("…\nb\nc", "a\nb\na\nc"))
        self.assertFalse(self.agrees("in … s on 2", "in 0.3 s on 4"))

    def test_numbers_may_differ_only_where_it_is_said_and_only_so_much(self):
        self.assertTrue(self.agrees("mean 1,000  ms", "mean   1,200 ms", 0.3))
        self.assertFalse(self.agrees("mean 1,000 ms", "mean 1,500 ms", 0.3))
        self.assertFalse(self.agrees("mean 1,000 ms", "mean 1,001 ms"))
        self.assertFalse(self.agrees("mean 1 ms", "least 1 ms", 0.3))


class Steps(unittest.TestCase):
    def run_page(self, page, **found):
        with tempfile.TemporaryDirectory(dir=SITE.parent / "docs") as scratch:
            path = Path(scratch) / "page.md"
            path.write_text(page)
            folder = Path(scratch) / "work"
            folder.mkdir()
            machine = tutorials.Machine({"PATH": "/usr/bin:/bin"})
            machine.found.update(found)
            return tutorials.tutorial(path, folder, machine, slow=False)

    def test_a_tutorial_runs_in_its_folder(self):
        ran, left_out = self.run_page('```text file="a.txt"\nhi\n```\n```sh run\ncat a.txt\n```\n```text output\nhi\n```\n'
                                      "```sh run slow\nfalse\n```\n```text output\nnever compared\n```")
        self.assertEqual(ran, 1)
        self.assertEqual(len(left_out), 1)

    def test_what_is_expected_to_fail_must(self):
        self.assertEqual(self.run_page('```sh run exit="2"\nexit 2\n```')[0], 1)
        with self.assertRaisesRegex(tutorials.Wrong, "exit code 0"):
            self.run_page('```sh run exit="2"\ntrue\n```')

    def test_what_is_not_here_is_left_out(self):
        page = '```sh run needs="ping"\nfalse\n```\n```text output\nnever compared\n```'
        ran, left_out = self.run_page(page, ping=False)
        self.assertEqual(ran, 0)
        self.assertRegex(left_out[0], "it needs ping .*: line 1")

    def test_what_fails_is_named_by_its_line(self):
        for page, why in (("```sh run\nfalse\n```", ":1: exit code 1"),
                          ("\n```sh run\nls | false; ls\n```", ":2: exit code 1"),
                          ("```sh run\necho a\n```\n```text output\nb\n```", ":4: the page shows"),
                          ("```sh\nls\n```", "must say one of"),
                          ('```sh skip\nls\n```', "must say why"),
                          ('```sh run needs="luck"\nls\n```', "is none of"),
                          ('```toml file="../a"\n\n```', "outside of"),
                          ('```rust same="LICENSE-MIT"\n\n```', "as it is in the repository")):
            with self.assertRaisesRegex(tutorials.Wrong, why, msg=page):
                self.run_page(page)


class Links(unittest.TestCase):
    def wrong(self, **pages):
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in pages.items():
                (Path(scratch) / f"{name}.html").write_text(text)
            return links.check(Path(scratch), quiet=True)

    def test_dead_links_and_what_is_fetched(self):
        self.assertEqual(self.wrong(index='<a href="a.html#x">', a='<p id="x"><a href="index.html">'), [])
        self.assertIn("not there", self.wrong(index='<a href="b.html">')[0])
        self.assertIn("no such place", self.wrong(index='<a href="a.html#y">', a='<p id="x">')[0])
        self.assertIn("no link leads to a.html", self.wrong(index="", a="")[0])
        self.assertIn("fetches", self.wrong(index='<script src="https://example.org/a.js"></script>')[0])
        self.assertEqual(self.wrong(index='<a href="https://example.org/">'), [])
        self.assertIn("neither run", self.wrong(index='<div class="language-sh highlight">')[0])
        self.assertEqual(self.wrong(index='<div class="language-sh ran highlight">'), [])

    def test_reports_are_near(self):
        far = {name: f'<a href="{name + 1}.html">' for name in range(4)}
        pages = {str(name): text for name, text in far.items()} | {"4": '<a href="a/report.html">'}
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in {"index": '<a href="0.html">', **pages, "a/report": ""}.items():
                path = Path(scratch) / f"{name}.html"
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            self.assertEqual(links.check(Path(scratch), quiet=True), ["a/report.html is 6 clicks from the front page"])

    def test_figures_are_near(self):
        def wrong(place, **pages):
            with tempfile.TemporaryDirectory() as scratch:
                for name, text in pages.items():
                    (Path(scratch) / f"{name}.html").write_text(text)
                (Path(scratch) / "fig.svg").write_text("")
                return links.check(Path(scratch), quiet=True, figures={"Fig. 1": place})

        near = {"index": '<a href="a.html">', "a": '<a href="b.html">', "b": '<a href="fig.svg">'}
        self.assertEqual(wrong("fig.svg", **near), [])
        self.assertEqual(wrong("other.svg", **near), ['no link leads to "Fig. 1" (other.svg)'])
        self.assertEqual(wrong("fig.svg", **near | {"b": '<a href="c.html">', "c": '<a href="fig.svg">'}),
                         ['"Fig. 1" (fig.svg) is 4 clicks from the front page'])

    @needs_build
    def test_every_figure_of_every_paper_has_a_place(self):
        import tomllib

        import figures

        plan = tomllib.loads((SITE.parent / "experiments/reproduce.toml").read_text())
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / figures.report_of(plan["experiment"][0]["file"])
            report.parent.mkdir(parents=True)
            report.write_text("")
            found = figures.places(SITE.parent, Path(scratch))
        first = plan["experiment"][0]["file"]
        self.assertEqual(found[first], f"results/{figures.report_of(first)}")
        self.assertEqual({found[entry["file"]] for entry in plan["experiment"][1:]}, {"figures.html"})
        for paper in plan["paper"]:
            self.assertTrue([title for title, _ in found.items()
                             if any(title.startswith(one["title"]) for one in paper.get("output", []))
                             or any(entry["paper"] == paper["id"] and entry["file"] == title for entry in plan["experiment"])],
                            f"{paper['id']} has no figure")

    @needs_build
    def test_links_of_both_forms_lead_out_of_the_docs(self):
        found = build.sources()
        text = "See [this](../Cargo.toml) and\n[that][one].\n\n[one]: ../Makefile\n[two]: buffers.md#policies\n"
        self.assertEqual(build.retargeted(text, "docs/occamy.md", found),
                         f"See [this]({build.REPOSITORY}/blob/main/Cargo.toml) and\n[that][one].\n\n"
                         f"[one]: {build.REPOSITORY}/blob/main/Makefile\n[two]: buffers.md#policies\n")

    @needs_build
    def test_the_laboratory_leads_back_to_the_site(self):
        page = (SITE.parent / "web/index.html").read_text()
        self.assertIn('<a id="home" href="../browser.html">', build.with_home(page))
        with self.assertRaises(SystemExit):
            build.with_home("<a href=\"elsewhere\">")

    @needs_build
    def test_the_page_of_the_laboratory_opens_it(self):
        self.assertEqual(build.with_lab("# In the browser\n\nText.\n").split("\n\n")[1].partition("]")[2],
                         "(lab/index.html){ .md-button .md-button--primary }")
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run([sys.executable, SITE / "build", "--zensical", "/bin/true", "--forebay", "/bin/true",
                                   "--lab", scratch, "--out", f"{scratch}/out"], capture_output=True, text=True, check=False)
        self.assertIn("make web builds the laboratory", done.stderr)

    @needs_build
    def test_links_of_a_page_that_moved(self):
        found = build.sources()
        self.assertEqual(build.retarget("../README.md", "docs/tutorials/own-policy.md", found), "../book.md")
        self.assertEqual(build.retarget("../CONTRIBUTING.md#a", "docs/live.md", found), "contributing.md#a")
        self.assertTrue(build.retarget("../python", "docs/python.md", found).startswith("https://github.com/"))
        with self.assertRaisesRegex(SystemExit, "which is not there"):
            build.retarget("nowhere.md", "docs/live.md", found)


@needs_build
class Navigation(unittest.TestCase):
    def test_pages_of_a_navigation(self):
        self.assertEqual(build.listed([{"A": "a.md"}, {"B": ["b.md", {"C": [{"D": "d.md"}]}, {"E": []}]}]),
                         {"a.md", "b.md", "d.md"})

    def test_every_page_of_navigation_toml_is_there(self):
        import tomllib

        named = build.listed(tomllib.loads((SITE / "navigation.toml").read_text()))
        made = {"figures.md"} | {name for name in named if name.startswith("reference/")}
        self.assertEqual(named - made - set(build.sources().values()), set())


@needs_build
class Reference(unittest.TestCase):
    def test_a_parameter_without_values_ends_the_build(self):
        row = reference.parameter("alpha = 1", ["A factor.", "a number between 0 and 1: paper occamy §6.1 (default)",
                                                "only dt"])
        self.assertIn("A factor. Read by dt only.", row)
        self.assertIn("occamy §6.1", row)
        with self.assertRaisesRegex(SystemExit, "alpha"):
            reference.parameter("alpha = 1", ["A factor."])


if __name__ == "__main__":
    unittest.main()
