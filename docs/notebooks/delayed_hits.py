# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # When delayed hits matter
#
# While a miss is fetched, further requests for the same object wait for it: delayed hits. If a fetch takes much longer
# than the time between requests, the policy with the most hits is not the one with the least latency. MAD weighs an
# object by the delay that its misses cause together.

# %%
import numpy as np

import forebay as fb

draw = np.random.default_rng(3)

# %% [markdown]
# Requests come in bursts: an object is asked for often for a while, and then rests.

# %%
count, objects = 60_000, 4_000
popularity = 1 / np.arange(1, objects + 1) ** 0.9
starts = draw.choice(objects, count // 6, p=popularity / popularity.sum())
bursts = draw.geometric(1 / 6, len(starts))
requested = np.repeat(starts, bursts)[:count].astype(np.uint64)
times = np.repeat(np.sort(draw.integers(0, 4 * count, len(starts))), bursts)[:count]
times = np.sort(times + draw.integers(0, 60, len(times))).astype(np.uint64)


def mean_latency(policy, fetch):
    cache = fb.Cache(policy, 200, fetch=fetch)
    cache.simulate(times[: len(requested)], requested)
    return cache.report["mean_latency"]


# %%
fetches = [1, 10, 100, 1_000, 10_000]
table = {policy: [mean_latency(policy, fetch) for fetch in fetches] for policy in ("lru", "lru-mad", "lhd", "belady", "belady-ad")}
print(f"{'fetch, in steps':12}" + "".join(f"{fetch:>12}" for fetch in fetches))
for policy, latencies in table.items():
    print(f"{policy:12}   " + "".join(f"{latency:12.2f}" for latency in latencies))

# %% [markdown]
# With a fetch of one step there are hardly any delayed hits, and what counts is the number of misses. Belady and
# Belady-AD both know the future: the one minimizes misses, the other looks at what each miss would cost, and the longer
# a fetch takes, the further it is ahead. MAD learns that cost from the past; compare it with LRU in the last column.

# %%
import matplotlib.pyplot as plt

for policy, latencies in table.items():
    plt.plot(fetches, np.array(latencies) / table["lru"], marker="o", label=policy)
plt.xscale("log")
plt.xlabel("steps that a fetch takes")
plt.ylabel("mean latency / that of LRU")
plt.legend()
assert table["belady"][0] < table["lru"][0]
assert table["belady-ad"][-1] < table["belady"][-1] and table["lru-mad"][-1] < table["lru"][-1]
