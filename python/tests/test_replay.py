"""Real captures through switches, and traces of what happens in them, read back with Perfetto's own
classes."""

import _thread
import csv
import os
import struct
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

import forebay as fb
import trace_processor

CAPTURE = Path(__file__).parents[2] / "experiments/themis/captures/mixed-programs.pcap"
PACKETS = 5728
CONGESTED = dict(ports=4, rate="1G", load=0.9, switch="occamy", buffer="100 KB")


def lost(report):
    return {entry["cause"]: entry["packets"] for entry in report["causes"]}


def test_every_packet_is_sent_or_lost():
    report = fb.replay(CAPTURE, **CONGESTED)
    assert report["finished"] and report["offered"]["packets"] == PACKETS
    assert report["sent"]["packets"] + report["lost"]["packets"] == PACKETS
    assert sum(lost(report).values()) == report["lost"]["packets"]
    assert {"threshold", "expelled"} <= set(lost(report))
    for port in report["ports"]:
        assert port["sent"]["packets"] + sum(e["packets"] for e in port["lost"]) == port["arrived"]["packets"]
        assert 0 < port["utilization"] <= 1 and port["delay"]["p50_us"] <= port["delay"]["p99_us"]


def test_faster_links_lose_nothing():
    report = fb.replay(CAPTURE, rate=[10**11] * 3)
    assert report["causes"] == [] and report["sent"]["packets"] == PACKETS and report["speed"] == 1.0


def test_routes_choose_the_port_and_the_rest_is_lost():
    everything = fb.replay(CAPTURE, rate="100G", ports=2, routes={"0.0.0.0/0": 1, "::/0": 1})
    assert [port["sent"]["packets"] for port in everything["ports"]] == [0, PACKETS]
    nothing = fb.replay(CAPTURE, rate="100G", routes={"203.0.113.0/24": 0})
    assert lost(nothing) == {"no-route": PACKETS}


def test_ranks_by_a_header_field(tmp_path):
    out = tmp_path / "packets.csv"
    fb.replay(CAPTURE, rate="1G", load=2.0, switch="pifo", buffer="10 MB", rank="size", out=out)
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == PACKETS and {row["fate"] for row in rows} == {"sent"}
    assert all(row["rank"] == row["bytes"] for row in rows)
    # Among those that wait when one begins, none is shorter.
    arrived = sorted(rows, key=lambda row: float(row["arrived_ns"]))
    waiting, position = {}, 0
    for row in rows:
        begin = float(row["begin_ns"])
        while position < PACKETS and float(arrived[position]["arrived_ns"]) <= begin:
            waiting[arrived[position]["frame"]] = int(arrived[position]["bytes"])
            position += 1
        assert int(row["bytes"]) == min(waiting.values())
        del waiting[row["frame"]]


def test_what_left_is_a_capture_that_can_be_replayed(tmp_path):
    left = tmp_path / "left.pcapng"
    first = fb.replay(CAPTURE, **CONGESTED, pcap=left)
    again = fb.replay(left, rate="100G")
    assert again["offered"] == first["sent"]


def test_a_capture_cut_in_the_middle_keeps_what_was_replayed(tmp_path):
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(CAPTURE.read_bytes()[:100_000])
    with pytest.raises(fb.CaptureError, match=r"cut off inside packet [\d,]+, at byte [\d,]+") as error:
        fb.replay(cut, rate="1G")
    report = error.value.report
    assert report["sent"]["packets"] == report["offered"]["packets"] == error.value.packet - 1 > 0


