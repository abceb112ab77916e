"""The types that the stubs of the classes written in Rust name."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._forebay import CacheArrival

#: A time or a span in picoseconds, a size in bytes, a rate in bits a second; or a text with its
#: unit.
Time = SupportsIndex | float | str
Size = SupportsIndex | float | str
Rate = SupportsIndex | float | str

#: Ranks and items that were popped; the items are a list if any is no whole number.
Columns = tuple[NDArray[np.uint64], NDArray[np.uint64] | list[Any]]
#: Ranks and ids.
Ids = tuple[NDArray[np.uint64], NDArray[np.uint64]]
#: Flows, ranks, times and items.
PieoColumns = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64] | list[Any]]
#: Three arrays of whole numbers.
Three = tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]

Tier = Literal["sram", "hbm"]
#: A rank, an id, and where it waits.
Entry = tuple[int, int, Tier]
Below = Literal["first", "reject"]
Beyond = Literal["last", "reject"]
Advance = Literal["when-empty", "by-caller"]

#: The text of an expression, or a function of a named tuple.
Rule = str | Callable[[Any], int | bool]
#: The name of a rank function, the text of an expression, or a function of a named tuple.
Rank = str | Callable[[Any], int]
#: Whether progress is shown; or a function of runs done, runs in all, and a label.
Progress = Callable[[int, int, str], object] | bool | None


class CachePolicy(Protocol):
    """A cache policy of one's own: an object for each set of the cache, told of what happens in
    order.

    Two more methods are called where they exist: `absent(object, time)` for a request that misses
    or waits, and `arrive(arrival)` before anything is evicted, which answers whether the data may
    be admitted at all.
    """

    def hit(self, object: int, time: int, /) -> Any:
        """A cached object was asked for."""

    def admit(self, arrival: "CacheArrival", /) -> Any:
        """The object is cached now."""

    def evict(self, arrival: "CacheArrival", /) -> int | None:
        """Which cached object makes room for it, asked until there is enough; None lets it pass."""
