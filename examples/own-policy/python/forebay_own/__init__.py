"""Forebay with a policy, a rank function and a scenario of one's own.

>>> import forebay_own as fb
>>> fb.Switch("keep-room", ["10G"] * 4).backlog
0
"""

import sys

from . import _own

if "forebay" in sys.modules:
    raise ImportError("forebay is imported already, without what forebay_own adds; import forebay_own first")
sys.modules["forebay._forebay"] = _own._forebay

from forebay import *  # noqa: E402, F403
from forebay import net, replay  # noqa: E402, F401
