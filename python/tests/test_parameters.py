"""Parameters by name: they do something, and what does not apply is said."""

import numpy as np
import pytest

import forebay as fb

GBPS = 1_000_000_000
US = 1_000_000


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (lambda: fb.Scheduler("fifo", weights=[9]), r'scheduler "fifo": there is no parameter `weights`; known: packets, bytes'),
        (lambda: fb.Scheduler("fifo", quantum=5), r'"fifo": there is no parameter `quantum`'),
        (lambda: fb.Scheduler("drr", quantun=5), r"there is no parameter `quantun`.*did you mean `quantum`\?"),
        (lambda: fb.Scheduler(rank="size", weights=[1]), "a rank of your own: there is no parameter `weights`"),
        (lambda: fb.Scheduler("gearbox", levels=[(8, 1), (8, 7)]), "level"),
        (lambda: fb.Scheduler("gearbox", levels=[8]), "levels: expected pairs"),
        (lambda: fb.Scheduler("gearbox", rounding="up"), "rounding: up is not one of carried, per-unit"),
        (lambda: fb.Scheduler("drr", quantum=-1), "quantum: expected a whole number from 0"),
        (lambda: fb.Scheduler("wfq", weights=[0]), "weights: 0 is not a whole number between 1 and 4,294,967,295"),
        (lambda: fb.Scheduler("edf", quantizer=("linear", 0)), "quantizer: .*is not an order of ranks: give exact"),
        (lambda: fb.Scheduler("sff", bucket_ranks=8), "there is no parameter `bucket_ranks`"),
        (lambda: fb.Buffer("pushout", alpha=8.0), r'buffer "pushout": there is no parameter `alpha`; known: ports'),
        (lambda: fb.Buffer("dt", push_out="head"), "there is no parameter `push_out`"),
        (lambda: fb.Buffer("dt", queues=[{"limit": 3}]), 'queues: entry 0, of a queue under "dt": there is no parameter `limit`'),
        (lambda: fb.Buffer("dt", queues=[3]), "queues: expected a list of dictionaries"),
        (lambda: fb.Buffer(admission="1", pools=[3]), "there is no parameter `pools`"),
        (lambda: fb.JobScheduler("fcfs", overrun=2), 'job scheduler "fcfs": there is no parameter `overrun`; none is known'),
        (lambda: fb.JobScheduler("wsjf-hoq", overrun=2), 'job scheduler "wsjf-hoq": there is no parameter `overrun`; known: secret'),
        (lambda: fb.PortScheduler("strict-priority", 2, weights=[1, 2]), "there is no parameter `weights`"),
        (lambda: fb.PortScheduler("wrr", 2, quantum=2), "there is no parameter `quantum`"),
        (lambda: fb.PortScheduler("wrr", 2, weights=[2]), "weights: 1 for 2 queues"),
        (lambda: fb.Hbm(t_rp=0), "t_rp: 0 is not a whole number between 1"),
        (lambda: fb.Hbm(t_rpp=1), "did you mean `t_rp`"),
        (lambda: fb.Hbm(lookahead=1), "Hbm: there is no parameter `lookahead`"),
        (lambda: fb.Hbm(refresh="daily"), "refresh: daily is not one of off, all-bank, per-bank"),
        (lambda: fb.Hbm(queue_depth=65), "queue_depth: 65 is not a whole number between 0 and 64"),
        (lambda: fb.Switch("themis", [GBPS], alpha=1.0), r'switch "themis": there is no parameter `alpha`'),
        (lambda: fb.Switch("themis", [GBPS], swap_in_watermark=0.9), "swap_in_watermark: it is 0.9"),
        (lambda: fb.Switch("themis", [GBPS], hbm={"t_rpp": 1}), "no parameter `hbm.t_rpp`; did you mean `hbm.t_rp`"),
        (lambda: fb.Switch("themis", [GBPS], hbm={"t_rp": 0}), "hbm.t_rp: 0 is not a whole number between 1"),
        (lambda: fb.Switch("dt", [GBPS], pfc={"lossles": [0]}), "no parameter `pfc.lossles`; did you mean `pfc.lossless`"),
        (lambda: fb.Switch("dt", [GBPS], pfc={"lossless": [1]}), "lossless"),
        (lambda: fb.Switch("themis", [GBPS], hbmm={}), r"there is no parameter `hbmm`; .*did you mean `hbm`\?"),
        (lambda: fb.Buffer("occamy", port_rate=0), "port_rate: 0 b/s in all is too slow"),
        (lambda: fb.Buffer("abm", port_rate=0), "port_rate: give a port rate above 0 b/s"),
        (lambda: fb.Buffer("dt", port_rate=GBPS), "port_rate: only a policy that expels packets, as occamy does, or"),
        (lambda: fb.Buffer("occamy", port_rate=0, cycle="1 ns"), "port_rate: give a port rate above 0 b/s"),
        (lambda: fb.Buffer("dt", queues=[{"pool": 0}]), "there is no parameter `pool`"),
        (lambda: fb.Switch("dt", [GBPS], queues=[{"pool": 0}]), "there is no parameter `pool`"),
        (lambda: fb.Switch("themis", [GBPS], port_rate=0), "port_rate: give a port rate above 0 b/s"),
        (lambda: fb.Switch("themis", [GBPS], pool=1), "there is no parameter `pool`"),
        (lambda: fb.Switch("drop-tail", [GBPS], rank="sff"), "there is no parameter `rank`; "),
        (lambda: fb.Switch("occamy", [GBPS], memory={"cell": 1}), "memory: the memory of a switch: there is no parameter `cell`"),
        (lambda: fb.Cache("lru", 8, fetch=1, sampled=True, samples=0), "samples: .*between 1 and"),
        (lambda: fb.Switch("themis", [GBPS], rank="shortest"), "rank: there is no rank function"),
        (lambda: fb.Switch("dt", [GBPS], classes=2, scheduler="fifo"), "no port scheduler"),
        (lambda: fb.Switch("dt", [GBPS], scheduler="wrr"), "scheduler: a port has nothing to choose among with one class"),
        (lambda: fb.Switch("dt", [GBPS], quantum=9), "quantum: a port has nothing to choose among with one class"),
        (lambda: fb.Switch("dt", [GBPS], memory={"cycle": 9}), "memory: only a policy that expels packets, as occamy does"),
        (lambda: fb.Buffer("dt", cycle=9), "cycle: only a policy that expels packets, as occamy does"),
        (lambda: fb.Buffer(admission="1", burst_cycles=9), "burst_cycles: only a policy that expels packets"),
        (lambda: fb.Scheduler("drr", link_rate=GBPS), "link_rate: it has no effect on this order"),
        (lambda: fb.Scheduler(rank="size", link_rate=GBPS), "link_rate: it has no effect on this order"),
        (lambda: fb.Switch("dtt", [GBPS]), 'there is no switch `dtt`'),
        (lambda: fb.Switch("dt", []), "rates: 0; a switch has 1 to 65535 ports"),
        (lambda: fb.Switch("dt", ["10"]), "rates: \"10\" is not a rate"),
        (lambda: fb.Switch("dt", [GBPS, 0]), "rates: port 1 has 0 bits"),
    ],
)
def test_what_does_not_fit(build, text):
    with pytest.raises(ValueError, match=text):
        build()


