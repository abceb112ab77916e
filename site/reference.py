"""The reference, written from what the program itself says: commands, policies, parameters,
metrics, experiments.

Every page is made of the output of `forebay help`, `forebay show` and `forebay list --json`. What
does not look as expected ends the build: a reference with holes is worse than none.
"""

import json
import re
import subprocess
import tempfile
import textwrap
from pathlib import Path

# How the sentence begins that says which values a parameter takes.
VALUES = re.compile(r"^(a whole number|a number|a size|a span of time|a rate|a list|a text|a comma|the path|true or false|one of|an? )")
SOURCE = re.compile(r"^(?P<values>.*?): (?P<kind>paper|assumed)\b:? ?(?P<why>.*)$")


class Program:
    """The built command."""

    def __init__(self, path: Path, root: Path):
        # It calls itself by the name under which it was started.
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "forebay"
        self.path.symlink_to(path.resolve())
        self.root = root

    def __call__(self, *words: str) -> str:
        done = subprocess.run([self.path, *words], cwd=self.root, capture_output=True, text=True, check=False)
        if done.returncode or not done.stdout.strip():
            raise SystemExit(f"site: `forebay {' '.join(words)}` says nothing to write down: {done.stderr.strip()}")
        return done.stdout


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return re.sub(r"([<>|*_\[\]`])", lambda found: f"&#{ord(found[1])};", text)


def code(text: str) -> str:
    """Code in a cell of a table."""
    return f"<code>{cell(text)}</code>" if text else ""


