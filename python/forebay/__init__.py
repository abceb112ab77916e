"""Forebay: traffic managers and caches, from ranked queues to whole experiments.

>>> import forebay as fb
>>> queue = fb.queues.ClubHeap(cluster=16, capacity=1000)
>>> queue.push(7, "late")
>>> queue.push(3, "soon")
>>> queue.pop()
(3, 'soon')
"""

from typing import Any

from . import queues
from ._forebay import (
    AdmissionPipeline,
    Buffer,
    Cache,
    CacheArrival,
    Claim,
    Experiment,
    Expression,
    Figure,
    GearboxCore,
    Hbm,
    JobScheduler,
    OccamyPipeline,
    PortScheduler,
    Results,
    Scheduler,
    SramPort,
    Switch,
    Table,
    ThemisManager,
    WsjfCore,
    __version__,
    read_trace,
)
from .errors import (
    CaptureError,
    ConfigError,
    ExpressionError,
    ForebayError,
    InternalError,
    InUseError,
    NetError,
    Refused,
    ReplayError,
    ResultsError,
    RuleError,
    RunError,
    ShapeError,
    StoreError,
    SweepError,
)

#: What is imported when it is first used: the package itself must be there at once.
_LATER = {
    "experiments": "catalogue",
    "sweep": "sweeps",
    "chart": "charts",
    "register_rank": "ranks",
    "replay": "replays",
    "net": "net",
}

__all__ = [
    "AdmissionPipeline",
    "Buffer",
    "Cache",
    "CacheArrival",
    "CaptureError",
    "Claim",
    "ConfigError",
    "Experiment",
    "Expression",
    "ExpressionError",
    "Figure",
    "ForebayError",
    "GearboxCore",
    "Hbm",
    "InUseError",
    "InternalError",
    "JobScheduler",
    "NetError",
    "OccamyPipeline",
    "PortScheduler",
    "Refused",
    "ReplayError",
    "Results",
    "ResultsError",
    "RuleError",
    "RunError",
    "Scheduler",
    "ShapeError",
    "SramPort",
    "StoreError",
    "SweepError",
    "Switch",
    "Table",
    "ThemisManager",
    "WsjfCore",
    "__version__",
    "chart",
    "experiments",
    "net",
    "queues",
    "read_trace",
    "register_rank",
    "replay",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'forebay' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f".{_LATER[name]}", __name__)
    value = module if _LATER[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
