#!/usr/bin/env python3
"""Recorded runs, replayed: whether the same engine decides the same, line by line.

    sudo apt install iperf3
    sudo python3 bench/peers/replayed.py --forebay target/release/forebay [--packets 1000000] [--runs 10]

Each run is `forebay link --record` under another switch: four flows of UDP, more than the link can carry, so that the
switch queues, orders and drops, and what comes back. Then `forebay replay` compares its decisions with the recorded
ones; it says `identical` or exits with 1. A recording takes some 300 bytes a packet, and is removed once it has been
replayed. Needs root.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SWITCHES = ("drop-tail", "fq-codel", "occamy", "dt", "gearbox", "abm", "pushout", "drr", "srpt", "themis")
FLOWS = 4
PAYLOAD = 200


def main():
    options = parse()
    print("| switch | frames | lost | recorded in | replayed in | decisions |")
    print("|---|--:|--:|--:|--:|---|")
    identical = 0
    for number in range(options.runs):
        switch = SWITCHES[number % len(SWITCHES)]
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            identical += one(options, switch, os.path.join(folder, "run"))
    print(f"\n{identical} of {options.runs} runs identical")
    sys.exit(0 if identical == options.runs else 1)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forebay", required=True, help="the command forebay")
    parser.add_argument("--packets", type=int, default=1_000_000, help="that are sent in each run, at least")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--rate", type=int, default=100, help="of the link, in Mb/s")
    parser.add_argument("--folder", help="where recordings are meanwhile")
    return parser.parse_args()


def one(options, switch, run):
    # Some are lost before they come to the link.
    packets = options.packets * 21 // 20 // FLOWS
    rate = options.rate * 1.3 / FLOWS
    flood = f"iperf3 -c $FOREBAY_FAR -u -P {FLOWS} -b {rate:.1f}M -l {PAYLOAD} -k {packets * FLOWS}"
    # The far end may not be listening yet.
    near = f"for try in $(seq 50); do {flood} >/dev/null 2>&1 && exit; sleep 0.1; done; exit 1"
    command = [options.forebay, "link", f"{options.rate}M,2ms", "--switch", switch, "--record", run]
    command += ["--far", "iperf3 -s >/dev/null", "--", "/bin/sh", "-c", near]
    begin = time.monotonic()
    recorded = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if recorded.returncode != 0:
        sys.exit(f"replayed.py: {switch}: {recorded.stdout}")
    between = time.monotonic()
    replayed = subprocess.run([options.forebay, "replay", run], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic()
    with open(os.path.join(run, "manifest.json")) as file:
        frames = json.load(file)["frames"]
    lost = 0
    for way in ("up", "down"):
        with open(os.path.join(run, f"{way}.csv")) as file:
            lost += sum(",lost," in line for line in file)
    said = "identical" if replayed.returncode == 0 and "identical" in replayed.stdout else replayed.stdout.strip()
    print(f"| {switch} | {frames:,} | {lost:,} | {between - begin:.1f} s | {end - between:.1f} s | {said} |", flush=True)
    if frames < options.packets:
        print(f"replayed.py: {switch}: only {frames} frames came", file=sys.stderr)
    return said == "identical" and frames >= options.packets


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("iperf3"):
        sys.exit("replayed.py: run it as root, with iperf3 installed")
    main()
