"""The plain model against the Rust type: the same element in every operation, equal ranks included."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from model import ClubHeap, RustClubHeap, RustWays  # noqa: E402
from streams import Streams  # noqa: E402


@pytest.mark.parametrize(("cluster", "capacity", "partitions", "ranks"), [
    (2, 6, 1, 4), (2, 62, 1, 64), (2, 100, 20, 64), (4, 60, 3, 256), (16, 500, 8, 1 << 16), (3, 50, 2, 16),
])
def test_plain_model_is_the_rust_type(cluster, capacity, partitions, ranks):
    pytest.importorskip("forebay")
    compare(ClubHeap(cluster, capacity, partitions), RustClubHeap(cluster, capacity, partitions),
            Streams(random.Random(3), capacity, partitions, ranks))


@pytest.mark.parametrize(("cluster", "capacity", "ways", "ranks"), [
    (2, 62, 2, 64), (2, 80, 3, 64), (3, 50, 3, 16), (2, 170, 4, 256), (4, 60, 4, 4), (5, 1000, 3, 1 << 16),
])
def test_plain_model_is_the_rust_type_of_more_ways(cluster, capacity, ways, ranks):
    pytest.importorskip("forebay")
    compare(ClubHeap(cluster, capacity, 1, ways), RustWays(cluster, capacity, ways),
            Streams(random.Random(3), capacity, 1, ranks))


def compare(plain, rust, streams):
    """30,000 operations on both."""
    for number, operation in enumerate(streams.operations(30_000)):
        if operation is not None:
            push, pop, part, rank = operation
            asked = (bool(push), bool(pop), part, (rank, number))
            assert plain.operate(*asked) == rust.operate(*asked), number
            assert plain.len == rust.len
