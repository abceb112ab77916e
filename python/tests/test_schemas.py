"""The JSON Schemas in docs/schemas: every file that is shipped satisfies them, mistakes do not."""

import copy
import json
import re
import sys
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

if sys.version_info < (3, 11):
    pytest.skip("tomllib is in Python 3.11", allow_module_level=True)
import tomllib

ROOT = Path(__file__).resolve().parents[2]
BEGUN = ROOT / "crates/cli/src/new"


def validator(kind: str) -> Draft7Validator:
    schema = json.loads((ROOT / f"docs/schemas/{kind}.json").read_text())
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def complaints(kind: str, text: str) -> list[str]:
    found = validator(kind).iter_errors(tomllib.loads(text))
    return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in found]


def block(page: str, first: str) -> str:
    """The TOML on a page that begins with these words."""
    blocks = re.findall(r"^```toml[^\n]*\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.M | re.S)
    return next(text for text in blocks if text.startswith(first))


def test_every_experiment_has_the_form():
    checker = validator("experiment")
    files = [file for file in sorted((ROOT / "experiments").rglob("*.toml"))]
    experiments = [file for file in files if "scenario" in tomllib.loads(file.read_text())]
    assert len(experiments) > 80
    for file in [*experiments, BEGUN / "experiment.toml"]:
        found = [error.message[:300] for error in checker.iter_errors(tomllib.loads(file.read_text()))]
        assert not found, (file, found)


def test_labs_trees_and_proxies_have_the_form():
    trees = [*sorted((ROOT / "experiments").rglob("*.tree")), BEGUN / "tree.tree"]
    assert len(trees) > 1
    for tree in trees:
        assert not complaints("tree", tree.read_text()), tree
    assert not complaints("lab", (BEGUN / "lab.toml").read_text())
    assert not complaints("lab", block("live.md", "topology ="))
    assert not complaints("proxy", block("proxy.md", "listen ="))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda all: all.update(titel="x"), ""),
        (lambda all: all.update(policies=["dtt"]), "policies.0"),
        (lambda all: all.update(seeds=[0]), "seeds.0"),
        (lambda all: all["policy"].update(alhpa=1), "policy"),
        (lambda all: all["policy"].update(alpha=0), "policy.alpha"),
        (lambda all: all["policy"].update(alpha={"value": 1, "paper": "§1", "assumed": "x"}), "policy.alpha"),
        (lambda all: all["sweep"].update(burst_bytes=["1 Gb/s"]), "sweep.burst_bytes"),
        (lambda all: all["sweep"].update(burst_bites=["1 MB"]), "sweep"),
        (lambda all: all["figure"][0].update(metric="loss"), "figure.0.metric"),
        (lambda all: all["claim"][0].update(measure="value"), "claim.0.measure"),
    ],
)
def test_mistakes_in_experiments_are_found_where_they_are(change, place):
    good = tomllib.loads((BEGUN / "experiment.toml").read_text())
    bad = copy.deepcopy(good)
    change(bad)
    found = [".".join(map(str, error.absolute_path)) for error in validator("experiment").iter_errors(bad)]
    assert place in found, found


def test_mistakes_in_other_files_are_found():
    lab = (BEGUN / "lab.toml").read_text()
    assert complaints("lab", lab.replace("150 KB", "150")) and complaints("lab", lab.replace("alpha", "alhpa"))
    assert complaints("lab", lab.replace("loss = 0.0", "loss = 2"))
    tree = (BEGUN / "tree.tree").read_text()
    assert complaints("tree", tree.replace("weight", "wieght")) and complaints("tree", tree.replace('"sp"', '"ps"'))
    proxy = block("proxy.md", "listen =")
    assert complaints("proxy", proxy.replace("lru-mad", "lru-mda")) and complaints("proxy", proxy.replace("url", "uri"))
