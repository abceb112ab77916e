from . import net as net
from . import queues as queues
from ._forebay import AdmissionPipeline as AdmissionPipeline
from ._forebay import Buffer as Buffer
from ._forebay import Cache as Cache
from ._forebay import CacheArrival as CacheArrival
from ._forebay import Claim as Claim
from ._forebay import Experiment as Experiment
from ._forebay import Expression as Expression
from ._forebay import Figure as Figure
from ._forebay import GearboxCore as GearboxCore
from ._forebay import Hbm as Hbm
from ._forebay import JobScheduler as JobScheduler
from ._forebay import OccamyPipeline as OccamyPipeline
from ._forebay import PortScheduler as PortScheduler
from ._forebay import Results as Results
from ._forebay import Scheduler as Scheduler
from ._forebay import SramPort as SramPort
from ._forebay import Switch as Switch
from ._forebay import Table as Table
from ._forebay import ThemisManager as ThemisManager
from ._forebay import WsjfCore as WsjfCore
from ._forebay import __version__ as __version__
from ._forebay import read_trace as read_trace
from .catalogue import experiments as experiments
from .charts import chart as chart
from .errors import CaptureError as CaptureError
from .errors import ConfigError as ConfigError
from .errors import ExpressionError as ExpressionError
from .errors import ForebayError as ForebayError
from .errors import InternalError as InternalError
from .errors import InUseError as InUseError
from .errors import NetError as NetError
from .errors import Refused as Refused
from .errors import ReplayError as ReplayError
from .errors import ResultsError as ResultsError
from .errors import RuleError as RuleError
from .errors import RunError as RunError
from .errors import ShapeError as ShapeError
from .errors import StoreError as StoreError
from .errors import SweepError as SweepError
from .ranks import register_rank as register_rank
from .replays import replay as replay
from .sweeps import sweep as sweep

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