def test_groups_are_dictionaries():
    with pytest.raises(TypeError, match="hbm: expected a dictionary, got .*int"):
        fb.Switch("themis", [GBPS], hbm=3)
    assert "pfc" in fb.Switch.parameters("dt")
    assert fb.Switch("dt", [GBPS], buffer="4 MB", pfc={"lossless": [0]}).enqueue(0, 0, 1500) is None
    names = fb.Switch.parameters("themis")
    assert {"buffer", "mark", "port_rate", "rank", "rank_bits", "hbm"} < set(names)
    assert len(names) == len(set(names)) and not any("." in name for name in names)

    def last(**parameters):
        return fb.Switch("dt-hybrid", [GBPS], buffer=200_000, **parameters).serve(*[[0] * 999] * 2, [1500] * 999)[0].max()

    assert last(hbm=None) == last(hbm={}) == last(**{"hbm.rows": 16384})
    budgets = {"rank": "edf", "rank.budgets": [9 * US, US], "hbm": {"refresh": "off"}, "rank_bits": 8}
    switch = fb.Switch("themis", [GBPS], **budgets)
    for tag in range(4):
        assert switch.enqueue(0, 0, 1500, class_=tag % 2, tag=tag) is None
    assert [switch.dequeue(0, 0)[1] for _ in range(4)] == [1, 3, 0, 2]


def order(name, packets, **parameters):
    """The tags of packets (keyword arguments of enqueue, from time 0) in the order in which they
    leave."""
    scheduler = fb.Scheduler(name, **parameters)
    for tag, packet in enumerate(packets):
        assert scheduler.enqueue(0, **{"size": 1000, "tag": tag, **packet}) is None
    return [scheduler.dequeue(10**15)[4] for _ in packets]


