"""The option `--full`: the long streams and the large configurations of `make rtl-full`, and their table."""

import csv
from pathlib import Path

import pytest

TABLE = Path(__file__).parent / "results" / "full.csv"


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="at least 10^6 operations per configuration")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: only with --full")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--full"):
        skip = pytest.mark.skip(reason="only with --full")
        for item in items:
            if "full" in item.keywords:
                item.add_marker(skip)


@pytest.fixture
def full(request):
    """Whether this is the long run."""
    return request.config.getoption("--full")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """After each long test, its row in `results/full.csv`: an interrupted run keeps what it has done."""
    report = (yield).get_result()
    if report.when != "call" or not item.config.getoption("--full"):
        return
    rows = {}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            rows = {row["test"]: row for row in csv.DictReader(file)}
    rows[item.nodeid] = {"test": item.nodeid, "outcome": report.outcome, "seconds": f"{report.duration:.0f}"}
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["test", "outcome", "seconds"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[test] for test in sorted(rows))
