"""The plain model against the Rust type: the same element in every operation, equal ranks included."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from model import ClubHeap, RustClubHeap  # noqa: E402
from streams import Streams  # noqa: E402


@pytest.mark.parametrize(("cluster", "capacity", "partitions", "ranks"), [
    (2, 6, 1, 4), (2, 62, 1, 64), (2, 100, 20, 64), (4, 60, 3, 256), (16, 500, 8, 1 << 16), (3, 50, 2, 16),
])
def test_plain_model_is_the_rust_type(cluster, capacity, partitions, ranks):
    pytest.importorskip("forebay")
    plain, rust = ClubHeap(cluster, capacity, partitions), RustClubHeap(cluster, capacity, partitions)
    for number, operation in enumerate(Streams(3, capacity, partitions, ranks).operations(30_000)):
        if operation is not None:
            push, pop, part, rank = operation
            asked = (bool(push), bool(pop), part, (rank, number))
            assert plain.operate(*asked) == rust.operate(*asked), number
            assert plain.len == rust.len
