# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Reproduce a figure, and change one assumption
#
# Fig. 11 of Occamy: how much of a burst is lost, against its size, under buffer managers with the same alpha. The file
# says where each parameter comes from; here we run a part of it, and then change the one open value that matters.

# %%
from pathlib import Path

import forebay as fb

ROOT = next(folder for folder in [Path.cwd(), *Path.cwd().parents] if (folder / "experiments").is_dir())
experiment = fb.Experiment.load(ROOT / "experiments/occamy/fig11-burst-absorption.toml")
print(experiment.title, "-", len(experiment), "runs")
for path, (value, source, _) in experiment.parameters.items():
    if source.startswith("assumed"):
        reason, _, _where = source.rpartition(" (")
        print(f"  {path} = {value}: {reason}")

# %%
short = experiment.set(alpha=4, burst_bytes=["600 KB", "1 MB", "2 MB"]).with_seeds([1, 2])
results = short.run(out=ROOT / "results/notebook/fig11", progress=False)
for claim in results.claims:
    print(claim.text, "->", claim.line)

# %% [markdown]
# The paper does not state the rate of the burst. What if the sender is faster?

# %%
faster = short.set(burst_rate="100 Gb/s").run(out=ROOT / "results/notebook/fig11-faster", progress=False)
for policy in experiment.policies:
    lost = [
        [value for name, metric, value in zip(table["policy"], table["metric"], table["value"]) if (name, metric) == (policy, "absorbed")]
        for table in (results.table, faster.table)
    ]
    print(f"{policy:10} absorbs {sum(lost[0]) / len(lost[0]):.3f} MB, of the faster burst {sum(lost[1]) / len(lost[1]):.3f} MB")

# %%
fb.chart(results, "burst_loss_fraction", x="burst_bytes")

# %% [markdown]
# The same figure as the report draws it. `results` alone, at the end of a cell, shows the whole report: figures,
# claims, every parameter with its source.

# %%
results.figures["loss-alpha-4"]
