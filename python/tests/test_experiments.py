"""Experiments from Python: as the command runs them, with Python's exceptions."""

import _thread
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import EXPERIMENTS

import forebay as fb

GOOD = """
title = "Shortest job first"
scenario = "single-server"
policies = ["fcfs", "sjf"]
[server]
mean_job = { value = "2 us", assumed = "it only scales time" }
[sweep]
load = [0.5, 0.9]
"""


def test_what_an_experiment_says_of_itself(experiment):
    assert experiment.scenario == "single-server"
    assert experiment.policies == ["fcfs", "sjf"]
    assert list(experiment.axes) == ["load"]
    assert experiment.seeds == [3]
    assert len(experiment) == 2 * len(experiment.axes["load"])
    value, source, meaning = experiment.parameters["workload.jobs"]
    assert value == "2000" and "--set" in source and meaning
    assert "mean_wait" in experiment.metrics
    assert "single-server" in repr(experiment)


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (0.3, None),
        ([0.3, 0.4], ["0.3", "0.4"]),
        ((0.3, "0.4"), None),
        (np.array([0.3, 0.4]), ["0.3", "0.4"]),
        (np.float64(0.3), None),
        ("[0.3, 0.4]", ["0.3", "0.4"]),
    ],
)
def test_values_are_written_as_on_the_command_line(experiment, value, texts):
    if isinstance(value, tuple):
        with pytest.raises(fb.ConfigError, match=r"error: load=\[0.3, .0.4.\]"):
            experiment.set(load=value)
        return
    changed = experiment.set(load=value)
    assert changed.axes["load"] == (texts or ["0.3"])
    assert experiment.axes["load"] != changed.axes["load"], "the first one stays as it was"


def test_errors_speak_of_arguments_and_not_of_options(experiment, tmp_path):
    for call, words in [
        (lambda: experiment.set(load=2), "error: load=2: 2 is not a number between 0.01 and 0.99"),
        (lambda: experiment.set({"workload.load": "x"}), 'error: workload.load=x: "x" is not'),
        (lambda: experiment.set(lod=0.5), "error: lod=0.5: there is no parameter `lod`"),
        (lambda: experiment.set(load=[]), "error: load=\\[\\]: the list is empty"),
    ]:
        with pytest.raises(fb.ConfigError, match=words) as error:
            call()
        assert "--" not in str(error.value)


def test_errors_have_the_text_of_the_command(experiment):
    with pytest.raises(fb.ConfigError, match="did you mean `load`?") as error:
        experiment.set(lod=0.5)
    assert isinstance(error.value, ValueError)
    with pytest.raises(fb.ConfigError, match="is not a number between 0.01 and 0.99"):
        experiment.set({"workload.load": 5})
    with pytest.raises(fb.ConfigError, match="seeds count from 1"):
        experiment.with_seeds([0])
    with pytest.raises(fb.ConfigError, match="cannot read no-such-file.toml"):
        fb.Experiment.load("no-such-file.toml")
    with pytest.raises(fb.ConfigError, match=r"--> experiment.toml:8:14\n.*\n.*\n.*\^") as error:
        fb.Experiment.parse(GOOD.replace("0.9]", "9]"))
    with pytest.raises(TypeError, match="a value is a number, a text or a list of them, not"):
        experiment.set(load=object())


