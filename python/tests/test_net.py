"""Flows through networks from Python, beside the command's own answers."""

import os
import threading
from pathlib import Path

import numpy as np
import polars
import pytest

import forebay as fb

SHAPE = "leaf-spine:3x4x2,10G,40G,2us"


def made(**more):
    return fb.net.poisson(**dict(hosts=12, load=0.6, rate="10G", span="20 ms") | more)


def test_flows_are_columns_of_the_generators():
    flows = made()
    assert flows.columns == ["src", "dst", "bytes", "start_ps"] and len(flows) > 10
    assert (np.diff(flows["start_ps"]) >= 0).all() and flows["start_ps"][-1] < 20 * 10**9
    assert (flows["src"] != flows["dst"]).all() and set(flows["src"]) <= set(range(12))
    assert polars.DataFrame(flows).equals(polars.DataFrame(made(seed=1)))
    assert not polars.DataFrame(flows).equals(polars.DataFrame(made(seed=2)))


def test_every_flow_finishes_and_is_told_of():
    flows = made()
    done = fb.net.run(SHAPE, flows, switch="occamy", buffer="100 KB")
    report, table = done.report, polars.DataFrame(done.flows)
    assert report["ended"] == "finished" and report["finished"] == len(flows) == len(table)
    assert (table["slowdown"] >= 1).all() and (table["delivered"] == table["bytes"]).all()
    everything = report["classes"][-1]
    assert everything["finished"] == len(flows)
    assert everything["fct_mean_us"] * 1e3 == pytest.approx(table["fct_ns"].mean(), rel=1e-6)
    assert "flows finished" in repr(done) and "<table>" in done._repr_html_()


def test_a_file_columns_and_threads_give_the_same(tmp_path):
    flows = made()
    file = tmp_path / "flows.txt"
    rows = zip(*(flows[name] for name in flows.columns), strict=True)
    file.write_text("".join(f"{src} {dst} {size} {start / 1e3:.3f}\n" for src, dst, size, start in rows))
    told = []
    for source, threads in [(flows, 1), (file, 2), ({name: flows[name] for name in flows.columns}, 1),
                            (polars.DataFrame(flows), 1)]:
        done = fb.net.run(SHAPE, source, switch="dt", buffer="60 KB", control="cubic", seed=7, threads=threads)
        measured = {key: value for key, value in done.report.items() if not key.endswith(("wall_s", "_per_second"))}
        told.append((measured, polars.DataFrame(done.flows)))
    assert told[0][0]["packets"]["lost"] > 0
    for measured, table in told[1:]:
        assert measured == told[0][0] and table.equals(told[0][1])


def test_incast_and_permutation():
    asked = fb.net.incast(hosts=8, degree=4, query="200 KB", per_second=500, span="5 ms")
    assert len(asked) % 4 == 0 and set(asked["bytes"]) == {50_000}
    done = fb.net.run("star:8,10G,1us", asked, switch="dt", buffer="60 KB", size_classes=["1 MB"])
    assert done.report["packets"]["lost"] > 0 and len(done.report["classes"]) == 3
    each = fb.net.permutation(hosts=8, bytes="1 MB")
    assert sorted(each["src"]) == sorted(each["dst"]) == list(range(8)) and set(each["start_ps"]) == {0}


