"""The golden model: the Rust `PartitionedClubHeap` through its Python package, and a plain one in Python.

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
    """A cluster without its smallest element, and the smallest of each child's."""

    def __init__(self):
        self.slots = []
        self.mins = [None, None]
        self.children = [None, None]
        self.difference = 0  # elements on the left less those on the right


class ClubHeap:
    """`partitions` logical PIFOs with at most `capacity` elements in all."""

    def __init__(self, cluster: int, capacity: int, partitions: int = 1):
        self.places = cluster - 1
        self.capacity = capacity
        self.heads = [None] * partitions
        self.roots = [Node() for _ in range(partitions)]
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
            child = 1 if node.difference > 0 else 0
            node.difference += 1 - 2 * child
            least = node.mins[child]
            if least is None:
                node.mins[child] = element
                node.children[child] = Node()
                return
            if element[0] < least[0]:
                node.mins[child], element = element, least
            node = node.children[child]

    def _refill(self, node: Node, element):
        """Gives up the smallest of the cluster, `element` included; it may be None: nothing comes."""
        left, right = node.mins
        child = 1 if left is None or (right is not None and right[0] < left[0]) else 0
        least = node.mins[child]
        enters = element
        if least is not None and (element is None or least[0] <= element[0]):
            node.mins[child] = self._refill(node.children[child], element)
            if element is None:
                node.difference -= 1 - 2 * child
            enters = least
        if enters is None:
            return node.slots.pop(0) if node.slots else None
        if not node.slots or enters[0] < node.slots[0][0]:
            return enters
        smallest = node.slots.pop(0)
        node.slots.insert(bisect_right(node.slots, enters[0], key=_rank), enters)
        return smallest


class RustClubHeap:
    """The same operations on the Rust type."""

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


def golden(cluster: int, capacity: int, partitions: int):
    """The Rust model where its package is installed, else the plain one."""
    kind = RustClubHeap if find_spec("forebay") else ClubHeap
    return kind(cluster, capacity, partitions)
