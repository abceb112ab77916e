"""Ours against ns-3 on a drop-tail star with the same flows, over several seeds.

Usage: star_seeds.py FOREBAY BUFFER FIRST LAST [no-sack], as in `star_seeds.py target/release/forebay 250KB 1 12`,
with the Python that has the `ns` package (pip install ns3). Eight hosts at 10 Gb/s, links of 5 us, Hadoop flows at a load of
0.5 for 30 ms, NewReno. Prints per size class the mean FCT of both, pooled over the seeds; their ratio; and the
smallest and largest ratio of a single seed. Where packets are lost a single seed says little: which packet is
lost decides over a timeout of 5 ms, and that differs between any two simulators.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

EDGES = [0, 10_000, 100_000, 1_000_000]
CLASSES = "10KB,100KB,1MB"


def ours(forebay, flows, buffer, sack):
    command = [forebay, "net", "run", "--json", "--topology", "star:8,10G,5us", "--flows", flows, "--buffer", buffer]
    command += ["--min-rto", "5ms", "--initial-rto", "5ms", "--handshake", "--size-classes", CLASSES]
    report = json.loads(output(command if sack else [*command, "--no-sack"]))
    return [(row["finished"], row["fct_mean_us"]) for row in report["classes"][: len(EDGES)]]


def theirs(flows, buffer, sack):
    script = str(pathlib.Path(__file__).with_name("ns3_star.py"))
    bytes_ = buffer.upper().replace("MB", "000000B").replace("KB", "000B")
    command = [sys.executable, script, flows, "8", "10Gbps", "5us", bytes_]
    report = json.loads(output(command if sack else [*command, "no-sack"]).splitlines()[-1])
    rows = [(0, 0.0)] * len(EDGES)
    for row in report["classes"]:
        index = max(i for i, edge in enumerate(EDGES) if edge <= row["from"])
        count, mean = rows[index]
        total = count + row["flows"]
        rows[index] = (total, (count * mean + row["flows"] * row["mean_us"]) / total)
    return rows


def output(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def pooled(runs, index):
    rows = [run[index] for run in runs]
    return sum(count * mean for count, mean in rows) / sum(count for count, _ in rows)


def main():
    forebay, buffer, first, last = sys.argv[1:5]
    sack = sys.argv[5:] != ["no-sack"]
    us, them = [], []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(last) + 1):
            flows = f"{folder}/flows.txt"
            generate = [forebay, "net", "flows", "--hosts", "8", "--load", "0.5", "--rate", "10G", "--sizes", "hadoop"]
            output([*generate, "--span", "30ms", "--seed", str(seed), "--out", flows])
            us.append(ours(forebay, flows, buffer, sack))
            them.append(theirs(flows, buffer, sack))
            print(f"seed {seed} done", file=sys.stderr, flush=True)
    print("from bytes   flows   ns-3 us   ours us   ratio   single seeds")
    for index, edge in enumerate(EDGES):
        single = [a[index][1] / b[index][1] for a, b in zip(us, them) if a[index][0] and b[index][0]]
        flows = sum(run[index][0] for run in us)
        a, b = pooled(us, index), pooled(them, index)
        print(f"{edge:10} {flows:7} {b:9.1f} {a:9.1f} {a / b:7.2f}   {min(single):.2f} to {max(single):.2f}")


if __name__ == "__main__":
    main()
