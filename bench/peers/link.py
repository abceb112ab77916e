#!/usr/bin/env python3
"""Emulated links side by side: rate error, round-trip error and processor time.

    sudo apt install iperf3 iputils-ping iproute2 ethtool
    cargo install rattan --version 0.1.1 --locked      # minutes; `--root FOLDER` for another place
    sudo python3 bench/peers/link.py --forebay target/release/forebay --rattan ~/.cargo/bin/rattan [--rates 10,20,100,1000]

The same measurement runs behind `forebay link`, `rattan link` and, for the rate alone, the kernel's token bucket (tbf,
which has no delay), one after the other, `--rounds` times in turn:

1. 500 echo requests, 10 ms apart, through the idle link. What a round trip should take is twice the delay and the time
   of two frames of 98 bytes at the rate; the error is the distance from it, at the median and the 99th percentile.
2. UDP at 1.2 times the rate, for `--seconds`, into a buffer of 100 ms of the rate, at least 150 KB, which holds while
   the sender has no processor for some tens of milliseconds: an empty link has no rate. The rate is that of
   what reaches the far interface, in bytes of Ethernet frames, by its counters (a program there loses some where it
   does not keep up); the error is its distance from the nominal one.

Processor time is that of the emulator's own process over the second part; of tbf, which is in the kernel, none is
known. Everything happens in network namespaces that the emulators or this script make; this script itself moves into
one, so nothing of it can reach another network.

Needs root, iperf3, ping, and for tbf `ip` and `tc`.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Bytes of an Ethernet frame around a payload of UDP, and of an echo request of 56 bytes.
UDP_FRAME = 14 + 20 + 8
ECHO_FRAME = 98
PAYLOAD = 1472
SELF = [sys.executable, os.path.abspath(__file__)]


def buffer(rate):
    return max(150_000, int(rate / 8 * 0.1))


def main():
    if sys.argv[1:2] == ["near"]:
        return near(sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
    if sys.argv[1:2] == ["far"]:
        return far(sys.argv[2])
    options = parse()
    if not os.environ.get("PEER_INSIDE"):
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "PEER_INSIDE": "1"})
    run(["ip", "link", "set", "lo", "up"])
    emulators = [name for name in ("forebay", "rattan", "tbf") if getattr(options, name)]
    rows = []
    for rate in (float(text) * 1e6 for text in options.rates.split(",")):
        results = {name: [] for name in emulators}
        for _ in range(options.rounds):
            for name in emulators:
                results[name].append(EMULATORS[name](options, rate))
        rows += [row(name, rate, results[name], options.delay) for name in emulators]
    print("| link | emulator | rate error | RTT error p50 | p99 | processor time |")
    print("|---|---|--:|--:|--:|--:|")
    for line in rows:
        print(line)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forebay", help="the command forebay")
    parser.add_argument("--rattan", help="the command rattan")
    parser.add_argument("--no-tbf", dest="tbf", action="store_false", help="leave out the kernel's token bucket")
    parser.add_argument("--rates", default="10,20,100,1000", help="in Mb/s")
    parser.add_argument("--delay", type=float, default=25.0, help="one way, in ms")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def row(name, rate, results, delay):
    def median(key):
        values = [result[key] for result in results if result.get(key) is not None]
        return statistics.median(values) if values else None

    def shown(value, unit, scale=1.0):
        return "" if value is None else f"{value * scale:.3g} {unit}"

    # A link that is not full has the rate of what is sent.
    offered = median("offered")
    full = offered is None or offered >= 1.05 * rate
    rate_error = shown(median("rate_error"), "%", 100) if full else f"not full: {offered / 1e6:.3g} Mb/s sent"
    rtt = [shown(median(key), "us", 1e6) for key in ("rtt_p50", "rtt_p99")] if name != "tbf" else ["", ""]
    cells = [rate_error, *rtt, shown(median("cpu"), "%", 100)]
    return f"| {rate / 1e6:g} Mb/s, {delay:g} ms | {name} | " + " | ".join(cells) + " |"


def forebay(options, rate):
    """Behind `forebay link`; both ends in namespaces of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "near.json")
        command = [options.forebay, "link", f"{rate / 1e6:g}M,{options.delay:g}ms", "--switch", "drop-tail"]
        command += ["--buffer", f"{buffer(rate)}B", "--far", shlex.join([*SELF, "far", f"{out}.far"]), "--"]
        return measured(command, "FOREBAY_FAR", options, rate, out)


