"""The page of results: every figure of every paper, with the command that makes it and, where
results are given, the report that shows it; from `experiments/reproduce.toml` and `forebay list
--json`.
"""

import posixpath
import re
import shutil
import tomllib
from pathlib import Path

REPOSITORY = "https://github.com/forebay/forebay/blob/main"
# What of a results folder is shown; the runs themselves stay where they are.
SHOWN = {".html", ".csv", ".svg", ".json", ".md", ".txt", ".parquet"}


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def title_of(page: Path) -> str:
    """The page's own title."""
    return page.read_text().split("\n", 1)[0].removeprefix("# ")


def report_of(file: str) -> str:
    """Where `forebay reproduce` puts the report of an experiment."""
    return posixpath.join(posixpath.splitext(file)[0], "report.html")


def outputs(plan: dict) -> list[str]:
    """The files that no experiment makes, by their place in the repository."""
    files = [file for paper in plan["paper"] for output in paper.get("output", []) for file in output.get("files", [])]
    return [posixpath.normpath(posixpath.join("experiments", file)) for file in files]


def copy_pictures(root: Path, folder: Path) -> None:
    """Copies the pictures among them."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in outputs(tomllib.loads((root / "experiments/reproduce.toml").read_text())):
        if file.endswith(".svg") and (root / file).exists():
            shutil.copyfile(root / file, folder / posixpath.basename(file))


def link_to(file: str) -> str:
    """Pictures are on the site, all else in the repository."""
    name = posixpath.basename(file)
    return f"[{name}]({f'pictures/{name}' if file.endswith('.svg') else f'{REPOSITORY}/{file}'})"


def places(root: Path, results: Path | None) -> dict[str, str]:
    """Where on the site each figure and table of the papers is: its report or its picture, where
    there is one, else its row on the page of results.
    """
    plan, found = tomllib.loads((root / "experiments/reproduce.toml").read_text()), {}
    for entry in plan["experiment"]:
        report = report_of(entry["file"])
        found[entry["file"]] = f"results/{report}" if results and (results / report).exists() else "figures.html"
    for paper in plan["paper"]:
        for output in paper.get("output", []):
            names = [posixpath.basename(file) for file in output.get("files", []) if file.endswith(".svg")]
            found |= {f"{output['title']}: {name}": f"pictures/{name}" for name in names}
            if not names:
                found[output["title"]] = "figures.html"
        found |= {missing["title"]: "figures.html" for missing in paper.get("missing", [])}
    return found


def page(root: Path, listed: dict, results: Path | None) -> str:
    """The page, in Markdown."""
    plan = tomllib.loads((root / "experiments/reproduce.toml").read_text())
    about = {entry["file"].removeprefix("experiments/"): entry for entry in listed["experiments"]}
    if unknown := [entry["file"] for entry in plan["experiment"] if "title" not in about.get(entry["file"], {})]:
        raise SystemExit(f"site: `forebay list` cannot read {', '.join(unknown)}; is it as new as the experiments?")
    lines = ["# Results\n",
             "Every figure and table of the papers, the most valuable first. Each is one command away, in a checkout "
             "of the repository; all of them together are `forebay reproduce` (`--quick` in minutes), which also "
             "writes pages that put each of the papers' claims beside our number "
             "([how](experiments.md#reproducing-the-papers)).\n"]
    if results:
        lines.append("[**All claims and their verdicts**](results/index.html){ .md-button } "
                     "[as a table](results/claims.csv)\n")
    else:
        lines.append("!!! note \"This copy of the site has no results in it\"\n\n"
                     "    `forebay reproduce --quick`, then `make site RESULTS=results/quick`, builds it with the "
                     "reports: every row below then leads to its figures. The tables of results on the pages of the "
                     "systems were measured with the commands named there.\n")
    for paper in plan["paper"]:
        lines.append(f"## {paper['title']}\n")
        pages = ", ".join(f"[{title_of(root / 'experiments' / doc)}]({posixpath.basename(doc)})"
                          for doc in paper.get("docs", []))
        lines.append(f"{paper.get('citation', '')}. Explained in {pages}.\n")
        if results and (results / f"{paper['id']}.html").exists():
            lines.append(f"[Its claims, one by one](results/{paper['id']}.html)\n")
        lines += ["| figure or table | command | claims |", "|---|---|---|"]
        for entry in plan["experiment"]:
            if entry["paper"] != paper["id"]:
                continue
            one = about[entry["file"]]
            title = cell(one["title"])
            if results and (results / report_of(entry["file"])).exists():
                title = f"[{title}](results/{report_of(entry['file'])})"
            lines.append(f"| {title} | `forebay run experiments/{entry['file']}` | {one['claims']} |")
        for output in paper.get("output", []):
            title = cell(output["title"])
            files = [posixpath.normpath(posixpath.join("experiments", file)) for file in output.get("files", [])]
            pictures = [file for file in files if (root / file).exists()]
            shown = ", ".join(map(link_to, pictures))
            command = output.get("command") or output["made_by"]
            command = command.replace(" --svg {picture}", " --svg fig.svg")
            lines.append(f"| {title}{': ' + shown if shown else ''} | `{command}` | |")
        for missing in paper.get("missing", []):
            lines.append(f"| {cell(missing['title'])} | {cell(missing['why'])} | |")
        lines.append("")
    return "\n".join(lines) + "\n"


def elsewhere(target: str, page: Path, place: str, results: Path, root: Path, pages: dict[str, str]) -> str:
    """A link of a page of results, which lies at `place` on the site: what it names is found there,
    or on GitHub.
    """
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"^[a-z]+:", path):
        return target
    named = (page.parent / path).resolve()
    if named.is_relative_to(results.resolve()) or not named.is_relative_to(root):
        return target
    name = named.relative_to(root).as_posix()
    if name in pages:
        there = pages[name].removesuffix(".md") + (".html" if name.endswith(".md") else "")
        return posixpath.relpath(there, posixpath.dirname(place)) + mark + anchor
    return f"{REPOSITORY}/{name}{mark}{anchor}"


def copy(results: Path, out: Path, root: Path, pages: dict[str, str]) -> None:
    """Copies what can be looked at to the site's folder `results`; `pages` says where the book's
    pages are.
    """
    for path in sorted(results.rglob("*")):
        name = path.relative_to(results)
        if not path.is_file() or path.suffix not in SHOWN or "parts" in name.parts:
            continue
        target = out / "results" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".html":
            shutil.copyfile(path, target)
            continue
        place = posixpath.join("results", name.as_posix())
        text = re.sub(r'(\b(?:href|src)=")([^"]*)(")',
                      lambda found: found[1] + elsewhere(found[2], path, place, results, root, pages) + found[3],
                      path.read_text())
        back = posixpath.relpath("figures.html", posixpath.dirname(place))
        text = re.sub(r"(<body[^>]*>)", rf'\1<p style="margin:.5em 1em"><a href="{back}">All results</a></p>', text, count=1)
        target.write_text(text)
