"""The golden models: the Rust types through their Python package, and a plain one in Python.

`ClubHeap` is a tree of objects without levels, memories or addresses: a node appears when an operation first
comes to it. `K - 1` sorted elements to a node, the smallest of each child beside them (clubheap §4.2).
Elements are pairs of rank and data; only ranks are compared. `test_model.py` holds it against the Rust type.
"""

from __future__ import annotations

from bisect import bisect_right
from importlib.util import find_spec


def _rank(element):
    return element[0]


class Node:
    """A cluster without its smallest element, and the smallest of each of `ways` children's."""

    def __init__(self, ways: int):
        self.slots = []
        self.mins = [None] * ways
        self.children = [None] * ways
        self.counts = [0] * ways  # elements below each child; only their differences matter


class ClubHeap:
    """`partitions` logical PIFOs with at most `capacity` elements in all, `ways` children to a node."""

    def __init__(self, cluster: int, capacity: int, partitions: int = 1, ways: int = 2):
        self.places = cluster - 1
        self.capacity = capacity
        self.ways = ways
        self.heads = [None] * partitions
        self.roots = [Node(ways) for _ in range(partitions)]
        self.len = 0

    def operate(self, push: bool, pop: bool, part: int, element):
        """One operation of the hardware: (whether it was pushed, the element popped or None)."""
        popped = None
        if pop and self.heads[part] is not None:
            popped = self.heads[part]
            self.heads[part] = self._refill(self.roots[part], element if push else None)
            self.len -= not push
            return push, popped
        if not push or self.len == self.capacity:
            return False, popped
        self.len += 1
        head = self.heads[part]
        if head is None:
            self.heads[part] = element
        else:
            self.heads[part], sinks = (element, head) if element[0] < head[0] else (head, element)
            self._push(self.roots[part], sinks)
        return True, popped

    def _push(self, node: Node, element):
        while True:
            if len(node.slots) < self.places:
                node.slots.insert(bisect_right(node.slots, element[0], key=_rank), element)
                return
            if element[0] < node.slots[-1][0]:
                last = node.slots.pop()
                node.slots.insert(bisect_right(node.slots, element[0], key=_rank), element)
                element = last
            child = node.counts.index(min(node.counts))
            node.counts[child] += 1
            least = node.mins[child]
            if least is None:
                node.mins[child] = element
                node.children[child] = Node(self.ways)
                return
            if element[0] < least[0]:
                node.mins[child], element = element, least
            node = node.children[child]

    def _refill(self, node: Node, element):
        """Gives up the smallest of the cluster, `element` included; it may be None: nothing comes."""
        present = [child for child, least in enumerate(node.mins) if least is not None]
        child = min(present, key=lambda child: node.mins[child][0], default=0)
        least = node.mins[child]
        enters = element
        if least is not None and (element is None or least[0] <= element[0]):
            node.mins[child] = self._refill(node.children[child], element)
            if element is None:
                node.counts[child] -= 1
            enters = least
        if enters is None:
            return node.slots.pop(0) if node.slots else None
        if not node.slots or enters[0] < node.slots[0][0]:
            return enters
        smallest = node.slots.pop(0)
        node.slots.insert(bisect_right(node.slots, enters[0], key=_rank), enters)
        return smallest


class RustClubHeap:
    """The same operations on the Rust type of logical PIFOs."""

    def __init__(self, cluster: int, capacity: int, partitions: int = 1):
        from forebay.queues import PartitionedClubHeap

        self.queue = PartitionedClubHeap(cluster, capacity, partitions)

    @property
    def len(self):
        """Elements in all logical PIFOs."""
        return len(self.queue)

    def operate(self, push: bool, pop: bool, part: int, element):
        """One operation of the hardware: (whether it was pushed, the element popped or None)."""
        if pop and self.queue.len_in(part):
            popped = self.queue.replace(part, *element) if push else self.queue.pop(part)
            return push, tuple(popped)
        if not push or len(self.queue) == self.queue.capacity:
            return False, None
        self.queue.push(part, *element)
        return True, None


class RustWays:
    """The same operations on the Rust type of one PIFO with `ways` children to a node."""

    def __init__(self, cluster: int, capacity: int, ways: int):
        from forebay.queues import ClubHeap as RustType

        self.queue = RustType(cluster, capacity, ways=ways)

    @property
    def len(self):
        """Elements."""
        return len(self.queue)

    def operate(self, push: bool, pop: bool, _part: int, element):
        """One operation of the hardware: (whether it was pushed, the element popped or None)."""
        if pop and len(self.queue):
            popped = self.queue.replace(*element) if push else self.queue.pop()
            return push, tuple(popped)
        if not push or len(self.queue) == self.queue.capacity:
            return False, None
        self.queue.push(*element)
        return True, None


def golden(cluster: int, capacity: int, partitions: int, ways: int = 2):
    """The Rust model where its package is installed, else the plain one. Logical PIFOs have two ways."""
    if not find_spec("forebay"):
        return ClubHeap(cluster, capacity, partitions, ways)
    return RustClubHeap(cluster, capacity, partitions) if partitions > 1 else RustWays(cluster, capacity, ways)
