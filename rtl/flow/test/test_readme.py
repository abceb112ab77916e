"""`rtl/README.md` names every core, shows an example as it is, and every core has one, which `make rtl-lint` elaborates."""

import re

from flow import lint
from flow.cores import RTL, load

README = (RTL / "README.md").read_text()


def test_the_example_in_the_readme_is_the_one_that_is_elaborated():
    shown = re.findall(r"```systemverilog\n(.*?)```", README, re.DOTALL)
    assert shown == [(RTL / "bbq" / "bbq_example.sv").read_text()]


def test_every_core_is_in_the_readme_with_its_example_and_its_page():
    for name, core in load().items():
        assert (RTL / lint.example(core).sources[-1]).exists(), name
        row = re.search(rf"^\| `{name}` \|.*\]\({name}/{name}_example\.sv\).*$", README, re.MULTILINE)
        assert row is not None, f"rtl/README.md has no row of {name} with its example"


def test_every_path_in_the_readme_is_there():
    for path in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README):
        assert (RTL / path).exists(), path


def test_the_sources_of_a_core_are_listed_in_the_order_in_which_they_compile():
    sources = load()["surge"].sources
    assert sources[0].startswith("common/") and sources[-1] == "surge/surge.sv"
    assert sources.index("bbq/bbq.sv") < sources.index("surge/surge.sv")
