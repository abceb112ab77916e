"""Reads the cores: their sources from FuseSoC's `.core` files, their configurations from
`sweep.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

RTL = Path(__file__).resolve().parent.parent
BUILD = RTL / "build"


@dataclass(frozen=True)
class Core:
    """A core: `sources` are relative to `rtl/`, in the order in which they compile."""

    name: str
    folder: Path
    top: str
    sources: list[str]
    sweep: dict


def _description(path: Path) -> dict:
    text = path.read_text()
    if not text.startswith("CAPI=2:"):
        raise ValueError(f"{path}: a FuseSoC file begins with 'CAPI=2:'")
    return yaml.safe_load(text.removeprefix("CAPI=2:"))


def _short(full_name: str) -> str:
    """`bbq` of `forebay:rtl:bbq:0.1.0`."""
    return full_name.lstrip(">=<^~").split(":")[2]


def _sources(name: str, descriptions: dict[str, tuple[Path, dict]], done: list[str]) -> list[str]:
    path, description = descriptions[name]
    files = description["filesets"]["rtl"]
    for dependency in files.get("depend", []):
        _sources(_short(dependency), descriptions, done)
    for file in files["files"]:
        source = str((path.parent / file).relative_to(RTL))
        if source not in done:
            done.append(source)
    return done


def load() -> dict[str, Core]:
    """Every core under `rtl/` that has a top module, by its short name."""
    descriptions = {}
    for path in sorted(RTL.glob("*/*.core")):
        description = _description(path)
        descriptions[_short(description["name"])] = (path, description)
    cores = {}
    for name, (path, description) in descriptions.items():
        if "toplevel" not in description["targets"]["default"]:
            continue
        sweep = path.parent / "sweep.toml"
        cores[name] = Core(
            name=name,
            folder=path.parent,
            top=description["targets"]["default"]["toplevel"],
            sources=_sources(name, descriptions, []),
            sweep=tomllib.loads(sweep.read_text()) if sweep.exists() else {},
        )
    return cores


def label(parameters: dict) -> str:
    """A configuration as a file name: `Levels2_Width8`."""
    return "_".join(f"{key}{value}" for key, value in parameters.items()) or "default"
