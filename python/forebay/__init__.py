"""Forebay: traffic managers and caches, from ranked queues to whole experiments.

>>> import forebay as fb
>>> queue = fb.queues.ClubHeap(cluster=16, capacity=1000)
>>> queue.push(7, "late")
>>> queue.push(3, "soon")
>>> queue.pop()
(3, 'soon')
"""

from . import queues
from ._forebay import __version__
from .errors import ForebayError, InternalError, Refused, ShapeError

__all__ = ["ForebayError", "InternalError", "Refused", "ShapeError", "__version__", "queues"]