def test_a_run_gives_tables_figures_and_claims(experiment, tmp_path):
    results = experiment.run(out=tmp_path / "out", progress=False)
    assert len(results) == len(experiment)
    table = results.table
    assert table.columns == ["policy", "load", "seed", "metric", "value", "unit"]
    assert len(table) == len(experiment) * len(experiment.metrics)
    assert table["load"].dtype == np.float64 and table["seed"].dtype == np.int64
    assert set(table["policy"]) == {"fcfs", "sjf"}
    with pytest.raises(KeyError, match="no column .colour.; there are policy"):
        table["colour"]
    assert (tmp_path / "out" / "results.csv").read_text() == table.to_csv()
    # Only the report in the folder has links, to the files beside it.
    kept = (tmp_path / "out" / "report.html").read_text()
    assert '<p class="links">' in kept
    assert re.sub(r'<p class="links">.*?</p>\n', "", kept, count=1, flags=re.DOTALL) == results.report()
    assert results.manifest["runs"] == len(experiment) and results.manifest["reused"] == 0
    assert results.folder == tmp_path / "out"

    figure = next(iter(results.figures.values()))
    assert figure.svg.startswith("<svg") and figure.svg in figure._repr_html_()
    assert figure.title in repr(figure)
    claim = results.claims[0]
    assert claim.verdict in claim.line or claim.verdict == "reproduced"
    assert claim.measured is not None and claim.text in repr(claim)
    shown = results._repr_html_()
    # The report's own script, which its figures do without, is not let run in a notebook.
    assert shown.startswith("<iframe srcdoc=") and ' sandbox="" ' in shown[-120:]
    assert shown.count("<script") == 1

    again = experiment.run(out=tmp_path / "out", progress=False)
    assert again.manifest["computed"] == 0 and again.table.to_csv() == table.to_csv()
    assert fb.Results.load(tmp_path / "out").table.to_csv() == table.to_csv()
    with pytest.raises(fb.ResultsError, match="holds no finished results"):
        fb.Results.load(tmp_path / "elsewhere")


