"""What `own-policy` defines, wherever the package's own is."""

from pathlib import Path

import forebay_own as fb

ROOT = Path(__file__).parents[3]
GBPS = 1_000_000_000


def test_a_switch_and_a_scheduler():
    names = {name for name, _ in fb.Switch.names()}
    assert {"keep-room", "mice-first", "size-split", "occamy"} <= names
    switch = fb.Switch("keep-room", [GBPS] * 2, kept=0.5)
    assert switch.enqueue(0, 1, 1500) is None and switch.backlog == 1500
    scheduler = fb.Scheduler("mice-first", mouse="10 KB")
    scheduler.enqueue(0, 1500, flow_size=20_000, tag=1)
    scheduler.enqueue(0, 1500, flow_size=10_000, tag=2)
    assert scheduler.dequeue(0)[4] == 2
    lists = fb.Scheduler("wfq-lists")
    lists.enqueue(0, 1500, tag=7)
    assert lists.dequeue(0)[4] == 7


def test_a_tree_takes_the_discipline():
    tree = (ROOT / "examples/own-policy/turns.tree").read_text()
    scheduler = fb.Scheduler("tree", tree=tree)
    for tag, class_ in enumerate((0, 0, 1, 1)):
        scheduler.enqueue(0, 64 if class_ else 1500, class_=class_, tag=tag)
    assert [scheduler.dequeue(0)[4] for _ in range(4)] == [0, 2, 1, 3]
    flows = fb.net.incast(hosts=8, degree=4, query="200 KB", per_second=500, span="5 ms")
    assert fb.net.run("star:8,10G,1us", flows, switch="tree", tree=tree).report["ended"] == "finished"


def test_a_port_scheduler_and_a_hybrid_policy():
    switch = fb.Switch("dt", [GBPS], classes=2, scheduler="smallest-head")
    switch.enqueue(0, 0, 1500, class_=0, tag=1)
    switch.enqueue(0, 0, 64, class_=1, tag=2)
    assert switch.dequeue(0, 0)[1] == 2
    flows = fb.net.permutation(hosts=8, bytes="200 KB")
    own = {"switch": "dt", "classes": 2, "scheduler": "smallest-head", "class_": "src % 2"}
    assert fb.net.run("star:8,10G,1us", flows, **own).report["ended"] == "finished"
    hybrid = fb.Switch("size-split", [GBPS], small="100 B")
    assert hybrid.enqueue(0, 0, 64) is None


def test_an_experiment(tmp_path):
    results = fb.Experiment.load(ROOT / "examples/own-policy/compare.toml").run(out=tmp_path / "compare")
    assert "keep-room" in (tmp_path / "compare" / "results.csv").read_text() and results is not None
    fb.Experiment.load(ROOT / "examples/own-policy/formula.toml").run(out=tmp_path / "formula")


def test_a_network():
    flows = fb.net.incast(hosts=8, degree=4, query="200 KB", per_second=500, span="5 ms")
    for own in ({"switch": "keep-room", "buffer": "100 KB"}, {"switch": "pifo", "rank": "mice-first"}):
        assert fb.net.run("star:8,10G,1us", flows, **own).report["ended"] == "finished"


def test_a_congestion_control():
    flows = fb.net.incast(hosts=8, degree=7, query="1 MB", per_second=500, span="5 ms")
    runs = [fb.net.run("star:8,10G,1us", flows, buffer="60 KB", control=own) for own in ("westwood", "new-reno")]
    assert [run.report["control"] for run in runs] == ["westwood", "new-reno"]
    assert runs[0].report["classes"] != runs[1].report["classes"]


def test_a_cache():
    assert {"fifo-reinsertion", "lru"} <= {name for name, _ in fb.Cache.names()}
    cache = fb.Cache("fifo-reinsertion", 2, fetch=1)
    # 1 was used and is spared when 3 comes; 2 goes.
    told = [cache.offer(time, object)[0] for time, object in ((0, 1), (2, 2), (4, 1), (6, 3), (8, 1), (10, 2))]
    assert told == ["miss", "miss", "hit", "miss", "hit", "miss"]


def test_a_job_scheduler():
    assert "least-attained" in {name for name, _ in fb.JobScheduler.names()}
    jobs = fb.JobScheduler("least-attained", remembered=10)
    for tag, flow in enumerate((1, 1, 2)):
        jobs.offer(0, 100, 1000, flow=flow, tag=tag)
    assert [jobs.poll()[0] for _ in range(3)] == [0, 2, 1]


def test_a_replay():
    capture = ROOT / "experiments/themis/captures/mixed-programs.pcap"
    for own in ({"switch": "keep-room"}, {"switch": "pifo", "rank": "mice-first"}):
        assert fb.replay(capture, rate=["300M"] * 2, load=1.1, **own)["sent"]["packets"] > 0


def test_a_function_of_python_beside_them(tmp_path):
    """Python's own rank is in the scenarios of this package, beside what its Rust adds."""
    fb.register_rank("by-size", lambda packet: packet.size)
    assert {"by-size", "mice-first"} <= {name for name, _ in fb.Switch.ranks()}
    fb.Experiment.load(ROOT / "examples/own-policy/formula.toml").run(out=tmp_path / "formula")
