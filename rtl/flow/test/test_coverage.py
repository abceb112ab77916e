"""Names of points, the demand, and the lines and rows of the report."""

import pytest
from flow import coverage

COVERED = {
    "bbq.gen_level[1].u_level.gen_node__DOT__cover_word_1.cover_word_1": 5,
    "bbq.gen_level[2].u_level.gen_node__DOT__cover_word_1.cover_word_1": 0,
    "heap.gen_level[1].u_level.gen_inner__DOT__gen_cover_op__BRA__3__KET____DOT__cover_wait.cover_wait": 2,
}


@pytest.fixture(autouse=True)
def no_runs(monkeypatch):
    """The report of the real tests does not show these."""
    monkeypatch.setattr(coverage, "RUNS", [])


def test_points_are_named_without_their_place():
    assert [coverage.point(name) for name in COVERED] == ["cover_word_1", "cover_word_1", "cover_wait[3]"]


def test_a_point_is_demanded_everywhere_or_anywhere():
    coverage.demand("bbq", {"Levels": 3}, 1, 10, COVERED, everywhere=False)
    with pytest.raises(AssertionError, match="SEED=1: cover_word_1$"):
        coverage.demand("bbq", {"Levels": 3}, 1, 10, COVERED)
    coverage.demand("bbq", {"Levels": 3}, 1, 10, COVERED, unreachable=lambda point: point == "cover_word_1")
    with pytest.raises(AssertionError, match="no coverage"):
        coverage.demand("bbq", {"Levels": 3}, 1, 10, {})


def test_the_report_counts_points_and_places(tmp_path, monkeypatch):
    monkeypatch.setattr(coverage, "CSV", tmp_path / "coverage.csv")
    monkeypatch.setattr(coverage, "MD", tmp_path / "coverage.md")
    for _ in range(2):
        coverage.demand("bbq", {"Levels": 3}, 7, 10, COVERED, everywhere=False)
        coverage.write(coverage.RUNS[-1:])
    lines = (tmp_path / "coverage.csv").read_text().splitlines()
    assert lines[1:] == ["bbq,Levels3,7,10,cover_wait[3],2,1,1", "bbq,Levels3,7,10,cover_word_1,5,2,1"]
    assert "bbq Levels3: 2 of 2 points, 2 of 3 places; rarest cover_wait[3] 2 times" in (tmp_path / "coverage.md").read_text()