def test_arrow_without_copies(experiment, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    results = experiment.run(out=tmp_path, progress=False)
    one, two = pyarrow.table(results), pyarrow.table(results.table)
    assert one.equals(two)
    assert one.to_pydict()["value"] == results.table["value"].tolist()
    address = one.column("value").chunk(0).buffers()[1].address
    assert address == two.column("value").chunk(0).buffers()[1].address, "both read the same memory"
    series = pyarrow.table(results.timelines)
    assert series.column_names[-3:] == ["time_us", "value", "unit"]
    del results
    assert len(one.column("policy").to_pylist()) == one.num_rows, "the memory outlives the results"


def test_polars_and_pandas(experiment, tmp_path):
    results = experiment.run(out=tmp_path, progress=False)
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(results)
    assert frame.filter(polars.col("metric") == "utilization").height == len(experiment)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame.from_arrow(results)
    assert list(frame.columns) == results.table.columns and len(frame) == len(results.table)


def test_pickling_needs_no_file(tmp_path):
    file = tmp_path / "e.toml"
    file.write_text(GOOD)
    experiment = fb.Experiment.load(file).set(load=[0.2, 0.3]).with_seeds([7])
    file.unlink()
    back = pickle.loads(pickle.dumps(experiment))
    assert (back.axes, back.seeds, back.folder) == (experiment.axes, [7], experiment.folder)


def test_results_have_the_commands_folder(experiment):
    assert experiment.folder.parts[:2] == ("results", "self-check")
    assert experiment.folder.name.startswith("single-server.set-")
    assert fb.Experiment.load(EXPERIMENTS / "self-check/single-server.toml").folder == Path(
        "results/self-check/single-server"
    )


def test_progress(experiment, tmp_path):
    seen = []
    experiment.run(out=tmp_path / "a", progress=lambda *told: seen.append(told))
    assert seen[-1][:2] == (len(experiment), len(experiment))

    def broken(done, total, label):
        raise LookupError("the callback's own")

    with pytest.raises(LookupError, match="the callback's own"):
        experiment.set(jobs=300_000).run(out=tmp_path / "b", jobs=1, progress=broken)


def test_a_bar_in_the_terminal(experiment, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    experiment.run(out=tmp_path, progress=True)
    shown = capsys.readouterr().err
    assert f"{len(experiment)}/{len(experiment)}" in shown and shown.endswith("\n")
    assert max(map(len, shown.replace("\x1b[K", "").split("\r"))) <= 50


def test_the_bar_moves_within_a_run(experiment, tmp_path, capsys):
    one = experiment.set(load=0.5, jobs=MANY_JOBS // 2)
    one.run(out=tmp_path, jobs=1, progress=True)
    shown = capsys.readouterr().err
    assert {int(share) for share in re.findall(r"0/2 \((\d+) %\)", shown)} & set(range(1, 50)), shown


# So many that the runs after the first take far longer than an interrupt needs, on fast machines
# too.
MANY_JOBS = 10_000_000


def after_the_first_part(out, then):
    """Calls `then` once, in a thread of its own, as soon as a run is stored."""

    def watch():
        while not any((out / "parts").glob("*")):
            time.sleep(0.01)
        then()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_stops_soon_and_keeps_what_is_done(experiment, tmp_path):
    long = experiment.set(jobs=MANY_JOBS)
    watcher = after_the_first_part(tmp_path, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt, match="stored; the same command resumes there"):
        long.run(out=tmp_path, jobs=1, progress=False)
    watcher.join()
    stored = len(experiment) - len(long.missing(out=tmp_path))
    assert 0 < stored < len(experiment)


@pytest.mark.usefixtures("interruptible")
def test_a_real_signal(tmp_path):
    script = (
        "import forebay as fb, sys\n"
        f"e = fb.Experiment.load({str(EXPERIMENTS / 'self-check/single-server.toml')!r}).set(jobs={MANY_JOBS})\n"
        f"e.run(out={str(tmp_path)!r}, jobs=1, progress=False)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    after_the_first_part(tmp_path, lambda: os.kill(child.pid, signal.SIGINT))
    _, errors = child.communicate(timeout=120)
    assert child.returncode != 0 and "KeyboardInterrupt: stopped with" in errors


def test_a_folder_that_cannot_be_used(experiment, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(fb.StoreError, match="choose another folder"):
        experiment.run(out=tmp_path / "file", progress=False)
    experiment.run(out=tmp_path / "out", progress=False)
    part = next((tmp_path / "out" / "parts").iterdir())
    part.write_bytes(b"x")
    with pytest.raises(fb.StoreError, match=part.name):
        experiment.run(out=tmp_path / "out", progress=False)


def test_shares(experiment, tmp_path):
    places = list(range(len(experiment)))
    assert experiment.missing(out=tmp_path) == places
    assert experiment.run_share([1, 3, 3], out=tmp_path) == 2
    assert experiment.run_share([1, 2], out=tmp_path) == 1
    assert experiment.missing(out=tmp_path) == [0, *places[4:]]


def test_the_experiments_of_a_folder():
    titles = {found.title for found in fb.experiments(EXPERIMENTS / "self-check")}
    assert len(titles) >= 1
    with pytest.raises(FileNotFoundError, match="is no folder"):
        fb.experiments("no/such/folder")


def test_without_a_folder_those_here_are_found_or_those_that_the_package_brings(monkeypatch, tmp_path):
    from forebay import catalogue

    monkeypatch.chdir(tmp_path)
    assert catalogue._shipped().samefile(EXPERIMENTS)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/own.toml").write_text(
        (EXPERIMENTS / "self-check/single-server.toml").read_text()
    )
    assert [found.title for found in fb.experiments()] == ["Self-check: one server against its formulas"]
    carried = tmp_path / "package/shipped/experiments"
    carried.mkdir(parents=True)
    monkeypatch.setattr(catalogue, "__file__", str(tmp_path / "package/catalogue.py"))
    assert catalogue._shipped() == carried


def test_a_build_without_the_command_says_so(capsys, monkeypatch):
    from forebay import _command, _forebay

    monkeypatch.delattr(_forebay, "run_command", raising=False)
    assert _command.main() == 1
    assert "without the command" in capsys.readouterr().err


def test_a_folder_in_use(experiment, tmp_path):
    long = experiment.set(jobs=MANY_JOBS)
    stop = threading.Event()

    def ended(*_):
        if stop.is_set():
            raise LookupError

    worker = threading.Thread(target=lambda: pytest.raises(LookupError, long.run, out=tmp_path, progress=ended))
    worker.start()
    try:
        while not (tmp_path / "parts").exists():
            time.sleep(0.01)
        with pytest.raises(fb.InUseError, match="another forebay is writing to"):
            experiment.run(out=tmp_path, progress=False)
    finally:
        stop.set()
        worker.join()


def test_charts(experiment, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    results = experiment.run(out=tmp_path, progress=False)
    axes = fb.chart(results, "mean_wait")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["fcfs", "sjf"]
    assert len(axes.get_lines()[0].get_xdata()) == len(experiment.axes["load"])
    assert fb.chart(results, "mean_wait", x="load", axes=axes) is axes
    for wrong in [{"metric": "no"}, {"metric": "mean_wait", "x": "no"}, {"metric": "mean_wait", "no": 1}]:
        with pytest.raises(ValueError, match="no"):
            fb.chart(results, **wrong)


def test_a_chart_averages_nothing_but_seeds(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    swept = fb.Experiment.parse(GOOD).set(mean_job=["1 us", "3 us"], jobs=2000).with_seeds([3])
    results = swept.run(out=tmp_path, progress=False)
    for x, other in [("load", "mean_job"), ("mean_job", "load")]:
        with pytest.raises(ValueError, match=f"^{other}: it is swept too, over .*; hold it at one, for example {other}="):
            fb.chart(results, "mean_wait", x=x)
    with pytest.raises(ValueError, match="mean_job: nothing is at 2"):
        fb.chart(results, "mean_wait", x="load", mean_job=2)
    value = results.table["mean_job"][0]
    value = value.item() if hasattr(value, "item") else value
    drawn = fb.chart(results, "mean_wait", x="load", mean_job=value).get_lines()[0].get_ydata()
    table = results.table
    rows = zip(table["policy"], table["mean_job"], table["metric"], table["value"], strict=True)
    assert drawn.tolist() == [v for p, j, m, v in rows if (p, j, m) == ("fcfs", value, "mean_wait")]


def test_a_chart_picks_the_axis_that_varies_and_draws_the_reports_interval(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    swept = fb.Experiment.parse(GOOD).set(mean_job=["1 us", "3 us"], jobs=2000).with_seeds([1, 2, 3])
    results = swept.run(out=tmp_path, progress=False)
    names = [axis["name"] for axis in results.manifest["experiment"]["axes"]]
    held, open_axis = names[0], names[1]
    value = results.table[held][0]
    axes = fb.chart(results, "mean_wait", **{held: value.item() if hasattr(value, "item") else value})
    assert axes.get_xlabel().startswith(open_axis)
    table = results.table
    rows = zip(table["policy"], table["metric"], table[held], table[open_axis], table["value"], strict=True)
    first = [row for row in rows if row[:3] == ("fcfs", "mean_wait", value)]
    sample = [row[4] for row in first if row[3] == first[0][3]]
    mean = sum(sample) / 3
    half = 4.303 * (sum((each - mean) ** 2 for each in sample) / 2 / 3) ** 0.5
    ends = axes.collections[0].get_paths()[0].vertices
    at_first = ends[ends[:, 0] == axes.get_lines()[0].get_xdata()[0], 1]
    assert at_first.min() == pytest.approx(mean - half) and at_first.max() == pytest.approx(mean + half)


def test_an_axis_with_a_unit_is_numbers_and_their_unit(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    swept = fb.Experiment.parse(GOOD).set(mean_job=["500 ns", "1 us", "3 us"], load=0.5, jobs=2000).with_seeds([3])
    results = swept.run(out=tmp_path, progress=False)
    table = results.table
    place = table.columns.index("mean_job")
    assert table.columns[place + 1] == "mean_job_unit" and set(table["mean_job_unit"]) == {"us"}
    assert sorted(set(table["mean_job"].tolist())) == [0.5, 1.0, 3.0]
    assert fb.Results.load(tmp_path).table.to_csv() == table.to_csv()
    axes = fb.chart(results, "mean_wait", x="mean_job")
    assert axes.get_xlabel() == "mean_job (us)"
    assert axes.get_lines()[0].get_xdata().tolist() == [0.5, 1.0, 3.0]
    at = fb.chart(results, "mean_wait", mean_job="500 ns", x="mean_job").get_lines()[0]
    assert at.get_xdata().tolist() == [0.5]


def test_importing_is_light():
    script = "import sys, forebay; print(sorted({'pandas', 'matplotlib', 'IPython', 'dask', 'numpy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