def test_bad_arguments_say_what_and_why(tmp_path):
    def says(error, text, path=CAPTURE, **arguments):
        with pytest.raises(error, match=text):
            fb.replay(path, **({"rate": "1G"} | arguments))

    says(fb.CaptureError, "cannot be opened", path=tmp_path / "none.pcap")
    (tmp_path / "no.pcap").write_text("GIF89a, say, and more bytes than a head has")
    says(fb.CaptureError, "is not a capture", path=tmp_path / "no.pcap")
    says(fb.ReplayError, "rate: ", rate="fast")
    says(fb.ReplayError, "3 rates for 2 ports", rate=["1G"] * 3, ports=2)
    says(fb.ReplayError, "between 1 and 65,535 ports, not -1", ports=-1)
    says(TypeError, "rate: expected whole bits a second, or a text such as '10G', got 1.5", rate=1.5)
    says(TypeError, "rate: .* got NoneType", rate=[None])
    says(TypeError, "buffer: expected whole bytes", buffer=0.5)
    says(fb.ReplayError, "switch: there is no switch `nope`", switch="nope")
    says(fb.ReplayError, "tree: only a switch that is a tree has one", tree="")
    says(fb.ReplayError, "buffer: a buffer of 0 B cannot hold a packet", buffer=0)
    says(fb.ReplayError, "max_packets: 0 packets", max_packets=0)
    says(fb.ReplayError, "^weights: 3 for 2", switch="dt", classes=2, class_="dscp", scheduler="wrr", weights=[1] * 3)
    says(fb.ReplayError, "1 to 256 queues by class, not 65535", switch="dt", classes=65535)
    says(fb.ReplayError, "classes: expected a whole number", switch="dt", classes=-1)
    says(TypeError, "switch: ", switch=3)
    says(TypeError, "ports: expected a whole number, got float", ports=2.0)
    says(fb.ExpressionError, "rank: column 1: there is no field `dcsp`", switch="pifo", rank="dcsp + 1")
    says(fb.ExpressionError, "class_: column 1: there is no field `length`; write `size`", class_="length")
    says(fb.ReplayError, "^rank: there is no rank function or field `dcsp`", switch="pifo", rank="dcsp")
    says(fb.ReplayError, "^rank: switch drr does not take a rank", switch="drr", rank="dscp")
    says(fb.ReplayError, "^speed: time cannot be scaled by -1", speed=-1)
    says(fb.ReplayError, "either a load or a speed", speed=1, load=1)
    says(fb.ReplayError, "^routes: a route leads to port 7, but the last port is 0", routes={"::/0": 7})
    says(fb.ReplayError, "^classes: only on-chip buffers", classes=2)
    # Never what follows from an argument, such as the clock of a memory.
    says(fb.ReplayError, "^rate: 1 Mb/s in all is too slow .* at least 1.6 Mb/s$", rate="1M", switch="dt", buffer=1500)
    says(fb.ReplayError, "^buffer: a buffer of 1.5 KB .* at least 1.6 KB$", switch="dt", buffer=1500)
    says(fb.ReplayError, "^buffer: an SRAM of 1 KB beside", switch="themis", buffer=1000)
    says(fb.ReplayError, "^rank: switch dt does not take a rank", switch="dt", rank="dscp")
    says(fb.ReplayError, "such as 10.1.0.0/16=3", routes={"here": 0})
    says(fb.ReplayError, "trace_window: the window is empty", trace_window="2 ms..1 ms")
    says(fb.ReplayError, "trace_window: without trace it has no effect", trace_window="1 ms..")
    says(fb.ReplayError, "trace_sample: one packet in 0", trace_sample=0)
    says(fb.StoreError, "cannot write", out=tmp_path / "no/such/folder.csv")


def test_numbers_of_any_kind():
    expected = fb.replay(CAPTURE, rate=["1G", "2G"], buffer="100 KB")
    for rate in [[10**9, 2e9], (np.int64(10**9), "2G"), np.array([1, 2]) * 10**9]:
        assert fb.replay(CAPTURE, rate=rate, buffer=np.uint32(100_000)) == expected
    assert fb.replay(CAPTURE, rate=np.float64(1e9), ports=np.int8(2)) == fb.replay(CAPTURE, rate=["1G", "1G"])


