#!/usr/bin/env python3
"""Latency under load: our `fq-codel` and `cake` beside the kernel's own and plain queues.

    sudo apt install user-mode-linux kmod iperf3 iputils-ping iproute2 ethtool
    sudo python3 bench/peers/fq_codel.py --forebay target/release/forebay [--seconds 15] [--rounds 3]

Few kernels have these disciplines as modules at hand, so the kernel is Debian's `user-mode-linux`: it boots in
seconds with this machine's root, read-only, and routes between two namespaces: at 20 Mb/s by a token bucket over the
discipline in one direction, with 50 ms by netem in the other. Ours is `forebay link` with the same rate and delay.
Hosts and their TCP (four flows of CUBIC) are those of this machine in both, one after the other, `--rounds` times in
turn.

While the flows send, `ping` asks 20 times a second; it is a sparse flow, which fq_codel lets pass. What it takes
beyond the 50 ms is its latency; that of the bulk flows is their round trip as TCP measures it. Medians of the rounds.

A user-mode kernel's timers are coarser than a real one's: milliseconds count here, not microseconds. Both it and
`forebay link` run with real-time priority; close everything else nevertheless.

Needs root. What it makes is in namespaces of its own.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RATE, DELAY = 20, 50
FLOWS = 4
MODULES = ("tbf", "fq_codel", "netem", "cake")
# For ours: names of `--switch`, and more of the command.
OURS = {
    "forebay fq-codel": ["--switch", "fq-codel"],
    "forebay cake": ["--switch", "cake"],
    "forebay drop-tail": ["--switch", "drop-tail", "--buffer", "250KB"],
}
# For the kernel: what stands beneath the token bucket; cake has a rate of its own, of whole
# frames as ours.
KERNELS = {
    "kernel fq_codel": ["tc qdisc add dev vec1 root handle 1: tbf rate {rate}mbit burst 3028 limit 100mb",
                        "tc qdisc add dev vec1 parent 1: fq_codel"],
    "kernel cake": ["tc qdisc add dev vec1 root cake bandwidth {rate}mbit raw"],
    "kernel bfifo": ["tc qdisc add dev vec1 root handle 1: tbf rate {rate}mbit burst 3028 limit 250kb"],
}  # fmt: skip
INIT = """#!/bin/sh
mount -t proc proc /proc
modules=/usr/lib/uml/modules/$(uname -r)/kernel/net/sched
for name in {modules}; do insmod $modules/sch_$name.ko; done
sysctl -qw net.ipv4.ip_forward=1
ip addr add 10.9.1.1/24 dev vec0
ip addr add 10.9.2.1/24 dev vec1
ip link set vec0 up
ip link set vec1 up
tc qdisc add dev vec0 root netem delay {delay}ms limit 100000
{disciplines}
tc qdisc show
echo booted
while :; do sleep 60; done
"""


def main():
    if sys.argv[1:2] == ["near"]:
        return near(sys.argv[2], sys.argv[3], sys.argv[4])
    options = parse()
    if not os.environ.get("PEER_INSIDE"):
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "PEER_INSIDE": "1"})
    run(["ip", "link", "set", "lo", "up"])
    subjects = {name: ours for name in OURS}
    if shutil.which("linux.uml"):
        subjects.update({name: kernel for name in KERNELS})
    else:
        print("fq_codel.py: without user-mode-linux only forebay is measured", file=sys.stderr)
    if options.only:
        subjects = {name: subject for name, subject in subjects.items() if options.only in name}
    found = {name: [] for name in subjects}
    for _ in range(options.rounds):
        for name, subject in subjects.items():
            found[name].append(subject(name, options))
    print(f"| {RATE} Mb/s, {DELAY} ms, {FLOWS} flows | ping p50 | p99 | bulk round trip | goodput | resent |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, results in found.items():
        middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
        print(
            f"| {name} | {middle['p50']:.1f} ms | {middle['p99']:.1f} ms | {middle['bulk']:.1f} ms "
            f"| {middle['goodput']:.2f} Mb/s | {middle['resent']:.0f} |"
        )


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forebay", required=True, help="the command forebay")
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="what has this text in its name")
    return parser.parse_args()


def ours(name, options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "near.json")
        command = [options.forebay, "link", f"{RATE}M,0ms", *OURS[name], "--down", "rate=1G"]
        command += ["--down", f"delay={DELAY}ms", "--far", "iperf3 -s -1 >/dev/null", "--"]
        run([*command, *near_end("FOREBAY_FAR", options, out)])
        with open(out) as file:
            return json.load(file)


def kernel(name, options):
    names = [f"peer-{os.getpid()}-{end}" for end in ("near", "far")]
    with tempfile.TemporaryDirectory() as folder:
        disciplines = "\n".join(KERNELS[name]).format(rate=RATE)
        init, log = os.path.join(folder, "init"), os.path.join(folder, "log")
        with open(init, "w") as file:
            file.write(INIT.format(modules=" ".join(MODULES), delay=DELAY, disciplines=disciplines))
        os.chmod(init, 0o755)
        guest = None
        try:
            for device in ("tap0", "tap1"):
                run(["ip", "tuntap", "add", "dev", device, "mode", "tap"])
            guest = boot(init, log, folder)
            for index, (namespace, device) in enumerate(zip(names, ("tap0", "tap1")), 1):
                run(["ip", "netns", "add", namespace])
                run(["ip", "link", "set", device, "netns", namespace])
                inside = ["ip", "netns", "exec", namespace]
                run([*inside, "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off"], check=False)
                run([*inside, "ip", "link", "set", device, "mtu", "1500", "up"])
                run([*inside, "ip", "addr", "add", f"10.9.{index}.2/24", "dev", device])
                run([*inside, "ip", "route", "add", "default", "via", f"10.9.{index}.1"])
            server = subprocess.Popen(["ip", "netns", "exec", names[1], "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
            out = os.path.join(folder, "near.json")
            try:
                command = ["ip", "netns", "exec", names[0], "env", "PEER_FAR=10.9.2.2"]
                run([*command, *near_end("PEER_FAR", options, out)])
            finally:
                server.kill()
                server.wait()
            with open(out) as file:
                return json.load(file)
        finally:
            if guest:
                guest.kill()
                guest.wait()
            for namespace in names:
                run(["ip", "netns", "del", namespace], check=False)
            for device in ("tap0", "tap1"):
                run(["ip", "link", "del", device], check=False)


def boot(init, log, folder):
    """Starts the user-mode kernel and waits until it routes."""
    # With real-time priority, as forebay link takes it for itself.
    command = ["chrt", "-f", "1", "linux.uml", "mem=128M", "rootfstype=hostfs", "rootflags=/", "ro", f"init={init}", "con=null"]
    command += ["con0=null,fd:1", f"uml_dir={folder}", "umid=peer"]
    for index in range(2):
        command.append(f"vec{index}:transport=tap,ifname=tap{index},depth=64,gro=0")
    with open(log, "w") as file:
        guest = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
    for _ in range(300):
        time.sleep(0.1)
        with open(log, errors="replace") as file:
            text = file.read()
        if "booted" in text:
            return guest
        if guest.poll() is not None:
            break
    guest.kill()
    sys.exit(f"fq_codel.py: the user-mode kernel did not boot\n{text[-2000:]}")


def near_end(far, options, out):
    return [sys.executable, os.path.abspath(__file__), "near", far, str(options.seconds), out]


def near(far, seconds, out):
    """The near end: four flows, and echo requests meanwhile."""
    far = os.environ[far]
    for _ in range(50):
        if "1 received" in run(["ping", "-n", "-c", "1", "-W", "1", far], check=False):
            break
    load = ["iperf3", "-c", far, "-P", str(FLOWS), "-t", seconds, "-C", "cubic", "-J"]
    # The far end may not be listening yet.
    for _ in range(50):
        flows = subprocess.Popen(load, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        if flows.poll() is None:
            break
    # What is measured begins when the flows have left slow start.
    time.sleep(2)
    count = int((float(seconds) - 3) * 20)
    ping = run(["ping", "-n", "-i", "0.05", "-c", str(count), far])
    report = json.loads(flows.communicate()[0])
    rtts = sorted(float(text) for text in re.findall(r"time=([\d.]+) ms", ping))
    end = report["end"]
    found = {
        "p50": rtts[len(rtts) // 2] - DELAY,
        "p99": rtts[int(len(rtts) * 0.99)] - DELAY,
        "bulk": statistics.mean(one["sender"]["mean_rtt"] for one in end["streams"]) / 1e3 - DELAY,
        "goodput": end["sum_received"]["bits_per_second"] / 1e6,
        "resent": end["sum_sent"]["retransmits"],
    }
    with open(out, "w") as file:
        json.dump(found, file)


def run(command, check=True):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return done.stdout


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("iperf3"):
        sys.exit("fq_codel.py: run it as root, with iperf3 installed")
    main()
