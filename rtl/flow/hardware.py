"""What of a SystemVerilog source synthesis gets to see: neither comments, nor blank lines, nor what
only simulators read."""

from __future__ import annotations

import re

# What the synthesis front end defines.
DEFINED = {"SYNTHESIS"}
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
CONDITION = re.compile(r"`(ifdef|ifndef|elsif|else|endif)\b\s*(\w*)")


def hardware(text: str) -> str:
    """The lines that are left for synthesis, with single spaces."""
    kept = []
    # One entry per open condition: whether its present branch is read, and whether one of its
    # branches has been.
    open_branches: list[tuple[bool, bool]] = []
    for line in COMMENT.sub(lambda found: found[1] or " ", text).splitlines():
        line = " ".join(line.split())
        condition = CONDITION.match(line)
        if condition is None:
            if line and all(read for read, _ in open_branches):
                kept.append(line)
            continue
        word, name = condition.groups()
        if word in ("ifdef", "ifndef"):
            read = (name in DEFINED) == (word == "ifdef")
            open_branches.append((read, read))
            continue
        _, done = open_branches.pop()
        if word != "endif":
            read = not done and (word == "else" or name in DEFINED)
            open_branches.append((read, done or read))
    return "\n".join(kept)
