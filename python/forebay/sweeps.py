"""Sweeps over several machines, on whatever already runs your jobs.

Workers share nothing but a folder. Each run has a key, a hash of all that its result depends on; a
worker writes the part of that key whole or not at all, and skips what is there. So nothing rests on
what an executor returns: what is stored is done, and what is not is submitted again.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from ._forebay import Experiment, Results
from .errors import ForebayError, InUseError, SweepError
from .progress import Progress, Shown, choose

#: Tasks that a sweep is cut into at most, where the caller does not say how many runs a task has.
_TASKS = 256
#: Seconds between two looks at the folder while a task is waited for.
_LOOK = 1.0
#: Of the time of a sweep, looks at the folder take at most one part in so many.
_SPARSE = 50
#: Seconds for which another program may hold the folder for itself: as long as it writes tables.
_IN_USE = 30.0

_TIMEOUTS = (TimeoutError, concurrent.futures.TimeoutError, asyncio.TimeoutError)

_T = TypeVar("_T")


def sweep(
    experiment: Experiment,
    executor: Any = None,
    *,
    out: str | Path | None = None,
    chunk: int | None = None,
    attempts: int = 3,
    patience: float | None = None,
    progress: Progress | bool | None = None,
) -> Results:
    """Runs an experiment on the workers of an executor, and returns its results.

    ``executor`` is a ``concurrent.futures.Executor`` or anything with such a ``submit``, a
    ``dask.distributed.Client``, the module ``ray``, or None for the threads of this process.
    ``out`` is a folder that every worker reaches under the same path. A task has ``chunk`` runs.
    What is missing after a round is submitted again, in at most ``attempts`` rounds. When no task
    has stored anything for ``patience`` seconds, all that are left are given up for the round
    (never, by default).

    Raises the worker's own exception if a run fails, and ``SweepError`` if runs are missing after
    the last round. All that finished is stored either way, and the same call goes on from there.
    """
    if not all(hasattr(experiment, needed) for needed in ("missing", "run", "run_share")):
        raise TypeError(f"experiment: expected an Experiment, got {type(experiment).__name__}")
    out = Path(out if out is not None else experiment.folder).absolute()
    if chunk is not None and chunk < 1:
        raise ValueError(f"chunk is {chunk}; a task has at least one run")
    if attempts < 1:
        raise ValueError(f"attempts is {attempts}; runs are submitted in at least one round")
    if patience is not None and not patience >= 0:
        raise ValueError(f"patience is {patience}; give seconds, at least 0, or None to wait")
    if executor is None:
        return experiment.run(out=out, progress=progress)
    workers, show = _adapt(executor), choose(progress, experiment.title)
    folder = _Folder(experiment, out, patience, show)
    failure: BaseException | None = None
    for _ in range(attempts):
        if not folder.missing:
            break
        tasks = _cut(sorted(folder.missing), chunk or -(-len(folder.missing) // _TASKS))
        failure = _round(workers, folder, tasks) or failure
    if folder.missing:
        raise SweepError(_left(experiment, folder.missing, failure)) from failure
    return _when_free(lambda: experiment.run(out=out, progress=False))


def _left(experiment: Experiment, missing: set[int], failure: BaseException | None) -> str:
    done, total = len(experiment) - len(missing), len(experiment)
    why = f"{type(failure).__name__}: {failure}" if failure else "its results never came"
    return (
        f"the executor left {len(missing)} of {total} runs undone ({why}); {done} are stored: call again, "
        "with a new executor if this one is broken"
    )


def _cut(missing: list[int], chunk: int) -> list[list[int]]:
    return [missing[start : start + chunk] for start in range(0, len(missing), chunk)]


def _when_free(work: Callable[[], _T]) -> _T:
    """Does ``work``, a little later if another sweep is writing its tables into the same folder
    just now."""
    began = monotonic()
    while True:
        try:
            return work()
        except InUseError:
            if monotonic() - began > _IN_USE:
                raise
        sleep(0.05)


def _work(experiment: Experiment, places: list[int], out: str) -> int:
    """What a worker does."""
    return _when_free(lambda: experiment.run_share(places, out=out, jobs=1))


class _Folder:
    """Which runs are stored; looked at seldom, as a look takes longer the more there are."""

    def __init__(
        self, experiment: Experiment, out: Path, patience: float | None, show: Shown | None
    ) -> None:
        self.experiment, self.out, self.patience, self.show = experiment, out, patience, show
        self.missing = set(range(len(experiment)))
        self.shown = -1
        self.since = self.look_again = monotonic()
        self.look()

    def look(self) -> None:
        """Looks which runs are missing, and shows it."""
        began = monotonic()
        missing = set(_when_free(lambda: self.experiment.missing(out=self.out)))
        now = monotonic()
        if missing != self.missing:
            self.missing, self.since = missing, now
        self.look_again = now + max(self.wait(), _SPARSE * (now - began))
        done, total = len(self.experiment) - len(missing), len(self.experiment)
        if self.show is not None and done != self.shown:
            self.shown = done
            self.show(done, total, "", done / total)

    def look_at_times(self) -> None:
        """The same, if it is time."""
        if monotonic() >= self.look_again:
            self.look()

    def wait(self) -> float:
        """Seconds for which a task is waited for before the folder is looked at."""
        return _LOOK if self.patience is None else min(_LOOK, self.patience)

    def over(self) -> bool:
        """Whether nothing was stored for too long."""
        if self.patience is None or monotonic() - self.since < self.patience:
            return False
        self.look()
        return monotonic() - self.since >= self.patience


def _round(workers: _Futures | _Ray, folder: _Folder, tasks: list[list[int]]) -> BaseException | None:
    """Submits every task and waits for all; what went wrong first, if it was not the experiment's
    fault."""
    failure: BaseException | None = None
    futures: list[tuple[Any, list[int]]] = []
    folder.since = monotonic()
    try:
        for places in tasks:
            try:
                future = workers.submit(_work, folder.experiment, places, str(folder.out))
            except Exception as error:  # whatever a foreign executor raises: a broken pool, a closed client
                failure = error
                break
            workers.check(future)
            futures.append((future, places))
        for lost in _failures(workers, folder, futures):
            failure = failure or lost
    finally:
        folder.look()
        for future, places in futures:
            if not folder.missing.isdisjoint(places):
                workers.cancel(future)
    return failure


def _failures(
    workers: _Futures | _Ray, folder: _Folder, futures: list[tuple[Any, list[int]]]
) -> Iterator[BaseException]:
    """Waits until each task has ended, its runs are stored, or patience is over for all; what tasks
    raised, but for the experiment's own errors, which are raised.
    """
    over = False
    for future, places in futures:
        try:
            while not workers.wait(future, 0.0 if over else folder.wait()):
                over = over or folder.over()
                folder.look_at_times()
                if over or folder.missing.isdisjoint(places):
                    break
        except ForebayError:
            raise
        except Exception as error:  # a lost worker, in the executor's own words
            yield error
        folder.look_at_times()


def _adapt(executor: Any) -> _Futures | _Ray:
    if hasattr(executor, "submit"):
        return _Futures(executor)
    if hasattr(executor, "remote") and hasattr(executor, "get"):
        return _Ray(executor)
    kind = type(executor).__name__
    raise TypeError(
        f"executor: a {kind} has no `submit`; give a concurrent.futures executor, a dask.distributed.Client or "
        "the module ray"
    )


class _Futures:
    """Anything with ``submit``: its futures have ``result(timeout)`` and ``cancel()``."""

    def __init__(self, executor: Any) -> None:
        self.executor = executor
        # Dask takes two calls alike for one and remembers the answer; here every call has an
        # effect.
        self.options = {"pure": False} if type(executor).__module__.startswith("distributed") else {}

    def submit(self, work: Any, *arguments: Any) -> Any:
        return self.executor.submit(work, *arguments, **self.options)

    def check(self, future: Any) -> None:
        if not all(hasattr(future, name) for name in ("result", "done", "cancel")):
            kind, found = type(self.executor).__name__, type(future).__name__
            raise TypeError(f"executor: the `submit` of {kind} answers with a {found}, which is no future")

    def wait(self, future: Any, seconds: float) -> bool:
        try:
            future.result(timeout=seconds)
        except _TIMEOUTS:
            if not future.done():
                return False
            # It has ended meanwhile, or it is the task's own TimeoutError, which is raised again.
            future.result(timeout=_LOOK)
        return True

    def cancel(self, future: Any) -> None:
        future.cancel()


class _Ray:
    """The module ``ray``."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray

    def submit(self, work: Any, *arguments: Any) -> Any:
        return self.ray.remote(work).remote(*arguments)

    def check(self, future: Any) -> None:
        """Ray's own answers are what they are."""

    def wait(self, future: Any, seconds: float) -> bool:
        done, _ = self.ray.wait([future], timeout=seconds)
        if done:
            self.ray.get(future)
        return bool(done)

    def cancel(self, future: Any) -> None:
        # Not if it has ended: Ray hands a result out before it has filed the task, and a
        # cancellation between the two fails a check of Ray's ("Tried to complete task that was not
        # pending") and aborts this process.
        done, _ = self.ray.wait([future], timeout=0)
        if not done:
            self.ray.cancel(future)
