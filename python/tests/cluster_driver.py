"""Runs a sweep on a cluster of this machine and kills one of its workers on the way.

    python cluster_driver.py dask|ray EXPERIMENT.pickle OUT KILLED

A program of its own, so that whatever a cluster's library does to its driver (Ray aborts it where a
check of its own fails) stays there. When a worker has been killed, KILLED holds the parts that were
stored by then, as JSON: the time in nanoseconds at which each was written.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import forebay as fb

#: Seconds until a cluster must have stored its first runs, and shown its workers.
PATIENCE = 60
#: Runs that are stored before a worker is killed.
STORED = 2

Cluster = tuple[Any, Callable[[], list[int]]]


@contextmanager
def dask_cluster() -> Iterator[Cluster]:
    """Two processes, and how to find theirs."""
    import distributed

    kind = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**kind) as cluster, distributed.Client(cluster) as client:
        workers = list(client.run(os.getpid).values())
        assert len(workers) == 2 and os.getpid() not in workers
        yield client, lambda: workers


@contextmanager
def ray_cluster() -> Iterator[Cluster]:
    """Two processes, and how to find those that are at work."""
    import psutil
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        yield ray, lambda: [child.pid for child in children(psutil) if child.name().startswith("ray::_work")]
    finally:
        ray.shutdown()


def children(psutil: Any) -> list[Any]:
    """The processes below this one."""
    return psutil.Process().children(recursive=True)


CLUSTERS = {"dask": dask_cluster, "ray": ray_cluster}


def wait(ready: Callable[[], Any], what: str) -> Any:
    """What ``ready`` answers, once that is something."""
    deadline = time.monotonic() + PATIENCE
    while not (found := ready()):
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.01)
    return found


def kill_one(out: Path, killed: Path, workers: Callable[[], list[int]]) -> None:
    """Kills a worker in the middle of the sweep; it is looked for before, as that takes as long as
    some runs."""
    worker = wait(workers, "no worker was found")[0]
    wait(lambda: len(list(out.glob("parts/*.parquet"))) >= STORED, "no runs were stored")
    os.kill(worker, signal.SIGKILL)
    killed.write_text(json.dumps({part.name: part.stat().st_mtime_ns for part in out.glob("parts/*.parquet")}))


def main(kind: str, pickled: str, out: str, killed: str) -> None:
    """The sweep."""
    experiment = pickle.loads(Path(pickled).read_bytes())
    with CLUSTERS[kind]() as (executor, workers):
        killer = threading.Thread(target=kill_one, args=(Path(out), Path(killed), workers), daemon=True)
        killer.start()
        results = fb.sweep(experiment, executor, out=out, progress=False)
        killer.join(PATIENCE)
    assert results.manifest["computed"] == 0, "the workers did it all"


if __name__ == "__main__":
    main(*sys.argv[1:])
