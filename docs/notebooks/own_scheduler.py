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
import time

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
    """The mean time in microseconds from a flow's beginning to its last packet, of small flows and of all."""
    left = fb.Scheduler(rank=rank, packets=10**6).serve(times, sizes, flows=flow, flow_sizes=flow_sizes, rate=RATE)
    ends = np.zeros(flows, np.uint64)
    np.maximum.at(ends, flow, left)
    took = (ends - begins) / 1e6
    return took[packets <= 3].mean(), took.mean()


# %%
ranks = {
    "arrival order": "0",
    "smallest flow first": "flow_size",
    "smallest first, but waiting counts": "flow_size + now / 10_000",
    "classes of sizes": "log2(flow_size)",
}
outcome = {name: completion(rank) for name, rank in ranks.items()}
for name, (small, everyone) in outcome.items():
    print(f"{name:40} small flows {small:8.1f} µs, all {everyone:8.1f} µs")
assert outcome["smallest flow first"][0] < outcome["arrival order"][0]

# %% [markdown]
# In the third, a packet that comes 10 nanoseconds later ranks like a flow that is a byte larger, so large flows are
# overtaken for a while only. A mistake is found before anything runs:

# %%
try:
    fb.Scheduler(rank="flow_sise * 2")
except fb.ExpressionError as error:
    print(error)

# %% [markdown]
# The same as a Python function, and what that costs:

# %%
for name, rank in {"expression": "flow_size", "function": lambda packet: packet.flow_size}.items():
    scheduler = fb.Scheduler(rank=rank, packets=10**6)
    began = time.perf_counter()
    scheduler.serve(times, sizes, flows=flow, flow_sizes=flow_sizes, rate=RATE)
    print(f"{name:12} {1e9 * (time.perf_counter() - began) / len(flow):8.0f} ns a packet")