def test_what_cannot_be_is_refused():
    flows = fb.net.permutation(hosts=2, bytes=1000)
    star = "star:2,10G,1us"
    for words, arguments in [
        ("did you mean `occamy`", dict(switch="ocamy")),
        ("control: ", dict(control="vegas")),
        ("nic: random is not one of fifo, fair", dict(nic="random")),
        ("hosts and switch dt: .*did you mean `alpha`", dict(switch="dt", alpah=2)),
        ("alpha: 0 is not a number between 1/65536", dict(switch="dt", alpha=0)),
        ("initial_window: 0 is not", dict(initial_window=0)),
        ("buffer: a buffer of 0 B cannot hold a packet", dict(buffer=0)),
        ("mss: ", dict(mss="9 Mb/s")),
        ("delayed_ack: ", dict(delayed_ack="0 ms")),
        ("there is no link `9`", dict(fail=["9@1ms"])),
        ("threads: 65 parts", dict(threads=65)),
        ("threads: 0 parts", dict(threads=0)),
        ("^max_timeouts: .* give 1 to 40", dict(max_timeouts=0)),
        ("^min_rto: ", dict(min_rto=0)),
        ("^mss: segments of 9 MB", dict(switch="occamy", mss=9_000_000)),
        ("^buffer: a buffer of 1.5 KB .* at least 1.6 KB$", dict(switch="dt", buffer=1500)),
        ("^buffer: an SRAM of 1 KB beside", dict(switch="themis", buffer=1000)),
        ("^rank: switch dt does not take a rank", dict(switch="dt", rank="sff")),
        ("^weights: 3 for 2 queues", dict(switch="dt", classes=2, scheduler="wrr", weights=[3, 1, 1], class_="src")),
        ("^hbm.t_ccd_l: it is 1; ", dict(switch="themis", hbm={"t_ccd_l": 1})),
        ("trace: ", dict(threads=2, trace="unused")),
        ("tree: only a switch that is a tree", dict(tree="")),
    ]:
        with pytest.raises(fb.NetError, match=words):
            fb.net.run(star, flows, **arguments)
    for words, error, arguments in [
        ("initial_window", (TypeError, ValueError), dict(initial_window=-1)),
        ("sack", TypeError, dict(sack="no")),
        ("fail", TypeError, dict(fail=[3])),
        ("alpha: expected a number between 1/65536 and 65535, got str", TypeError, dict(switch="dt", alpha="x")),
        ("classes: .* `size_classes` now", TypeError, dict(classes=["1 MB"])),
    ]:
        with pytest.raises(error, match=words):
            fb.net.run(star, flows, **arguments)
    with pytest.raises(fb.NetError, match="^topology: there are too few or too many parts"):
        fb.net.run("star:2", flows)
    with pytest.raises(fb.NetError, match="^topology: 2 kb/s in all is too slow for a shared buffer"):
        fb.net.run("star:2,1K,1us", flows, switch="dt")
    with pytest.raises(fb.NetError, match="flow 1: .*host 2 is not"):
        fb.net.run(star, dict(src=[0, 1], dst=[1, 2], bytes=[1, 1], start_ps=[0, 0]))
    with pytest.raises(fb.NetError, match=r'flows\["bytes"\]: 1 values for 2 flows'):
        fb.net.run(star, dict(src=[0, 1], dst=[1, 0], bytes=[1], start_ps=[0, 0]))
    with pytest.raises(TypeError, match=r'flows\["src"\]: expected whole numbers, but element 0 is of type float'):
        fb.net.run(star, dict(src=[0.0], dst=[1], bytes=[1], start_ps=[0]))
    with pytest.raises(TypeError, match="columns src, dst, bytes, start_ps"):
        fb.net.run(star, [1, 2])
    with pytest.raises(fb.NetError, match="cannot read"):
        fb.net.run(star, Path("missing.txt"))
    with pytest.raises(fb.NetError):
        fb.net.poisson(hosts=1, load=0.5, rate="10G", span="1 ms")
    with pytest.raises(fb.NetError, match="sizes: there is no distribution of sizes or file `websurf`"):
        fb.net.poisson(hosts=2, load=0.5, rate="10G", span="1 ms", sizes="websurf")


def test_no_output_is_a_file_that_is_read(tmp_path):
    file, link = tmp_path / "flows.txt", tmp_path / "link.txt"
    file.write_text("0 1 1000 0\n")
    os.link(file, link)
    for name in [file, link]:
        with pytest.raises(fb.NetError, match="^trace: .* is the flow file"):
            fb.net.run("star:2,10G,1us", file, trace=name)
    assert file.read_text() == "0 1 1000 0\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_costs_the_trace_and_not_the_report():
    flows = fb.net.permutation(hosts=4, bytes=np.int64(100_000))
    with pytest.raises(fb.StoreError, match="cannot write /dev/full: No space left") as error:
        fb.net.run("star:4,10G,1us", flows, mss=np.int32(1000), trace="/dev/full")
    assert error.value.measured.report["finished"] == 4


def test_a_run_that_cannot_end_keeps_what_it_has():
    flows = dict(src=[0, 2], dst=[1, 3], bytes=[5_000_000, 1000], start_ps=[0, 0])
    with pytest.raises(fb.RunError, match="flow 0: the flow from host 0 to host 1 made no progress") as caught:
        fb.net.run("star:4,10G,1us", flows, fail=["1@1ms"], max_timeouts=3)
    kept = caught.value.run
    assert kept.report["ended"] == "stuck" and kept.report["finished"] == 1
    assert np.isnan(kept.flows["fct_ns"][0]) and kept.flows["fct_ns"][1] > 0


def test_the_lock_is_free_while_it_runs():
    flows = fb.net.permutation(hosts=16, bytes="20 MB")
    counted, going = 0, threading.Event()
    worker = threading.Thread(target=lambda: (fb.net.run("star:16,100G,1us", flows), going.set()))
    worker.start()
    while not going.is_set():
        counted += 1
    worker.join()
    assert counted > 1000


def test_parameters_of_hosts_and_switch_reach_them():
    flows = made()
    def lost(**more):
        return fb.net.run(SHAPE, flows, switch="dt", buffer="60 KB", **more).report["packets"]["lost"]

    assert lost() != lost(alpha=0.25)
    assert lost() != lost(initial_window=40)
    assert lost(control="cubic") != lost()
