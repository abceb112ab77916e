"""The option `--full`: the long streams and the large configurations of `make rtl-full`, and their tables.

`--seed`, or SEED in the environment, decides the streams and the initial state of every simulation; 1 if not given.
"""

import csv
import os
from pathlib import Path

import pytest
from flow import coverage
from flow.simulate import seed

TABLE = Path(__file__).parent / "results" / "full.csv"
COLUMNS = ["test", "seed", "outcome", "seconds"]


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="at least 10^6 operations per configuration")
    parser.addoption("--seed", help="of streams and initial states; by default the environment's SEED, else 1")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: only with --full")
    if config.getoption("--seed"):
        os.environ["SEED"] = config.getoption("--seed")
    try:
        seed()
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_report_header():
    return f"SEED={seed()}"


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
    """After each long test, its rows in the tables: an interrupted run keeps what it has done."""
    report = (yield).get_result()
    if report.when != "call" or not item.config.getoption("--full"):
        return
    coverage.write(coverage.RUNS)
    rows = {}
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            rows = {row["test"]: row for row in csv.DictReader(file)}
    rows[item.nodeid] = {"test": item.nodeid, "seed": str(seed()), "outcome": report.outcome,
                         "seconds": f"{report.duration:.0f}"}
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[test] for test in sorted(rows))


def pytest_terminal_summary(terminalreporter):
    """What was covered, by configuration."""
    terminalreporter.section(f"coverage with SEED={seed()}")
    for line in coverage.summary([row for run in coverage.RUNS for row in run.rows()]):
        terminalreporter.line(line)