def rattan(options, rate):
    """Behind `rattan link`; the far end is in this script's namespace."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "near.json")
        queue = json.dumps({"packet_limit": buffer(rate) // (PAYLOAD + UDP_FRAME)})
        command = [options.rattan, "link"]
        for way in ("uplink", "downlink"):
            command += [f"--{way}-bandwidth", f"{rate / 1e6:g}Mbps", f"--{way}-delay", f"{options.delay}ms"]
            command += [f"--{way}-queue", "droptail", f"--{way}-queue-args", queue]
        server = subprocess.Popen([*SELF, "far", f"{out}.far"])
        try:
            return measured(command + ["--"], "RATTAN_BASE", options, rate, out)
        finally:
            server.kill()
            server.wait()


def measured(command, far, options, rate, out):
    """Runs the near end by an emulator's command and reads what it found."""
    near_end = [*SELF, "near", far, str(rate), str(options.seconds), out]
    process = subprocess.Popen(command + near_end, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    ticks = {}
    while process.poll() is None:
        for mark in ("begin", "end"):
            if mark not in ticks and os.path.exists(f"{out}.{mark}"):
                ticks[mark] = cpu_seconds(process.pid), time.monotonic()
        time.sleep(0.005)
    if not os.path.exists(out):
        sys.exit(f"{command[0]}: the measurement gave no result\n{process.stderr.read()}")
    with open(out) as file:
        found = json.load(file)
    expected = 2 * options.delay / 1e3 + 2 * ECHO_FRAME * 8 / rate
    errors = sorted(abs(rtt - expected) for rtt in found["rtts"])
    with open(f"{out}.far") as file:
        seen = steady_rate(json.load(file), rate)
    result = {
        "rate_error": abs(seen / rate - 1),
        "offered": found["offered"],
        "rtt_p50": errors[len(errors) // 2],
        "rtt_p99": errors[int(len(errors) * 0.99)],
    }
    if len(ticks) == 2:
        (cpu, begin), (later, end) = ticks["begin"], ticks["end"]
        result["cpu"] = (later - cpu) / (end - begin)
    return result


def cpu_seconds(pid):
    """Of a process and its threads, without what it started."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def near(far, rate, seconds, out):
    """The near end, behind the emulator: echo requests, then UDP."""
    far = os.environ[far]
    ping = run(["ping", "-n", "-i", "0.01", "-c", "500", far])
    rtts = [float(text) / 1e3 for text in re.findall(r"time=([\d.]+) ms", ping)]
    touch(f"{out}.begin")
    offered = flood(far, rate, seconds)
    touch(f"{out}.end")
    # The far end writes what it has counted.
    time.sleep(1)
    with open(f"{out}.new", "w") as file:
        json.dump({"rtts": rtts, "offered": offered}, file)
    os.rename(f"{out}.new", out)


def flood(far, rate, seconds):
    """Sends UDP; bits of Ethernet frames that are sent a second."""
    flood = ["-u", "-b", f"{rate * 1.2:.0f}", "-l", str(PAYLOAD), "-t", str(seconds), "-J"]
    for _ in range(50):
        answer = run(["iperf3", "-c", far, *flood], check=False)
        if '"intervals"' in answer and "error" not in json.loads(answer):
            break
        time.sleep(0.1)
    # Whole seconds but the first.
    steady = [part["sum"] for part in json.loads(answer)["intervals"] if part["sum"]["seconds"] > 0.9][1:]
    payload = sum(part["bytes"] for part in steady) * 8 / sum(part["seconds"] for part in steady)
    return payload * (PAYLOAD + UDP_FRAME) / PAYLOAD


def far(out):
    """The far end: a server for one client, and the counters of the interface while it lives."""
    server = subprocess.Popen(["iperf3", "-s", "-1", "-J"], stdout=subprocess.DEVNULL)
    counted = []
    while server.poll() is None:
        with open("/proc/net/dev") as file:
            interfaces = dict(line.split(":") for line in file if ":" in line)
        received = [int(counts.split()[0]) for name, counts in interfaces.items() if name.strip() != "lo"]
        counted.append((time.monotonic(), sum(received)))
        time.sleep(0.02)
    with open(f"{out}.new", "w") as file:
        json.dump(counted, file)
    os.rename(f"{out}.new", out)


def steady_rate(counted, rate):
    """Bits a second while the link is full, but for the first second, in which the queue fills, and the last half."""
    steps = list(zip(counted, counted[10:]))
    busy = [begin[0] for begin, end in steps if (end[1] - begin[1]) * 8 > 0.3 * rate * (end[0] - begin[0])]
    if not busy:
        return 0.0
    steady = [count for count in counted if busy[0] + 1 <= count[0] <= busy[-1] - 0.5]
    (begin, before), (end, after) = steady[0], steady[-1]
    return (after - before) * 8 / (end - begin)


def tbf(options, rate):
    """Two namespaces, a veth between them, the kernel's token bucket at the sender."""
    names = [f"peer-{os.getpid()}-{end}" for end in ("near", "far")]
    try:
        for name in names:
            run(["ip", "netns", "add", name])
        run(["ip", "link", "add", "eth0", "netns", names[0], "type", "veth", "peer", "eth0", "netns", names[1]])
        for index, name in enumerate(names):
            run(["ip", "-n", name, "addr", "add", f"100.64.9.{index + 1}/24", "dev", "eth0"])
            run(["ip", "-n", name, "link", "set", "eth0", "up"])
        run(["ip", "netns", "exec", names[0], "ethtool", "-K", "eth0", "tso", "off", "gso", "off"], check=False)
        bucket = ["rate", f"{rate:.0f}bit", "burst", str(max(3028, int(rate / 8 / 1000))), "limit", str(buffer(rate))]
        run(["tc", "-n", names[0], "qdisc", "add", "dev", "eth0", "root", "tbf", *bucket])
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "near.json")
            server = subprocess.Popen(["ip", "netns", "exec", names[1], *SELF, "far", f"{out}.far"])
            command = ["ip", "netns", "exec", names[0], "env", "PEER_FAR=100.64.9.2"]
            try:
                result = measured(command, "PEER_FAR", options, rate, out)
            finally:
                server.kill()
                server.wait()
        # Its sender waits for it, and so sends no more than passes.
        return {"rate_error": result["rate_error"]}
    finally:
        for name in names:
            run(["ip", "netns", "del", name], check=False)


EMULATORS = {"forebay": forebay, "rattan": rattan, "tbf": tbf}


def touch(path):
    open(path, "w").close()


def run(command, check=True):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return done.stdout


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("iperf3"):
        sys.exit("link.py: run it as root, with iperf3 installed")
    main()
