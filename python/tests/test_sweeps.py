"""Sweeps over workers that die, lose results or raise: complete, and equal to the serial run."""

import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import forebay as fb

#: A driver that takes longer hangs.
DRIVER_SECONDS = 180


@pytest.fixture
def slow(experiment):
    """The same with runs that take long enough to be killed in."""
    return experiment.set(jobs=1_000_000)


@pytest.fixture
def serial(slow, tmp_path_factory):
    return slow.run(out=tmp_path_factory.mktemp("serial"), progress=False)


def processes(workers):
    return concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


def wait_for_parts(folder, count):
    deadline = time.monotonic() + 60
    while len(list(folder.glob("parts/*.parquet"))) < count:
        assert time.monotonic() < deadline, "no part was stored"
        time.sleep(0.01)


def same(one, other):
    assert one.table.to_csv() == other.table.to_csv()
    assert one.timelines.to_csv() == other.timelines.to_csv()


def test_without_an_executor(experiment, tmp_path):
    same(fb.sweep(experiment, out=tmp_path / "a"), experiment.run(out=tmp_path / "b", progress=False))


def test_threads_and_progress(experiment, tmp_path):
    seen = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = fb.sweep(experiment, pool, out=tmp_path, progress=lambda *told: seen.append(told[:2]))
    assert results.manifest["computed"] == 0, "the workers did it all"
    assert seen[-1] == (len(experiment), len(experiment)) and seen == sorted(seen)


def test_processes(experiment, tmp_path):
    with processes(2) as pool:
        results = fb.sweep(experiment, pool, out=tmp_path / "a", chunk=4)
    same(results, experiment.run(out=tmp_path / "b", progress=False))


def test_a_pool_that_breaks_keeps_what_is_done(slow, serial, tmp_path):
    def kill():
        wait_for_parts(tmp_path, 2)
        os.kill(next(iter(pool._processes)), signal.SIGKILL)

    with processes(1) as pool:
        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(fb.SweepError, match="undone .BrokenProcessPool.*are stored: call again, with a new"):
            fb.sweep(slow, pool, out=tmp_path)
        killer.join()
    left = len(slow.missing(out=tmp_path))
    assert 0 < left < len(slow)
    with processes(1) as pool:
        same(fb.sweep(slow, pool, out=tmp_path), serial)


class Losing:
    """An executor that does only every third task, and gives nothing back."""

    def __init__(self):
        self.count = 0

    def submit(self, work, *arguments):
        self.count += 1
        if self.count % 3 == 0:
            work(*arguments)
        future = concurrent.futures.Future()
        if self.count % 2 == 0:
            future.set_result(None)  # it says that it is done
        return future


def test_an_executor_that_loses_results(experiment, tmp_path):
    executor = Losing()
    results = fb.sweep(experiment, executor, out=tmp_path / "a", patience=0, attempts=40)
    same(results, experiment.run(out=tmp_path / "b", progress=False))
    assert executor.count > len(experiment)


def test_an_executor_that_does_nothing(experiment, tmp_path):
    class Idle(Losing):
        def submit(self, work, *arguments):
            return concurrent.futures.Future()

    with pytest.raises(fb.SweepError, match="left 18 of 18 runs undone .its results never came.; 0 are stored"):
        fb.sweep(experiment, Idle(), out=tmp_path, patience=0, attempts=1, chunk=9)


def test_only_what_is_undone_is_cancelled(experiment, tmp_path):
    submitted = []

    class Silent(Losing):
        """It does every second task, and never says so."""

        def submit(self, work, *arguments):
            future = concurrent.futures.Future()
            does = len(submitted) % 2 == 0
            if does:
                work(*arguments)
            submitted.append((does, future))
            return future

    with pytest.raises(fb.SweepError, match="left 9 of 18 runs undone"):
        fb.sweep(experiment, Silent(), out=tmp_path, patience=0, attempts=1, chunk=1)
    assert [(not future.cancelled(), future) for _, future in submitted] == submitted


def test_patience_is_over_for_all_tasks_at_once(experiment, tmp_path):
    class Idle(Losing):
        def submit(self, work, *arguments):
            return concurrent.futures.Future()

    began = time.monotonic()
    with pytest.raises(fb.SweepError, match="left 18 of 18 runs undone"):
        fb.sweep(experiment, Idle(), out=tmp_path, patience=0.2, attempts=3, chunk=1)
    assert 0.6 <= time.monotonic() - began < 6


