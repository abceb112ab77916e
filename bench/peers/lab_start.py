#!/usr/bin/env python3
"""How long a lab of eight hosts takes: `forebay switch` beside Mininet.

    sudo apt install mininet bridge-utils net-tools iputils-ping
    sudo python3 bench/peers/lab_start.py --forebay target/release/forebay [--hosts 8] [--rounds 5]

A star of hosts around one switch, one after the other, `--rounds` times in turn. `up` is the time from the command
until an echo request of the first host has been answered by the last one, `down` the time until all of it is gone;
medians. Mininet's switch is a Linux bridge, since that needs no daemon, and its links have neither rate nor delay; ours
have both (100 Mb/s, 100 us). Everything happens in a network namespace of the script's own.

Needs root.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Run by the system's own Python, which has the package: prints a line once an echo has been answered.
MININET = """
import sys
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.nodelib import LinuxBridge
from mininet.topo import SingleSwitchTopo

setLogLevel("error")
hosts = int(sys.argv[1])
net = Mininet(topo=SingleSwitchTopo(k=hosts), switch=LinuxBridge, controller=None)
net.start()
answer = net.get("h1").cmd("ping -n -c 1 -W 5 " + net.get("h%d" % hosts).IP())
print("up" if " 1 received" in answer else answer, flush=True)
sys.stdin.readline()
net.stop()
"""


def main():
    options = parse()
    if not os.environ.get("PEER_INSIDE"):
        os.execvpe("unshare", ["unshare", "-n", sys.executable, *sys.argv], {**os.environ, "PEER_INSIDE": "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subjects = {"forebay": forebay, "mininet": mininet}
    if not os.path.exists("/usr/lib/python3/dist-packages/mininet"):
        print("lab_start.py: Mininet is not installed (apt install mininet); only forebay is measured", file=sys.stderr)
        del subjects["mininet"]
    times = {name: [] for name in subjects}
    for _ in range(options.rounds):
        for name, subject in subjects.items():
            times[name].append(subject(options))
    medians = {name: [statistics.median(part) for part in zip(*found)] for name, found in times.items()}
    print(f"| {options.hosts} hosts, {options.rounds} rounds | up | down | up, part of Mininet's |")
    print("|---|--:|--:|--:|")
    for name, (up, down) in medians.items():
        part = f"{up / medians['mininet'][0]:.0%}" if "mininet" in medians else ""
        print(f"| {name} | {up:.2f} s | {down:.2f} s | {part} |")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forebay", required=True, help="the command forebay")
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def forebay(options):
    with tempfile.TemporaryDirectory() as folder:
        # Labs are enlisted by name in a folder of this run.
        run = lambda *words: subprocess.run(  # noqa: E731
            [options.forebay, "switch", *words], env={**os.environ, "XDG_RUNTIME_DIR": folder}, **QUIET
        )
        begin = time.monotonic()
        check(run("up", f"star:{options.hosts},100M,100us"))
        check(run("exec", "h1", "--", "ping", "-n", "-c", "1", "-W", "5", f"h{options.hosts}"))
        up = time.monotonic()
        check(run("down"))
        return up - begin, time.monotonic() - up


def mininet(options):
    begin = time.monotonic()
    command = ["/usr/bin/python3", "-c", MININET, str(options.hosts)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    up = time.monotonic()
    process.communicate("\n")
    if line.strip() != "up" or process.returncode != 0:
        sys.exit(f"lab_start.py: Mininet's lab did not come up: {line}")
    return up - begin, time.monotonic() - up


QUIET = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}


def check(done):
    if done.returncode != 0:
        sys.exit(f"lab_start.py: {' '.join(done.args)}: {done.stdout}")


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("ping"):
        sys.exit("lab_start.py: run it as root, with ping installed")
    main()
