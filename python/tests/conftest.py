"""What several test files use."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import forebay as fb

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def experiment():
    """A short experiment: two policies, nine loads, one seed."""
    file = EXPERIMENTS / "self-check" / "single-server.toml"
    return fb.Experiment.load(file).set(jobs=2000).with_seeds([3])


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as a terminal has it: what is started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
