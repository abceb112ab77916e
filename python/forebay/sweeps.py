"""Sweeps over several machines, on whatever already runs your jobs.

Workers share nothing but a folder. Each run has a key, a hash of all that its result depends on; a worker
writes the part of that key whole or not at all, and skips what is there. So nothing rests on what an executor
returns: what is stored is done, and what is not is submitted again.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from ._forebay import Experiment, Results
from .errors import ForebayError, SweepError
from .progress import Progress, choose

#: Tasks that a sweep is cut into at most, where the caller does not say how many runs a task has.
_TASKS = 256
#: Seconds between two looks at the folder while a task is waited for.
_LOOK = 1.0

_TIMEOUTS = (TimeoutError, concurrent.futures.TimeoutError, asyncio.TimeoutError)


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
    ``dask.distributed.Client``, the module ``ray``, or None for the threads of this process. ``out`` is a folder
    that every worker reaches under the same path. A task has ``chunk`` runs. What is missing after a round is
    submitted again, in at most ``attempts`` rounds. When no task has stored anything for ``patience`` seconds, those
    that are left are given up for the round (never, by default).

    Raises the worker's own exception if a run fails, and ``SweepError`` if runs are missing after the last round.
    All that finished is stored either way, and the same call goes on from there.
    """
    out = Path(out if out is not None else experiment.folder).absolute()
    if executor is None:
        return experiment.run(out=out, progress=progress)
    if chunk is not None and chunk < 1:
        raise ValueError(f"chunk is {chunk}; a task has at least one run")
    show = choose(progress, experiment.title)
    failure: BaseException | None = None
    for _ in range(max(attempts, 1)):
        missing = experiment.missing(out=out)
        if not missing:
            break
        tasks = _cut(missing, chunk or -(-len(missing) // _TASKS))
        failure = _round(_adapt(executor), experiment, tasks, out, _Patience(patience), show) or failure
    missing = experiment.missing(out=out)
    if missing:
        raise SweepError(_left(experiment, missing, failure)) from failure
    return experiment.run(out=out, progress=False)


def _left(experiment: Experiment, missing: list[int], failure: BaseException | None) -> str:
    done, total = len(experiment) - len(missing), len(experiment)
    why = f"{type(failure).__name__}: {failure}" if failure else "its results never came"
    return (
        f"the executor left {len(missing)} of {total} runs undone ({why}); {done} are stored: call again, "
        "with a new executor if this one is broken"
    )


def _cut(missing: list[int], chunk: int) -> list[list[int]]:
    return [missing[start : start + chunk] for start in range(0, len(missing), chunk)]


def _work(experiment: Experiment, places: list[int], out: str) -> int:
    """What a worker does."""
    return experiment.run_share(places, out=out, jobs=1)


def _round(
    executor: _Futures | _Ray,
    experiment: Experiment,
    tasks: list[list[int]],
    out: Path,
    patience: _Patience,
    show: Progress | None,
) -> BaseException | None:
    """Submits every task and waits for all; what went wrong first, if it was not the experiment's fault."""
    failure: BaseException | None = None
    futures = []
    try:
        for places in tasks:
            try:
                futures.append((executor.submit(_work, experiment, places, str(out)), places))
            except Exception as error:  # whatever a foreign executor raises: a broken pool, a closed client
                failure = error
                break
        for future, places in futures:
            try:
                for _ in _waiting(executor, future, experiment, places, out, patience):
                    _tell(show, experiment, out)
            except ForebayError:
                raise
            except Exception as error:  # a lost worker, in the executor's own words
                failure = failure or error
            _tell(show, experiment, out)
    finally:
        missing = experiment.missing(out=out)
        for future, places in futures:
            if not set(places).isdisjoint(missing):
                executor.cancel(future)
    return failure


def _waiting(
    executor: _Futures | _Ray,
    future: Any,
    experiment: Experiment,
    places: list[int],
    out: Path,
    patience: _Patience,
) -> Iterator[None]:
    """Ends when the task has, when its runs are stored, or when nothing was stored for too long."""
    while not executor.wait(future, patience.look()):
        missing = experiment.missing(out=out)
        if set(places).isdisjoint(missing) or patience.ends(len(missing)):
            return
        yield


class _Patience:
    """How long a round waits for the next run to be stored."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.missing: int | None = None
        self.since = monotonic()

    def look(self) -> float:
        """Seconds until the folder is looked at again."""
        return _LOOK if self.seconds is None else min(_LOOK, max(self.seconds, 0.0))

    def ends(self, missing: int) -> bool:
        """Whether it is over, with so many runs missing now."""
        if missing != self.missing:
            self.missing, self.since = missing, monotonic()
        return self.seconds is not None and monotonic() - self.since >= self.seconds


def _tell(show: Progress | None, experiment: Experiment, out: Path) -> None:
    if show is not None:
        total = len(experiment)
        show(total - len(experiment.missing(out=out)), total, "")


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
        # Dask takes two calls alike for one and remembers the answer; here every call has an effect.
        self.options = {"pure": False} if type(executor).__module__.startswith("distributed") else {}

    def submit(self, work: Any, *arguments: Any) -> Any:
        return self.executor.submit(work, *arguments, **self.options)

    def wait(self, future: Any, seconds: float) -> bool:
        try:
            future.result(timeout=seconds)
        except _TIMEOUTS:
            # The task's own TimeoutError looks the same, but then the task is done.
            return future.done()
        return True

    def cancel(self, future: Any) -> None:
        future.cancel()


class _Ray:
    """The module ``ray``."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray

    def submit(self, work: Any, *arguments: Any) -> Any:
        return self.ray.remote(work).remote(*arguments)

    def wait(self, future: Any, seconds: float) -> bool:
        done, _ = self.ray.wait([future], timeout=seconds)
        if done:
            self.ray.get(future)
        return bool(done)

    def cancel(self, future: Any) -> None:
        # Not if it has ended: Ray hands a result out before it has filed the task, and a cancellation between the
        # two fails a check of Ray's ("Tried to complete task that was not pending") and aborts this process.
        done, _ = self.ray.wait([future], timeout=0)
        if not done:
            self.ray.cancel(future)