class Counted:
    """An experiment that counts the looks at its folder."""

    def __init__(self, experiment):
        self.experiment, self.looks = experiment, 0

    def __getattr__(self, name):
        return getattr(self.experiment, name)

    def __len__(self):
        return len(self.experiment)

    def missing(self, **arguments):
        self.looks += 1
        return self.experiment.missing(**arguments)


def test_the_folder_is_looked_at_seldom(experiment, tmp_path):
    counted, seen = Counted(experiment), []
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        fb.sweep(counted, pool, out=tmp_path, chunk=1, progress=lambda *told: seen.append(told))
    assert counted.looks <= 3 + (time.monotonic() - began), "not for each of 18 tasks"
    assert seen[0][0] == 0 and [told[0] for told in seen].count(18) == 1


def test_a_workers_own_timeout_is_told(experiment, tmp_path):
    class Slow(Losing):
        def submit(self, work, *arguments):
            future = concurrent.futures.Future()
            future.set_exception(TimeoutError("the licence server did not answer"))
            return future

    with pytest.raises(fb.SweepError, match=r"undone \(TimeoutError: the licence server did not answer\)"):
        fb.sweep(experiment, Slow(), out=tmp_path, attempts=1)


def test_two_sweeps_into_one_folder(slow, serial, tmp_path):
    def sweep(_):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return fb.sweep(slow, pool, out=tmp_path, chunk=3, progress=False)

    with concurrent.futures.ThreadPoolExecutor(3) as sweeps:
        for results in sweeps.map(sweep, range(3)):
            same(results, serial)


def test_a_run_that_fails_is_not_tried_again(experiment, tmp_path):
    count = []

    class Failing(Losing):
        def submit(self, work, *arguments):
            count.append(1)
            future = concurrent.futures.Future()
            future.set_exception(fb.RunError("fcfs, load = 0.5 failed: a reason"))
            return future

    with pytest.raises(fb.RunError, match="a reason"):
        fb.sweep(experiment, Failing(), out=tmp_path, chunk=18)
    assert len(count) == 1


def test_wrong_executors(experiment, tmp_path):
    with pytest.raises(TypeError, match="a int has no `submit`"):
        fb.sweep(experiment, 3, out=tmp_path)
    with pytest.raises(ValueError, match="chunk is 0"):
        fb.sweep(experiment, Losing(), out=tmp_path, chunk=0)
    for wrong, words in [({"attempts": 0}, "attempts is 0"), ({"patience": -1}, "patience is -1")]:
        with pytest.raises(ValueError, match=words):
            fb.sweep(experiment, Losing(), out=tmp_path, **wrong)

    class NoFutures(Losing):
        def submit(self, work, *arguments):
            return None

    with pytest.raises(TypeError, match="the `submit` of NoFutures answers with a NoneType, which is no future"):
        fb.sweep(experiment, NoFutures(), out=tmp_path)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pass
    with pytest.raises(fb.SweepError, match="cannot schedule new futures after shutdown"):
        fb.sweep(experiment, pool, out=tmp_path)


@pytest.mark.parametrize("cluster, libraries", [("dask", ["distributed"]), ("ray", ["ray", "psutil"])])
def test_a_cluster_with_a_worker_killed(cluster, libraries, slow, serial, tmp_path):
    for library in libraries:
        pytest.importorskip(library)
    pickled, out, killed = tmp_path / "experiment", tmp_path / "out", tmp_path / "killed"
    pickled.write_bytes(pickle.dumps(slow))
    code, said = drive([cluster, str(pickled), str(out), str(killed)], tmp_path / "said")
    assert code == 0, said
    before = json.loads(killed.read_text())
    assert 0 < len(before) < len(slow), "it died in the middle"
    after = {part.name: part.stat().st_mtime_ns for part in out.glob("parts/*.parquet")}
    assert before.items() <= after.items(), "no run that was stored is repeated"
    results = slow.run(out=out, progress=False)
    assert results.manifest["computed"] == 0, "the workers did it all"
    same(results, serial)


def drive(arguments, said):
    """Runs the driver of a cluster to its end; its exit code and what it printed.

    In a session of its own: whatever a cluster's library does to its process group stays there.
    """
    command = [sys.executable, str(Path(__file__).with_name("cluster_driver.py")), *arguments]
    with said.open("w") as out:
        driver = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = driver.wait(DRIVER_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            # What it left behind, itself included.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
    return code, said.read_text()[-4000:]
