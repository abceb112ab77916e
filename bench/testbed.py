#!/usr/bin/env python3
"""Real packets beside simulated ones: the results of an experiment of the scenario `testbed` as one table.

    forebay run experiments/occamy/testbed-fig12.toml
    python3 bench/testbed.py results/occamy/testbed-fig12 [--metrics qct_mean,qct_p99,query_timeouts,fct_mean]

A row for each policy and point, means over seeds; for each metric `real / simulated`, and for times how far the
simulation is off (simulated over real, less 1). Beneath, the lateness of the real packets, and how often real and
simulated packets agree on which of two policies is better where the two are at least a tenth apart.
"""

import argparse
import collections
import csv
import itertools
import math
import os
import statistics

TIMES = ("qct", "fct", "small_fct")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="the folder with results.csv")
    parser.add_argument("--metrics", default="qct_mean,qct_p99,query_timeouts,fct_mean,small_fct_p99")
    options = parser.parse_args()
    with open(os.path.join(options.results, "results.csv")) as file:
        reader = csv.DictReader(file)
        axes = reader.fieldnames[1 : reader.fieldnames.index("seed")]
        rows = list(reader)
    points = [axis for axis in axes if axis != "packets"]
    found = collections.defaultdict(list)
    for row in rows:
        point = tuple(row[axis] for axis in points)
        found[row["policy"], point, row["packets"], row["metric"]].append(float(row["value"]))
    means = {key: mean(values) for key, values in found.items()}
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    places = list(dict.fromkeys(tuple(row[axis] for axis in points) for row in rows))
    metrics = options.metrics.split(",")
    shown = [axis for axis in points if not axis.endswith("_unit")]
    print("| " + " | ".join([*shown, "policy", *metrics]) + " |")
    print("|---" * (len(shown) + 1 + len(metrics)) + "|")
    for place in places:
        for policy in policies:
            values = dict(zip(points, place))
            cells = [values[axis] + " " + values.get(f"{axis}_unit", "") for axis in shown]
            both = [[means.get((policy, place, kind, metric), math.nan) for kind in KINDS] for metric in metrics]
            cells += [policy, *(pair(metric, *values) for metric, values in zip(metrics, both))]
            print("| " + " | ".join(cell.strip() for cell in cells) + " |")
    for metric in ("late_p50", "late_p99", "not_passed"):
        values = [v for (_, _, kind, name), all in found.items() if kind == "real" and name == metric for v in all]
        if values:
            print(f"\n{metric}: median of the runs {statistics.median(values):.3g}, most {max(values):.3g}", end="")
    print()
    for metric in metrics:
        print(agreement(metric, means, policies, places))


KINDS = ("real", "simulated")


def mean(values):
    there = [value for value in values if not math.isnan(value)]
    return statistics.mean(there) if there else math.nan


def pair(metric, real, simulated):
    if not metric.startswith(TIMES):
        return f"{real:.3g} / {simulated:.3g}"
    error = f" ({simulated / real - 1:+.0%})" if real > 0 else ""
    return f"{real / 1e3:.3g} / {simulated / 1e3:.3g} ms{error}"


def agreement(metric, means, policies, places):
    """How often both say the same of two policies."""
    agreed = clear = 0
    errors = []
    for place in places:
        for policy in policies:
            real, simulated = (means.get((policy, place, kind, metric), math.nan) for kind in KINDS)
            if real > 0 and simulated > 0:
                errors.append(abs(simulated / real - 1))
        for one, other in itertools.combinations(policies, 2):
            values = {kind: [means.get((p, place, kind, metric), math.nan) for p in (one, other)] for kind in KINDS}
            if any(math.isnan(value) for pair in values.values() for value in pair):
                continue
            if all(max(pair) > 1.1 * min(pair) for pair in values.values()):
                clear += 1
                agreed += (values["real"][0] < values["real"][1]) == (values["simulated"][0] < values["simulated"][1])
    error = f"; the simulation is off by {statistics.median(errors):.0%} (median), {max(errors):.0%} (most)" if errors else ""
    return f"{metric}: the same policy is better in {agreed} of {clear} clear pairs{error}"


if __name__ == "__main__":
    main()