def folded(said: str, width: int = 88) -> str:
    """Help text whose long lines are broken, and go on below where their description begins."""
    lines = []
    for line in said.rstrip().split("\n"):
        column = re.match(r"^ +-.*?  +(?=\S)|^ {2}\S+  +(?=\S)|^ *", line)[0]
        lines += textwrap.wrap(line, width, subsequent_indent=" " * len(column), drop_whitespace=True,
                               break_long_words=False, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def commands(forebay: Program) -> str:
    """A page of every command's help, with those below it."""
    page = [
        "# Commands\n",
        "What `forebay help` says of each command. Written by `make site` from the program.\n",
    ]

    def add(words: list[str]) -> None:
        said = forebay("help", *words)
        name = " ".join(["forebay", *words])
        page.append(f"{'#' * min(len(words) + 1, 3)} `{name}`\n")
        page.append(f"```text\n{folded(said)}\n```\n")
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", said, re.M)
        for line in listed[1].splitlines() if listed else []:
            below = line.split()[0]
            if below != "help" and line.startswith("  ") and not line.startswith("   "):
                add([*words, below])

    first = forebay("help")
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", first, re.M)
    if not listed:
        raise SystemExit("site: `forebay help` lists no commands")
    for line in listed[1].splitlines():
        if (name := line.split()[0]) != "help":
            add([name])
    return "\n".join(page)


def policies(listed: dict) -> str:
    """What can be chosen by name, each once, with the scenarios that know it."""
    page = [
        "# Policies\n",
        "Everything that can be chosen by name, as `forebay list` has it. Written by `make site` from the program. "
        "What each does is told on the pages about [shared buffers](../buffers.md), "
        "[fair queueing](../fair-queueing.md), [Themis](../themis.md), [Occamy](../occamy.md), "
        "[Gearbox](../gearbox.md), [delayed hits](../delayed-hits.md) and [SurgeProtector](../surgeprotector.md); "
        "their parameters are on the pages of the [scenarios](scenarios.md).\n",
    ]
    known: dict[str, tuple[str, list[str]]] = {}
    for scenario in listed["scenarios"]:
        for policy in scenario["policies"]:
            known.setdefault(policy["name"], (policy["about"], []))[1].append(scenario["name"])
    page += ["## Policies of experiments\n", "| name | what it does | scenarios |", "|---|---|---|"]
    for name, (about, scenarios) in sorted(known.items()):
        links = ", ".join(f"[{scenario}](scenario-{scenario}.md)" for scenario in scenarios)
        page.append(f"| {code(name)} | {cell(about)} | {links} |")
    for choice in listed["choices"]:
        what = choice["what"]
        page += ["", f"## {what[0].upper()}{what[1:]}s\n", "| name | what it does |", "|---|---|"]
        page += [f"| {code(entry['name'])} | {cell(entry['about'])} |" for entry in choice["entries"]]
    return "\n".join(page) + "\n"


def entries(lines: list[str], indent: int) -> list[tuple[str, list[str]]]:
    """Lines at `indent`, each with the deeper ones below it."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        deep = len(line) - len(line.lstrip())
        if deep == indent:
            found.append((line.strip(), []))
        elif line.strip():
            if not found:
                raise SystemExit(f"site: a line of `forebay show` belongs to nothing: {line}")
            found[-1][1].append(line.strip())
    return found


def parameter(name: str, lines: list[str]) -> str:
    """A row of the table: name and default, meaning, who reads it and which values it takes,
    source.
    """
    key, _, value = name.partition(" = ")
    only = ""
    for at, line in enumerate(lines):
        if at and line.startswith("only ") and lines[at - 1].endswith("(default)"):
            only, lines = " ".join(lines[at:]).removeprefix("only "), lines[:at]
            break
    cut = next((at for at, line in enumerate(lines) if at and VALUES.match(line) and lines[at - 1].endswith(".")), None)
    stated = SOURCE.match(" ".join(lines[cut:]).removesuffix(" (default)")) if cut else None
    if not stated:
        raise SystemExit(f"site: `forebay show` does not say what values `{key}` takes, and why: {' '.join(lines)}")
    meaning = " ".join(lines[:cut])
    readers = f" Read by {only} only." if only else ""
    values = stated["values"]
    return (f"| {code(key)}<br><small>{cell(value)}</small> "
            f"| {cell(meaning)}{cell(readers)}<br><small>{cell(values[0].upper() + values[1:])}.</small> "
            f"| {'' if stated['kind'] == 'paper' else 'assumed: '}{cell(stated['why'])} |")


def scenario(forebay: Program, about: dict) -> str:
    """A scenario's page, from `forebay show`."""
    name = about["name"]
    said = forebay("show", name)
    head, *groups = re.split(r"^\[(.+)\]\n", said, flags=re.M)
    page = [f"# Scenario `{name}`\n", f"{cell(' '.join(head.split()[1:])).capitalize()}.\n",
            f"Written by `make site` from `forebay show {name}`. A value that is *assumed* is ours; the others are "
            "from the paper and section named.\n"]
    seen = set()
    for group, text in zip(groups[::2], groups[1::2]):
        seen.add(group)
        found = entries(text.rstrip("\n").split("\n"), 2)
        if group in ("policies", "metrics", "series"):
            # Continuation lines of these stand below their entry, at the same depth.
            joined: list[str] = []
            for line, _ in found:
                if re.match(r"^[\w-]+( \([^)]*\))?: ", line) or not joined:
                    joined.append(line)
                else:
                    joined[-1] += f" {line}"
            page += [f"## {group.capitalize()}\n", "| name | unit | |" if group != "policies" else "| name | |",
                     "|---|---|---|" if group != "policies" else "|---|---|"]
            for line in joined:
                key, _, meaning = line.partition(": ")
                key, _, unit = key.partition(" (")
                middle = "" if group == "policies" else f"{cell(unit.rstrip(')'))} | "
                page.append(f"| {code(key)} | {middle}{cell(meaning)} |")
        else:
            page += [f"## Parameters `{group}`\n", "| parameter, default | meaning, values | source |", "|---|---|---|"]
            page += [parameter(key, lines) for key, lines in found]
        page.append("")
    if missing := {"policies", "metrics"} - seen:
        raise SystemExit(f"site: `forebay show {name}` lists no {' and no '.join(sorted(missing))}")
    return "\n".join(page)


def scenarios(listed: dict) -> str:
    """The index of the scenarios."""
    page = ["# Scenarios\n",
            "What an experiment can simulate. Each page lists the parameters with default, meaning, values and "
            "source, the policies, and the metrics. Written by `make site` from the program.\n",
            "| scenario | what is simulated | policies |", "|---|---|---|"]
    for about in listed["scenarios"]:
        page.append(f"| [{about['name']}](scenario-{about['name']}.md) | {cell(about['about'])} "
                    f"| {len(about['policies'])} |")
    return "\n".join(page) + "\n"


def index() -> str:
    return "\n".join([
        "# Reference\n",
        "Written by `make site` from the program itself, so it says what this version does.\n",
        "- [Commands](commands.md): every command and option",
        "- [Policies](policies.md): everything that can be chosen by name",
        "- [Scenarios](scenarios.md): parameters, policies and metrics of what experiments simulate",
        "- [File formats](../formats.md): what is read and written",
        "- [Experiments and results](../experiments.md): the experiment file, claims, tables, keys",
        "- [From Python](../python.md): classes and functions",
        "- Rust: `cargo doc --workspace --no-deps --open` in the repository",
        "",
    ])


def write(forebay: Program, folder: Path) -> dict:
    """Writes all pages into the folder. Returns what `forebay list --json` says."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = json.loads(forebay("list", "--json"))
    for part in ("experiments", "scenarios", "choices"):
        if not listed.get(part):
            raise SystemExit(f"site: `forebay list --json` has no {part}")
    (folder / "index.md").write_text(index())
    (folder / "commands.md").write_text(commands(forebay))
    (folder / "policies.md").write_text(policies(listed))
    (folder / "scenarios.md").write_text(scenarios(listed))
    for about in listed["scenarios"]:
        (folder / f"scenario-{about['name']}.md").write_text(scenario(forebay, about))
    return listed
