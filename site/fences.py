"""The fenced code blocks of a page, and what their first line says about them.

A block begins with its language, then words and `key="value"` pairs. Viewers such as GitHub's read
the language only. In tutorials every block says what becomes of it:

| the fence | what the runner does |
|---|---|
| ```sh run``` | runs it with bash in the tutorial's folder; a command that fails ends the tutorial |
| ```sh run needs="python"``` | the same where it is there (`NEEDS` in `.ci/tutorials`), else one line says what is not |
| ```sh run slow``` | the same, but only with `--slow` |
| ```text output``` | compares with what the block before it printed; a line `…` stands for any lines, `…` within a line for any text |
| ```text output about="30%"``` | the same, but numbers may differ by so much, and the width of columns does not count |
| ```toml file="first.toml"``` | writes it to that file of the tutorial's folder |
| ```rust same="src/x.rs"``` | compares it with that file of the repository |
| ```sh skip="why"``` | nothing, and the page says why |
"""

import re
from dataclasses import dataclass, field

OPENING = re.compile(r"^(?P<indent> {0,12})(?P<ticks>`{3,})(?P<info>[^`]*)$")
WORD = re.compile(r'([\w-]+)(?:="([^"]*)")?')


@dataclass
class Block:
    """A fenced block: where it begins (a line number from 1), its language, what it says, its text."""

    line: int
    indent: str
    ticks: str
    language: str
    says: dict[str, str] = field(default_factory=dict)
    text: str = ""


def pieces(page: str):
    """The page in order, as lines that are outside of blocks, and blocks.

    Raises ValueError if a block does not end.
    """
    lines = page.split("\n")
    at = 0
    while at < len(lines):
        opening = OPENING.match(lines[at])
        if not opening:
            yield lines[at]
            at += 1
            continue
        indent, ticks = opening["indent"], opening["ticks"]
        language, _, rest = opening["info"].strip().partition(" ")
        block = Block(at + 1, indent, ticks, language, {word: value for word, value in WORD.findall(rest)})
        at += 1
        inside = []
        while at < len(lines) and lines[at].strip() != ticks:
            inside.append(lines[at].removeprefix(indent))
            at += 1
        if at == len(lines):
            raise ValueError(f"line {block.line}: the code block does not end")
        block.text = "\n".join(inside) + "\n"
        yield block
        at += 1
