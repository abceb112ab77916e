"""What several test files use."""

from pathlib import Path

import pytest

import forebay as fb

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def experiment():
    """A short experiment: two policies, nine loads, one seed."""
    file = EXPERIMENTS / "self-check" / "single-server.toml"
    return fb.Experiment.load(file).set(jobs=2000).with_seeds([3])