def test_a_scheduling_tree():
    tree = (CAPTURE.parents[2] / "trees/tenants.tree").read_text()
    report = fb.replay(CAPTURE, rate="10G", load=0.5, switch="tree", tree=tree)
    assert report["sent"]["packets"] + report["lost"]["packets"] == PACKETS
    with pytest.raises(fb.ReplayError, match="tree: "):
        fb.replay(CAPTURE, rate="10G", switch="tree", tree="no tree")


def test_no_output_is_the_capture(tmp_path):
    capture, link = tmp_path / "a.pcap", tmp_path / "b.pcap"
    capture.write_bytes(CAPTURE.read_bytes())
    os.link(capture, link)
    for output in ["out", "pcap", "trace"]:
        for name in [capture, link]:
            with pytest.raises(fb.ReplayError, match=f"^{output}: .* is the capture"):
                fb.replay(capture, rate="1G", **{output: name})
    with pytest.raises(fb.ReplayError, match="^trace: .* is the file of out"):
        fb.replay(capture, rate="1G", out=tmp_path / "new", trace=tmp_path / "new")
    assert capture.read_bytes() == CAPTURE.read_bytes() and not (tmp_path / "new").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("output", ["out", "pcap", "trace"])
def test_a_full_disk_costs_the_file_and_not_the_report(output):
    with pytest.raises(fb.StoreError, match="cannot write /dev/full: No space left") as error:
        fb.replay(CAPTURE, **CONGESTED, **{output: "/dev/full"})
    assert error.value.measured == fb.replay(CAPTURE, **CONGESTED)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_the_report(tmp_path):
    long = tmp_path / "long.pcap"
    address = struct.pack(">BBHIBBHII", 0x45, 0, 46, 0, 64, 17, 0, 1, 2)
    record = struct.pack("<IIII", 0, 0, 60, 60) + bytes(12) + b"\x08\x00" + address + bytes(26)
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    long.write_bytes(head + record * 500_000)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt) as stopped:
        fb.replay(long, rate="1G", trace="/dev/null")
    timer.join()
    assert stopped.value.report["finished"] is False


# Traces


