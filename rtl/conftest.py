"""The option `--full`: the long streams and the large configurations of `make rtl-full`."""

import pytest


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
