"""Sweeps over workers that die, lose results or raise: complete, and equal to the serial run."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time

import pytest

import forebay as fb


@pytest.fixture
def slow(experiment):
    """The same with runs that take long enough to be killed in."""
    return experiment.set(jobs=400_000)


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
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pass
    with pytest.raises(fb.SweepError, match="cannot schedule new futures after shutdown"):
        fb.sweep(experiment, pool, out=tmp_path)


@pytest.mark.filterwarnings("default")
def test_dask_with_a_worker_killed(slow, serial, tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = client.run(os.getpid)
        assert len(workers) == 2 and os.getpid() not in workers.values()

        def kill():
            wait_for_parts(tmp_path, 3)
            os.kill(next(iter(workers.values())), signal.SIGKILL)
            killed.append(len(slow.missing(out=tmp_path)))

        killed = []
        killer = threading.Thread(target=kill)
        killer.start()
        results = fb.sweep(slow, client, out=tmp_path)
        killer.join()
    assert killed[0] > 0, "it died in the middle"
    assert results.manifest["computed"] == 0
    same(results, serial)


@pytest.mark.filterwarnings("default")
def test_ray_with_a_worker_killed(slow, serial, tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    psutil = pytest.importorskip("psutil")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:

        def workers():
            children = psutil.Process().children(recursive=True)
            return [child for child in children if child.name().startswith("ray::_work")]

        def kill():
            wait_for_parts(tmp_path, 3)
            deadline = time.monotonic() + 60
            while not (found := workers()):
                assert time.monotonic() < deadline
            found[0].kill()
            killed.append(len(slow.missing(out=tmp_path)))

        killed = []
        killer = threading.Thread(target=kill)
        killer.start()
        results = fb.sweep(slow, ray, out=tmp_path)
        killer.join()
    finally:
        ray.shutdown()
    assert killed[0] > 0, "it died in the middle"
    assert results.manifest["computed"] == 0
    same(results, serial)
