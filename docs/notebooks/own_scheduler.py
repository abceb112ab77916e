# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # A scheduler of your own
#
# A scheduler is a rank: the packet with the smallest number leaves first. A rank is given as a small expression, which
# is compiled, or as a Python function, which may do anything and costs a call for every packet.

# %%
import numpy as np

import forebay as fb

RATE = 10_000_000_000
draw = np.random.default_rng(7)

# %% [markdown]
# Flows of very different sizes share a link at 90 % load; every packet carries the size of its flow.

# %%
flows = 600
packets = np.minimum(draw.zipf(1.5, flows), 1_000)
gap = packets.mean() * 1500 * 8 / (0.9 * RATE) * 1e12
begins = np.cumsum(draw.exponential(gap, flows)).astype(np.uint64)
flow = np.repeat(np.arange(flows), packets)
times = np.repeat(begins, packets)
sizes = np.full(len(flow), 1500)
flow_sizes = np.repeat(packets * 1500, packets)


def completion(rank):
    """The time in microseconds from each flow's beginning to its last packet."""
    left = fb.Scheduler(rank=rank, packets=10**6).serve(times, sizes, flows=flow, flow_sizes=flow_sizes, rate=RATE)
    ends = np.zeros(flows, np.uint64)
    np.maximum.at(ends, flow, left)
    return (ends - begins) / 1e6


# %%
ranks = {
    "arrival order": "0",
    "smallest flow first": "flow_size",
    "smallest first, but waiting counts": "flow_size + now / 5_000",
    "classes of sizes": "log2(flow_size)",
}
took = {name: completion(rank) for name, rank in ranks.items()}
small = packets <= 3
for name, durations in took.items():
    means = f"small flows {durations[small].mean():8.1f} µs, all {durations.mean():8.1f} µs"
    print(f"{name:36} {means}, the slowest {durations.max():8.1f} µs")
assert took["smallest flow first"][small].mean() < took["arrival order"][small].mean()
assert took["smallest first, but waiting counts"].max() < took["smallest flow first"].max()

# %% [markdown]
# In the third, a packet that comes 5 nanoseconds later ranks like a flow that is a byte larger. So no flow is overtaken
# for ever: the slowest is done sooner, and small flows wait again. A mistake is found before anything runs:

# %%
try:
    fb.Scheduler(rank="flow_sise * 2")
except fb.ExpressionError as error:
    print(error)

# %% [markdown]
# The same as a Python function decides the same, and is called for every packet. [What it
# costs](../python.md#what-it-costs) says how much slower that is.

# %%
departures = [
    fb.Scheduler(rank=rank, packets=10**6).serve(times, sizes, flows=flow, flow_sizes=flow_sizes, rate=RATE)
    for rank in ("flow_size", lambda packet: packet.flow_size)
]
print("the same departures:", np.array_equal(*departures))
assert np.array_equal(*departures)

# %% [markdown]
# The largest flows pay for the small ones' speed:

# %%
import matplotlib.pyplot as plt

classes = np.log2(packets).astype(int)  # 1, 2 to 3, 4 to 7, … packets
present = np.unique(classes)
for name, durations in took.items():
    means = [durations[classes == each].mean() for each in present]
    plt.plot(2.0**present, means, marker="o", label=name)
plt.xscale("log")
plt.yscale("log")
plt.xlabel("packets of the flow, at least")
plt.ylabel("mean completion time (µs)")
plt.legend()
plt.tight_layout()
