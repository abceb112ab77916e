"""Whatever the engine has by name, Python has: the names are read from the engine's sources."""

import re
from pathlib import Path

import pytest

import forebay as fb
from forebay import queues

CRATES = Path(__file__).parents[2] / "crates"
GBPS = 1_000_000_000


def sources(crate):
    return {path: path.read_text() for path in (CRATES / crate / "src").rglob("*.rs") if "test" not in path.name}


def choices(folder, made=r"Choice::new|\bchoice|\bchoice_of|\bweighted"):
    """The names of the choices that the files of a folder make."""
    text = "\n".join(path.read_text() for path in (CRATES / folder).rglob("*.rs"))
    return set(re.findall(rf'(?:{made})\(\s*"([^"]+)"', text))


def functions():
    # A rule is called by its text.
    return choices("sched/src/functions") - {"expression"}


#: As they are when tests are collected: other tests register rank functions of their own.
SCHEDULERS, SWITCHES, RANKS = fb.Scheduler.names(), fb.Switch.names(), fb.Switch.ranks()
HYBRID = choices("buffer/src/policy")
ON_CHIP = choices("buffer/src/onchip/policy")


def test_every_queue():
    built = set()
    for text in sources("pifo").values():
        traits = "(?:Ranked|Partitioned|Tiered|Indexed|Approximate)Queue"
        built |= set(re.findall(rf"\bimpl\b[^;{{]*?\b{traits}\s+for\s+(\w+)", text))
    assert {"BucketQueue", "SampleQueue", "PartitionedClubHeap", "TieredBuckets", "Aifo"} <= built
    # `Stable` is `fifo_ties=True`; the rest are no structures of their own.
    missing = built - set(queues.__all__) - {"Stable", "Box", "Q"}
    assert not missing
    assert {"Pieo", "Pipelined", "LatencyFree"} <= set(queues.__all__)


def test_every_scheduler():
    registry = choices("sched/src/fair") | {"cq-1", "cq-10", "cq-100", "tree"} | functions()
    assert {name for name, _ in SCHEDULERS} == registry and len(registry) > 20


def test_every_port_scheduler():
    registry = choices("sched/src/port")
    assert {name for name, _ in fb.PortScheduler.names()} == registry
    for name in registry:
        assert fb.PortScheduler(name, 2).select([None, 1500]) == 1


def test_every_buffer_manager():
    assert {name for name, _ in fb.Buffer.names()} == ON_CHIP and "occamy" in ON_CHIP
    assert HYBRID == {"themis", "greedy-hybrid", "dt-hybrid", "occamy-hybrid"}
    assert HYBRID <= {name for name, _ in fb.Switch.names()}


def test_every_switch():
    schedulers = {name for name, _ in SCHEDULERS}
    names = [name for name, about in SWITCHES if about]
    assert set(names) == schedulers | ON_CHIP | HYBRID | {"drop-tail", "pifo"} and len(set(names)) == len(names)
    assert {name for name, _ in RANKS} == functions()


def test_every_cache_policy():
    assert {name for name, _ in fb.Cache.names()} == choices("cache/src/policies", r"\bbase")


def test_every_job_policy():
    registry = choices("surge/src/policies")
    assert {name for name, _ in fb.JobScheduler.names()} == registry


@pytest.mark.parametrize("name", sorted(name for name, _ in SWITCHES))
def test_every_switch_forwards(name):
    switch = fb.Switch(name, [10 * GBPS] * 3)
    assert switch.enqueue(0, 1, 1500, flow=2, class_=0, tag=77, flow_size=1500) is None
    assert switch.backlog == 1500 and not switch.is_empty(1)
    at = switch.next_event() or 0
    assert switch.dequeue(at, 1) == (1500, 77, 2, 0, False)
    assert switch.backlog == 0 and switch.is_empty(1) and switch.dequeue(at, 1) is None
    assert len(switch.parameters(name)) == len(set(switch.parameters(name))) > 0


def test_every_parameter_is_taken():
    """With its default where it is known, so that nothing else can be wrong."""
    for make, names in ((fb.Scheduler, SCHEDULERS), (fb.Buffer, fb.Buffer.names())):
        for name, _ in names:
            for parameter in make.parameters(name):
                make(name, **{parameter: None})
            with pytest.raises(fb.ShapeError, match="there is no parameter `colour`; "):
                make(name, colour=1)