def read(path):
    """A trace: the tracks (name, parent) by number, and the events."""
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    descriptors = [packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")]
    tracks = {each.uuid: each for each in descriptors}
    names = {
        name.iid: name.name for packet in trace.packet for name in packet.interned_data.event_names
    }
    events = [(packet.timestamp, packet.track_event) for packet in trace.packet if packet.HasField("track_event")]
    return tracks, names, events


def test_a_trace_holds_what_the_report_counts(tmp_path):
    path = tmp_path / "replay.pftrace"
    report = fb.replay(CAPTURE, **CONGESTED, trace=path)
    tracks, names, events = read(path)

    def on(kind, name):
        return [event for _, event in events if event.type == kind and tracks[event.track_uuid].name == name]

    assert len(on(TrackEvent.TYPE_SLICE_BEGIN, "waiting")) == PACKETS
    assert len(on(TrackEvent.TYPE_SLICE_END, "waiting")) == PACKETS
    assert len(on(TrackEvent.TYPE_SLICE_BEGIN, "sending")) == report["sent"]["packets"]
    instants = [event for _, event in events if event.type == TrackEvent.TYPE_INSTANT]
    causes = Counter(
        note.string_value for event in instants for note in event.debug_annotations if note.name == "cause"
    )
    assert causes == lost(report)
    kinds = Counter(names[event.name_iid] for event in instants)
    assert kinds["expelled"] == lost(report)["expelled"]
    ports = Counter(tracks[event.track_uuid].name for event in instants)
    for port in report["ports"]:
        assert ports[f"port {port['port']}"] == sum(entry["packets"] for entry in port["lost"])
    assert on(TrackEvent.TYPE_COUNTER, "threshold")
    levels = [event.counter_value for event in on(TrackEvent.TYPE_COUNTER, "pool 0 memory in use")]
    assert 0 < max(levels) <= 100_000 and levels[-1] == 0
    assert on(TrackEvent.TYPE_COUNTER, "lost packets")[-1].counter_value == report["lost"]["packets"]


def test_slices_of_a_track_do_not_overlap_and_times_are_those_of_the_table(tmp_path):
    path, out = tmp_path / "replay.pftrace", tmp_path / "packets.csv"
    fb.replay(CAPTURE, **CONGESTED, trace=path, out=out)
    tracks, _, events = read(path)
    open_, waited = {}, Counter()
    for at, event in events:
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in open_
            open_[event.track_uuid] = at
        elif event.type == TrackEvent.TYPE_SLICE_END:
            begin = open_.pop(event.track_uuid)
            assert begin <= at
            if tracks[event.track_uuid].name == "waiting":
                waited[begin, at] += 1
    assert not open_
    rows = csv.DictReader(out.read_text().splitlines())

    def ended(row):
        return row["begin_ns"] or row["end_ns"]

    assert waited == Counter((int(float(row["arrived_ns"])), int(float(ended(row)))) for row in rows)


def test_swaps_and_watermarks_of_themis_are_in_the_trace(tmp_path):
    path = tmp_path / "themis.pftrace"
    fb.replay(CAPTURE, rate="1G", load=3.0, switch="themis", buffer="200 KiB", trace=path)
    tracks, names, events = read(path)
    moves = [event for _, event in events if event.categories == ["move"]]
    assert {"swap out", "swap in"} <= {names[event.name_iid] for event in moves}
    assert all({"packets", "bytes", "cause"} == {note.name for note in move.debug_annotations} for move in moves)
    counters = {tracks[event.track_uuid].name for _, event in events if event.type == TrackEvent.TYPE_COUNTER}
    assert {"SRAM in use", "HBM in use", "swap-out watermark", "swap-in watermark"} <= counters


def test_window_and_sample_bound_a_trace(tmp_path):
    whole, part, thin = (tmp_path / name for name in ["whole", "part", "thin"])
    fb.replay(CAPTURE, **CONGESTED, trace=whole)
    fb.replay(CAPTURE, **CONGESTED, trace=part, trace_window="2 ms..3 ms")
    fb.replay(CAPTURE, **CONGESTED, trace=thin, trace_sample=100)
    assert part.stat().st_size < whole.stat().st_size / 2
    assert thin.stat().st_size < whole.stat().st_size / 20
    tracks, _, events = read(part)
    arrivals = [
        at
        for at, event in events
        if event.type == TrackEvent.TYPE_SLICE_BEGIN and tracks[event.track_uuid].name == "waiting"
    ]
    assert arrivals and all(2_000_000 <= at < 3_000_000 for at in arrivals)
    _, _, events = read(thin)
    assert sum(event.type == TrackEvent.TYPE_SLICE_BEGIN and event.categories == ["waiting"] for _, event in events) == 58


def test_a_trace_of_an_experiment_holds_what_its_metrics_count(tmp_path):
    path = tmp_path / "run.pftrace"
    experiments = Path(__file__).parents[2] / "experiments"
    single = fb.Experiment.load(experiments / "themis/fig10-single-point.toml")
    # Everything is measured: the metrics are of all packets that are in the trace.
    single = single.set(load=0.9, warm_up="0 s", span="300 us", capacity="400 KB", staging="64 KB").with_seeds([2])
    with pytest.raises(fb.ConfigError, match="a trace shows one run, and this experiment has 4"):
        single.trace(path)
    with pytest.raises(fb.ConfigError, match="does not run policy `themes`; did you mean|did you mean `themis`"):
        single.trace(path, policy="themes")
    with pytest.raises(fb.ConfigError, match="window: the window is empty"):
        single.trace(path, policy="themis", window="2 ms..1 ms")
    for policy in single.policies:
        metrics = single.trace(path, policy=policy)
        assert list(metrics) == single.metrics
        tracks, _, events = read(path)
        begun = Counter(
            tracks[event.track_uuid].name for _, event in events if event.type == TrackEvent.TYPE_SLICE_BEGIN
        )
        lost = sum(event.categories == ["lost"] for _, event in events)
        assert begun["waiting"] > begun["sending"] > 0 and lost > 0
        assert lost / begun["waiting"] == pytest.approx(metrics["loss_fraction"], rel=1e-12), policy


def test_a_trace_is_no_file_that_the_experiment_reads(tmp_path):
    file, link = tmp_path / "a.toml", tmp_path / "b.toml"
    text = (CAPTURE.parents[2] / "occamy/fig10-queue-evolution.toml").read_text()
    file.write_text(text)
    os.link(file, link)
    one = fb.Experiment.load(file).set(alpha=4).with_seeds([1])
    for name in [file, link]:
        with pytest.raises(fb.ConfigError, match="trace: .* is the experiment"):
            one.trace(name, policy="occamy")
    assert file.read_text() == text
    if Path("/dev/full").exists():
        with pytest.raises(fb.StoreError, match="cannot write /dev/full: No space left") as error:
            one.trace("/dev/full", policy="occamy")
        assert error.value.measured == one.trace("/dev/null", policy="occamy")


@pytest.mark.usefixtures("interruptible")
def test_a_trace_that_is_stopped_says_that_it_ends_there(tmp_path):
    long = fb.Experiment.load(CAPTURE.parents[1] / "fig10-single-point.toml").set(load=0.9).with_seeds([1])
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="^stopped; the trace .*a.pftrace is incomplete$"):
        long.trace(tmp_path / "a.pftrace", policy="themis", sample=1000)
    timer.join()


