#!/usr/bin/env python3
"""What passes through user space on its way: `forebay link` against the least that a forwarder can do.

    sudo python3 bench/peers/throughput.py --forebay target/release/forebay [--switches occamy,gearbox]

Two hosts in namespaces, TCP for `--seconds`, then UDP of 22 bytes (frames of 64, counted as they reach the far
interface: the program behind it does not keep up on two cores), through

- `forwarder.c`, compiled here: AF_PACKET sockets between two veths, no queue, no decision,
- `forebay link 100G`, whose switch decides about each frame and whose clock sends it.

One after the other, `--rounds` times in turn; medians, and ours as a part of the forwarder's. Needs root, iperf3, `ip`
and a C compiler.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SMALL = 22


def main():
    options = parse()
    if not os.environ.get("PEER_INSIDE"):
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "PEER_INSIDE": "1"})
    subjects = {"forwarder": forwarder}
    for switch in options.switches.split(","):
        subjects[f"forebay link, {switch}"] = lambda options, load, switch=switch: forebay(options, load, switch)
    print("| load | through | median | part of the forwarder |")
    print("|---|---|--:|--:|")
    for load, unit in ((TCP, "Gb/s"), (UDP, "kpps")):
        results = {name: [] for name in subjects}
        for _ in range(options.rounds):
            for name, through in subjects.items():
                with tempfile.TemporaryDirectory() as folder:
                    os.environ["OUT"] = folder
                    results[name].append(through(options, load))
        medians = {name: statistics.median(found) for name, found in results.items()}
        for name, median in medians.items():
            part = median / medians["forwarder"]
            print(f"| {load['name']} | {name} | {median:.3g} {unit} | {part:.0%} |")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forebay", required=True, help="the command forebay")
    parser.add_argument("--switches", default="drop-tail,occamy,gearbox")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def gbps(report, _):
    return report["end"]["sum_received"]["bits_per_second"] / 1e9


def kpps(report, frames):
    """What the far interface received: how much of that a program there has time to read is its own affair."""
    return frames / report["end"]["sum"]["seconds"] / 1e3


TCP = {"name": "TCP", "options": [], "found": gbps}
UDP = {"name": "frames of 64 B", "options": ["-u", "-b", "0", "-l", str(SMALL)], "found": kpps}


# What the far host runs: a server for one client, then the counters of its interface.
SERVER = "iperf3 -s -1 -J >/dev/null; cat /proc/net/dev >$OUT/far"


def client(options, load):
    return ["-t", str(options.seconds), "-J", *load["options"]]


def forebay(options, load, switch):
    command = [options.forebay, "link", "100G,0us", "--switch", switch, "--buffer", "8MB"]
    command += ["--far", SERVER, "--", "sh", "-c"]
    script = "for i in 1 2 3 4 5 6 7 8 9; do iperf3 -c $FOREBAY_FAR " + " ".join(client(options, load))
    script += " >$OUT/report && break; sleep 0.2; done; sleep 0.5"
    return through(command + [script], load)


def through(command, load):
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    with open(os.path.join(os.environ["OUT"], "report")) as file:
        report = json.load(file)
    if "error" in report:
        sys.exit(f"{' '.join(command)}: {report['error']}\n{done.stderr}")
    with open(os.path.join(os.environ["OUT"], "far")) as file:
        interfaces = dict(line.split(":") for line in file if ":" in line)
    # Received bytes and packets are the first two numbers.
    counts = [counts.split() for name, counts in interfaces.items() if name.strip() != "lo"]
    return load["found"](report, int(counts[0][1]))


def forwarder(options, load):
    ends = [f"peer-{os.getpid()}-{end}" for end in ("near", "middle", "far")]
    near, middle, far = ends
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "forwarder")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forwarder.c")
        run([os.environ.get("CC", "cc"), "-O2", "-o", program, source])
        started = []
        try:
            for end in ends:
                run(["ip", "netns", "add", end])
            for index, end in enumerate((near, far)):
                run(["ip", "link", "add", "eth0", "netns", end, "type", "veth", "peer", f"m{index}", "netns", middle])
                run(["ip", "-n", end, "addr", "add", f"100.64.9.{index + 1}/24", "dev", "eth0"])
                run(["ip", "-n", end, "link", "set", "eth0", "up"])
                run(["ip", "-n", middle, "link", "set", f"m{index}", "up"])
            started.append(subprocess.Popen(["ip", "netns", "exec", middle, program, "m0", "m1"]))
            started.append(subprocess.Popen(["ip", "netns", "exec", far, "sh", "-c", SERVER]))
            time.sleep(0.5)
            script = f"iperf3 -c 100.64.9.2 {' '.join(client(options, load))} >$OUT/report; sleep 0.5"
            return through(["ip", "netns", "exec", near, "sh", "-c", script], load)
        finally:
            for process in started:
                process.kill()
                process.wait()
            for end in ends:
                subprocess.run(["ip", "netns", "del", end], stderr=subprocess.DEVNULL)


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr or done.stdout}")


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("iperf3"):
        sys.exit("throughput.py: run it as root, with iperf3 installed")
    main()
