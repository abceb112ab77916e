"""A rank of one's own at every door: a function ranks as the rule does that says the same, and what
it raises or answers wrongly is raised.
"""

import csv
import math
import traceback

import numpy as np
import pytest
from conftest import EXPERIMENTS

import forebay as fb

GBPS = 1_000_000_000
CAPTURE = EXPERIMENTS / "themis/captures/mixed-programs.pcap"
RULE = "(class * 1_000_000 + flow_size / 7 + flow % 3 * 100 + size + input * 10 + now / 1_000_000) % 1_003"
RANKING = ("pifo", "themis", "occamy-rank")


def function(packet):
    """The same as RULE."""
    per_packet = packet.class_ * 1_000_000 + packet.flow_size // 7 + packet.flow % 3 * 100 + packet.size
    return (per_packet + packet.input * 10 + packet.now // 1_000_000) % 1_003


@pytest.fixture(scope="module")
def registered():
    fb.register_rank("mine", function)
    return "mine"


@pytest.fixture(scope="module")
def trace():
    """Times, ports and sizes; and what else packets have."""
    draw = np.random.default_rng(1)
    count = 2000
    columns = np.sort(draw.integers(0, 10**9, count)), draw.integers(0, 3, count), draw.integers(64, 1500, count)
    of = {"flows": (50, 1), "classes": (3, 0), "inputs": (4, 0), "flow_sizes": (10**6, 0)}
    return columns, {name: draw.integers(low, high, count) for name, (high, low) in of.items()}


@pytest.fixture(scope="module")
def flows():
    return fb.net.incast(hosts=8, degree=6, query="300 KB", per_second=2000, span="3 ms")


@pytest.mark.parametrize("name", RANKING)
def test_a_switch(name, trace, registered):
    columns, more = trace
    # Occamy looks at ranks where several queues hold too much.
    own = {"occamy-rank": {"buffer": "20 KB", "classes": 3}, "pifo": {"buffer": "20 KB"}, "themis": {"buffer": "100 KB"}}

    def rows(rank):
        served = fb.Switch(name, [3 * GBPS] * 3, rank=rank, **own[name]).serve(*columns, **more)
        return [column.tolist() for column in served]

    ruled = rows(RULE)
    assert any(ruled[1]) and rows(function) == ruled and rows(registered) == ruled
    assert rows("size") != ruled


def test_a_scheduler(trace, registered):
    (times, _, sizes), more = trace
    more = {name: column for name, column in more.items() if name != "inputs"}
    served = [
        fb.Scheduler(*name, **own).serve(times, sizes, rate=9 * GBPS, **more).tolist()
        for name, own in [((), {"rank": RULE}), ((), {"rank": function}), ((), {"rank": registered}), ((registered,), {})]
    ]
    assert served[0] == served[1] == served[2] == served[3]
    assert fb.Scheduler(rank="sff").serve(times, sizes, rate=9 * GBPS, **more).tolist() != served[0]


@pytest.mark.parametrize("name", RANKING)
def test_a_replay(name, tmp_path, registered):
    def rows(rank):
        out = tmp_path / "out.csv"
        options = {"rate": ["300M"] * 2, "load": 1.1, "buffer": "100 KB", "class_": "dscp % 3"}
        report = fb.replay(CAPTURE, switch=name, rank=rank, out=out, **options)
        return report, list(csv.DictReader(out.read_text().splitlines()))

    ruled = rows(RULE)
    assert rows(function) == ruled and len({row["rank"] for row in ruled[1]}) > 100
    # Inside of the switch: a table does not know its ranks.
    report, table = rows(registered)
    assert report == ruled[0] and table == [{**row, "rank": ""} for row in ruled[1]]


def test_a_replay_by_header_fields(tmp_path):
    def rows(rank):
        out = tmp_path / "out.csv"
        return fb.replay(CAPTURE, rate="300M", load=1.1, switch="pifo", rank=rank, out=out), out.read_text()

    assert rows(lambda packet: 63 - packet.dscp + packet.hash % 5) == rows("63 - dscp + hash % 5")


@pytest.mark.parametrize("name", RANKING)
def test_a_network(name, flows, registered):
    def run(rank):
        done = fb.net.run("star:8,10G,1us", flows, switch=name, buffer="100 KB", rank=rank)
        columns = {column: done.flows[column].tolist() for column in ("fct_ns", "resent", "timeouts", "delivered")}
        return columns, done.report["losses"], done.report["classes"]

    ruled = run(RULE)
    assert run(function) == ruled and run(registered) == ruled
    assert run("size") != ruled


def test_a_network_on_several_threads(flows, registered):
    for own in ({"switch": "pifo", "rank": function}, {"switch": "themis", "rank": registered}, {"switch": registered}):
        with pytest.raises(fb.NetError, match="threads: a rank that is a Python function is called from one thread"):
            fb.net.run("star:8,10G,1us", flows, threads=2, **own)


NETWORK = """
title = "A rank of one's own"
scenario = "network"
policies = ["pifo"]
[topology]
kind = { value = "star", assumed = "small" }
hosts = { value = 8, assumed = "small" }
[run]
warm_up = { value = "0 s", assumed = "short" }
span = { value = "1 ms", assumed = "short" }
[sweep]
load = [0.8]
"""


def single_point():
    file = EXPERIMENTS / "themis/sensitivity-rank-bits.toml"
    short = {"rank_bits": 10, "load": 0.9, "span": "300 us", "warm_up": "100 us", "sram.capacity": "400 KB"}
    return fb.Experiment.load(file).set(short).with_seeds([1])


@pytest.mark.parametrize("experiment", [lambda: fb.Experiment.parse(NETWORK), single_point], ids=["network", "single-point"])
def test_an_experiment(experiment, tmp_path, registered):
    def rows(rank):
        results = experiment().set(rank=rank).run(out=tmp_path / str(len(rank)), progress=False)
        return [list(results.table[column]) for column in ("metric", "value")]

    ruled = rows(RULE)
    np.testing.assert_equal(rows(registered), ruled)
    with pytest.raises(AssertionError):
        np.testing.assert_equal(rows("size"), ruled)


def test_results_of_a_changed_function_are_computed_anew(tmp_path):
    experiment = fb.Experiment.parse(NETWORK)

    def runs_missing(version=None, rank=function):
        fb.register_rank("changing", rank, version=version)
        return experiment.set(rank="changing").missing(out=tmp_path)

    assert runs_missing() == [0]
    experiment.set(rank="changing").run(out=tmp_path, progress=False)
    assert runs_missing() == [] and runs_missing(version="2") == [0]
    assert runs_missing(rank=lambda packet: packet.size) == [0]
    shown = experiment.set(rank="changing").parameters
    assert "scheduler.changing_version" in shown


def test_digests_follow_what_a_function_refers_to():
    digests = []

    def digest(rank):
        fb.register_rank("digested", rank)
        experiment = fb.Experiment.parse(NETWORK).set(rank="digested")
        digests.append(experiment.parameters["scheduler.digested_version"][0])
        return digests[-1]

    def over(limit):
        return lambda packet: int(packet.size > limit)

    assert digest(over(5)) == digest(over(5)) != digest(over(6))
    assert digest(lambda packet: helper_a(packet)) != digest(lambda packet: helper_b(packet))
    assert digest(lambda packet: packet.size) != digest(lambda packet: packet.flow)
    with pytest.raises(TypeError, match="version: a builtin_function_or_method does not show its code"):
        fb.register_rank("digested", len)
    assert digest(lambda packet: int(math.sqrt(packet.size)))


@pytest.mark.parametrize("value", [np.array([1, 0]), [np.array([1, 0])], np, type("Own", (), {}), object()])
def test_what_a_digest_does_not_see_needs_a_version(value):
    def rank(packet):
        return packet.size if value is None else packet.flow

    with pytest.raises(TypeError, match="the function refers to `value`, and a digest does not see into a"):
        fb.register_rank("digested", rank)
    fb.register_rank("digested", rank, version="1")


def helper_a(packet):
    return packet.size % 3


def helper_b(packet):
    return packet.size % 4


def test_names_are_ones_own():
    with pytest.raises(fb.ShapeError, match="there is a switch `srpt` already; give yours another name"):
        fb.register_rank("srpt", function)
    for wrong in ("", "3", "a name", "a.b", "-x", "a_b"):
        with pytest.raises(fb.ShapeError, match="is not a name for a rank function"):
            fb.register_rank(wrong, function)
    for word in ("size", "now", "dscp", "expression"):
        with pytest.raises(fb.ShapeError, match=f'"{word}" is a word of rules'):
            fb.register_rank(word, function)
    for options in ({"version": "1"}, {}):
        with pytest.raises(TypeError, match="expected a function, got int"):
            fb.register_rank("five", 5, **options)


def test_a_sentence_may_be_missing():
    def rank(packet):
        """ """
        return packet.size

    fb.register_rank("silent", rank)
    assert ("silent", "a Python function") in fb.Switch.ranks()


def test_a_function_that_is_replaced_may_finalize_what_it_held():
    ended = []

    class Held:
        def __del__(self):
            ended.append(repr(fb.Switch("pifo", ["10G"])))

    def holding(held):
        return lambda packet: 0 if held is None else packet.size

    fb.register_rank("holding", holding(Held()), version="1")
    fb.register_rank("holding", function, version="2")
    assert len(ended) == 1


def raises(packet):
    raise LookupError("of my own")


WRONG = {
    "raises": (raises, LookupError, "of my own"),
    "text": (lambda packet: "x", fb.RuleError, r"rank: the function answered 'x'; a rank is a whole number from 0 to"),
    "negative": (lambda packet: -1, fb.RuleError, "the function answered -1;"),
    "large": (lambda packet: 2**70, fb.RuleError, "the function answered 1180591620717411303424;"),
    "fraction": (lambda packet: 1.5, fb.RuleError, r"the function answered 1\.5;"),
    "nan": (lambda packet: float("nan"), fb.RuleError, "the function answered nan;"),
    "none": (lambda packet: None, fb.RuleError, "the function answered None;"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_a_function_raises_or_answers_wrongly_is_raised(wrong, flows, tmp_path):
    rank, kind, text = WRONG[wrong]
    fb.register_rank("wrong", rank)
    experiment = fb.Experiment.parse(NETWORK).set(rank="wrong")
    doors = [
        lambda own: fb.Scheduler(rank=own).enqueue(0, 1),
        lambda own: fb.Scheduler(rank=own).serve([0], [1], rate=GBPS),
        lambda own: fb.Switch("themis", [GBPS], rank=own).enqueue(0, 0, 1),
        lambda own: fb.Switch("pifo", [GBPS], rank=own).serve([0], [0], [1]),
        lambda own: fb.net.run("star:8,10G,1us", flows, switch="themis", rank=own),
        lambda own: fb.replay(CAPTURE, rate="1G", switch="pifo", rank=own),
        lambda own: experiment.with_seeds([1, 2, 3, 4]).run(out=tmp_path, jobs=2, progress=False),
        lambda own: experiment.trace(tmp_path / "trace", policy="pifo"),
    ]
    for door in doors:
        for own in (rank, "wrong"):
            with pytest.raises(kind, match=text) as error:
                door(own)
            assert (wrong == "raises") == any(at.name == "raises" for at in traceback.extract_tb(error.tb))
    assert experiment.missing(out=tmp_path) == [0]


def test_the_largest_rank_is_taken():
    scheduler = fb.Scheduler(rank=lambda packet: 2**64 - packet.flow)
    for flow in (1, 2, 3):
        scheduler.enqueue(0, 1, flow=flow)
    assert [scheduler.dequeue(0)[1] for _ in range(3)] == [3, 2, 1]