def number(processor, query):
    return next(processor.query(f"select {query}")).n


@pytest.mark.skipif(not trace_processor.AVAILABLE, reason=trace_processor.REASON)
def test_the_trace_processor_finds_the_same(tmp_path):
    path = tmp_path / "replay.pftrace"
    report = fb.replay(CAPTURE, **CONGESTED, trace=path)
    with trace_processor.opened(path, tmp_path) as processor:
        def count(where):
            return number(processor, f"count(*) as n from slice where {where}")

        assert count("category = 'waiting' and dur >= 0") == PACKETS
        assert count("category = 'sending' and dur > 0") == report["sent"]["packets"]
        assert count("category = 'lost' and dur = 0") == report["lost"]["packets"]
        assert number(processor, "count(*) as n from stats where severity = 'error' and value > 0") == 0
        tracks = "count(distinct counter_track.name) as n from counter join counter_track on track_id = counter_track.id"
        assert number(processor, tracks) > 0
        cause = "extract_arg(arg_set_id, 'debug.cause') as cause"
        causes = processor.query(f"select {cause}, count(*) as n from slice where category = 'lost' group by cause")
        assert {row.cause: row.n for row in causes} == lost(report)


@pytest.mark.skipif(not trace_processor.AVAILABLE, reason=trace_processor.REASON)
def test_the_trace_processor_reads_a_network(tmp_path):
    path = tmp_path / "net.pftrace"
    flows = fb.net.permutation(hosts=4, bytes="2 MB")
    done = fb.net.run("star:4,10G,1us", flows, switch="occamy", buffer="100 KB", trace=path)
    with trace_processor.opened(path, tmp_path) as processor:
        sent = number(processor, "count(*) as n from slice where category = 'sending'")
        assert 0 < sent <= done.report["packet_hops"]
        assert number(processor, "count(*) as n from stats where severity = 'error' and value > 0") == 0


def test_a_full_capture_file_of_random_bytes_never_panics(tmp_path):
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for seed in range(20):
        file = tmp_path / f"{seed}.pcap"
        file.write_bytes(head + bytes((seed * 31 + index * index) % 251 for index in range(500)))
        with pytest.raises(fb.CaptureError):
            fb.replay(file, rate="1G")
