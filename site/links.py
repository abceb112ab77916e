#!/usr/bin/env python3
"""Checks a built site: every link and anchor leads somewhere, nothing is fetched from elsewhere,
every block of code is run or said not to be, and each report and each figure of a paper is at most
three clicks from the front page.

    site/links.py FOLDER
"""

import posixpath
import sys
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What makes a browser fetch something by itself.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
FETCHED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "manifest"}
CLICKS = 3
# Languages of what somebody might execute, and how its blocks are marked; in all others there is
# nothing to run.
CODE = {"sh", "bash", "console", "python", "rust", "sql", "systemverilog", "verilog", "c"}
MARKS = {"ran", "not-run", "written"}


class Page(HTMLParser):
    """What a page refers to, and what in it can be referred to."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.unmarked = 0
        self.feed(text)

    def has(self, anchor: str) -> bool:
        """Whether a link may lead there. Pages of results take a verdict, too: `#no` chooses the
        filter `show-no`.
        """
        return anchor in self.ids or f"show-{anchor}" in self.ids or anchor.startswith("__")

    def handle_starttag(self, tag, attrs):
        attributes = {key: value or "" for key, value in attrs}
        self.ids.update(filter(None, (attributes.get("id"), attributes.get("name") if tag == "a" else None)))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        classes = set(attributes.get("class", "").split())
        if "highlight" in classes and classes & {f"language-{name}" for name in CODE} and not classes & MARKS:
            self.unmarked += 1
        if tag in FETCHED and attributes.get(FETCHED[tag]):
            self.fetched.append(attributes[FETCHED[tag]])
        if tag == "link" and set(attributes.get("rel", "").split()) & FETCHED_LINKS and attributes.get("href"):
            self.fetched.append(attributes["href"])


def place(page: str, target: str) -> tuple[str, str]:
    """The file and the anchor of the site that a link of the page names."""
    parts = urlsplit(target)
    path = unquote(parts.path)
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if path.startswith("/"):
        name = path.lstrip("/") or "index.html"
    return name, unquote(parts.fragment)


def clicks(pages: dict[str, Page], start: str, files: frozenset[str] = frozenset()) -> dict[str, int]:
    """How many clicks each page, and each of the files, is from the start."""
    far, waiting = {start: 0}, deque([start])
    while waiting:
        page = waiting.popleft()
        for link in pages[page].links:
            if urlsplit(link).scheme or urlsplit(link).netloc:
                continue
            name, _ = place(page, link)
            if name not in far and (name in pages or name in files):
                far[name] = far[page] + 1
                if name in pages:
                    waiting.append(name)
    return far


def check(folder: Path, quiet: bool = False, figures: dict[str, str] | None = None) -> list[str]:
    """What is wrong, each once; printed with a line of counts unless `quiet`. `figures` are those of
    the papers, by title, with where they are.
    """
    pages = {path.relative_to(folder).as_posix(): Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    wrong, inside, outside = [], 0, 0
    for name, page in pages.items():
        if name == "404.html":
            continue  # it is served at any address, so its links begin at the site's root
        if page.unmarked:
            wrong.append(f"{name} has {page.unmarked} blocks of code that are neither run nor marked as not run")
        for target in page.links + page.fetched:
            parts = urlsplit(target)
            if parts.scheme in ("mailto", "data", "javascript"):
                continue
            if parts.scheme or parts.netloc:
                outside += 1
                if target in page.fetched:
                    wrong.append(f"{name} fetches {target}")
                continue
            inside += 1
            path, anchor = place(name, target)
            if (folder / path).is_dir():
                path = posixpath.join(path, "index.html")
            if path.startswith("..") or not (folder / path).exists():
                wrong.append(f"{name} leads to {target}, which is not there")
            elif anchor and path in pages and not pages[path].has(anchor):
                wrong.append(f"{name} leads to {target}: that page has no such place")
    figures = figures or {}
    far = clicks(pages, "index.html", frozenset(figures.values()))
    for title, name in figures.items():
        if name not in far:
            wrong.append(f"no link leads to \"{title}\" ({name})")
        elif far[name] > CLICKS:
            wrong.append(f"\"{title}\" ({name}) is {far[name]} clicks from the front page")
    for name in pages:
        if name == "404.html":
            continue
        if name not in far:
            wrong.append(f"no link leads to {name}")
        elif name.endswith("/report.html") and far[name] > CLICKS:
            wrong.append(f"{name} is {far[name]} clicks from the front page")
    wrong = list(dict.fromkeys(wrong))
    if quiet:
        return wrong
    for line in wrong:
        print(f"site: {line}")
    shown = [far[name] for name in figures.values() if name in far]
    found = f", {len(shown)} figures and tables within {max(shown)} clicks" if shown else ""
    print(f"site: {len(pages)} pages, {inside} links inside and {outside} to elsewhere{found}; "
          + (f"{len(wrong)} wrong" if wrong else "no dead link"))
    return wrong


if __name__ == "__main__":
    sys.exit(1 if check(Path(sys.argv[1])) else 0)
