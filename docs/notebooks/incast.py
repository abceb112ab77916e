# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Buffer managers on an incast
#
# One output of a switch has a standing queue. Then a burst comes to another output, faster than it can leave. How much
# of the burst finds room depends on who manages the shared buffer, and on nothing else here: same packets, same
# memory, same clock.

# %%
import numpy as np

import forebay as fb

GBPS, NS = 1_000_000_000, 1_000
RATE, SIZE = 10 * GBPS, 1500
SEND = SIZE * 8 * 1_000_000_000_000 // RATE  # the time that a port takes to send a packet, in picoseconds


# %% [markdown]
# Both ports send all the time. The standing queue gets twice what leaves; after a while the burst comes at ten times
# its port's rate.

# %%
def incast(policy, alpha=8.0):
    known = fb.Buffer.parameters(policy)
    own = {name: value for name, value in {"alpha": alpha, "port_rate": RATE}.items() if name in known}
    buffer = fb.Buffer(policy, ports=8, capacity=410_000, **own)
    begin, count = 2_000 * SEND, 200
    arrivals = [(at * SEND // 2, 0) for at in range(4_600)]
    arrivals += [(begin + at * SEND // 10, 1) for at in range(count)]
    events = [(at, 1, port) for at, port in arrivals] + [(at * SEND, 0, port) for at in range(2_300) for port in (0, 1)]
    lost = pushed_out = 0
    for at, is_arrival, port in sorted(events):
        if not is_arrival:
            buffer.dequeue(at, port)
            continue
        verdict = buffer.enqueue(at, port, SIZE, tag=port)
        lost += port == 1 and verdict is not None
        pushed_out += sum(tag == 0 for tag, _ in buffer.losses())
    return {"burst lost": lost / count, "others expelled": pushed_out}


outcome = {policy: incast(policy) for policy, _ in fb.Buffer.names()}
for policy, numbers in outcome.items():
    print(f"{policy:18} {numbers['burst lost']:6.1%} of the burst lost, {numbers['others expelled']:4} others expelled for it")

# %% [markdown]
# A static partition and complete sharing are the extremes. Dynamic Threshold with a large alpha lets the standing queue
# take nearly everything, and cannot take it back; Occamy can, by dropping packets that wait.

# %%
assert outcome["occamy"]["burst lost"] < outcome["dt"]["burst lost"]
assert outcome["dt"]["others expelled"] == 0

# %%
import matplotlib.pyplot as plt

names = list(outcome)
plt.barh(names, [100 * outcome[name]["burst lost"] for name in names])
plt.xlabel("burst lost (%)")
plt.gca().invert_yaxis()
plt.tight_layout()