def test_parameters_of_schedulers():
    classes = [{"class_": 0}, {"class_": 1}]
    assert order("edf", classes, budgets=[9 * US, US]) == [1, 0]
    assert order("edf", classes, budgets=[US, 9 * US]) == [0, 1]
    sized = [{"size": 100}, {"size": 1000}]
    # The size over the work: the least work for a byte goes first.
    assert order("wsjf", sized, job_costs=[(1, 0)]) == [1, 0]
    flows = [{"flow_size": 1000}, {"flow_size": 999}]
    assert order("sff", flows) == [1, 0]
    assert order("sff", flows, quantizer=("linear", 100_000), bucket_ranks=64) == [0, 1]
    burst = fb.Scheduler("token-bucket", shaper_rate=GBPS, shaper_burst=1000)
    assert [burst.enqueue(0, 1000, tag=tag) for tag in range(2)] == [None, None]
    assert burst.dequeue(0)[4] == 0 and burst.dequeue(0) is None and burst.ready_at(0) == 8 * US
    # Two FIFOs a level: later packets of a flow are beyond the horizon.
    short = fb.Scheduler("gearbox", levels=[(2, 1)], unit_bytes=1000)
    long = fb.Scheduler("gearbox", levels=[(64, 1)], unit_bytes=1000)
    refused = [sum(s.enqueue(0, 1000) is not None for _ in range(20)) for s in (short, long)]
    assert refused[0] > 10 and refused[1] == 0
    limited = fb.Scheduler(rank="size", bytes=1500)
    assert limited.enqueue(0, 1000) is None and limited.enqueue(0, 1000) == "queue-full"


def test_parameters_of_buffers():
    def held(policy, **parameters):
        buffer = fb.Buffer(policy, capacity=100_000, **parameters)
        verdicts = buffer.enqueue_many([0] * 200, [0] * 200, [1000] * 200)
        return int((verdicts == 0).sum())

    assert held("dt", alpha=1.0) == 50 and held("dt", alpha=4.0) == 80
    assert held("smxq", limit=10_000) == 10
    assert held("dt", alpha=1.0, queues=[{"alpha": 4.0}]) == 80
    assert held("dt", alpha=1.0, queues=[{"reserved": 5_000}]) > 30
    assert held("complete-sharing", descriptors=7) == 7
    head = fb.Buffer("pushout", capacity=2000, push_out="head", largest_packet=1000)
    head.enqueue_many([0] * 3, [0, 0, 1], [1000] * 3)
    assert head.losses() == [(0, "pushed-out")]


def test_classes_of_a_port():
    port = fb.PortScheduler("wrr", 2, weights=[3, 1])
    assert [port.select([1500, 1500]) for _ in range(8)] == [0, 0, 0, 1, 0, 0, 0, 1]
    port = fb.PortScheduler("drr", 2, weights=[2, 1], quantum=1500)
    sent = port.drain(np.arange(90) % 2, np.full(90, 1500))
    first = sent[:30].tolist()
    assert sum(place % 2 == 0 for place in first) == 20 and sorted(sent.tolist()) == list(range(90))
    assert fb.PortScheduler("strict-priority", 2).drain([1, 0, 1, 0], [1] * 4).tolist() == [1, 3, 0, 2]
    with pytest.raises(ValueError, match="classes: element 1 is 2; there are 2 classes"):
        port.drain([0, 2], [1, 1])
    with pytest.raises(ValueError, match="heads: 1 for 2 classes"):
        port.select([1])


def test_what_has_no_effect_is_not_listed():
    assert "rank" in fb.Switch.parameters("occamy-rank") and "rank" not in fb.Switch.parameters("dt")
    assert "memory" in fb.Switch.parameters("occamy") and "memory" not in fb.Switch.parameters("dt")
    assert "cycle" in fb.Buffer.parameters("occamy") and "cycle" not in fb.Buffer.parameters("dt")
    assert "scheduler" in fb.Switch.parameters("dt"), "with several classes"
    rated = [name for name, _ in fb.Scheduler.names() if "link_rate" in fb.Scheduler.parameters(name)]
    assert sorted(rated) == ["cake", "lstf", "tree", "wfq"]
    first = []
    for rate in ("1 Mb/s", "100 Gb/s"):
        scheduler = fb.Scheduler("lstf", link_rate=rate)
        scheduler.enqueue(0, 100)
        scheduler.enqueue(US, 1500)
        first.append(scheduler.dequeue(2 * US)[0])
    assert first == [1500, 100], "a long packet's slack is short on a slow link"
