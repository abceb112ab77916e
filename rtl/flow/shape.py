"""What a configuration means, in units that all cores share: elements, bits of a rank, logical
queues, cycles.

The cycles are those that the cores' tests assert. A packet is an enqueue and a dequeue (thesis
§4.6: "two operations per packet"); where a core has a replace, clubheap's CPR is the cycles of one.
"""

from __future__ import annotations

from math import log2


def _bbq(p: dict) -> dict:
    return {"N": 2 ** p["SlotBits"] - 1, "rank bits": round(p["Levels"] * log2(p["Width"])), "M": p.get("Partitions", 1),
            "D": p["Levels"], "W": p["Width"], "cycles per packet": 2}


def _clubheap(p: dict) -> dict:
    return {"N": p.get("Capacity", 4094), "rank bits": p.get("RankW", 16), "M": p.get("Partitions", 1),
            "K": p.get("Cluster", 2), "ways": p.get("Ways", 2), "small": int(bool(p.get("Small", 0) or p.get("Ways", 2) > 2)),
            "cycles per packet": 1}


def _pifo(p: dict) -> dict:
    return {"N": p["Depth"], "rank bits": p.get("RankW", 8), "M": p.get("Partitions", 1), "cycles per packet": 1}


def _pieo(p: dict) -> dict:
    return {"N": p["Size"] ** 2, "rank bits": p.get("RankW", 16), "M": 1, "cycles per packet": 8}


def _bmw(p: dict) -> dict:
    ways, levels = p.get("Ways", 4), p.get("Levels", 6)
    return {"N": sum(ways ** level for level in range(1, levels + 1)), "rank bits": p.get("RankW", 16), "M": 1,
            "cycles per packet": 3}


def _gearbox(p: dict) -> dict:
    groups = (3 if p.get("StepDown", 0) else 2) * (p.get("Levels", 4) - 1) + 1
    return {"N": groups << (p.get("FifosLog2", 4) + p.get("PlacesLog2", 8)), "cycles per packet": 2}


def _surge(p: dict) -> dict:
    return {"N": p.get("Capacity", 1024), "rank bits": round(p.get("Levels", 3) * log2(p.get("Width", 8))), "M": 1,
            "D": p.get("Levels", 3), "W": p.get("Width", 8), "cycles per packet": 2}


def _themis(p: dict) -> dict:
    levels, width = p["Levels"], p["Width"]
    return {"N": 2 ** p["SlotBits"] - 1, "rank bits": levels * (width.bit_length() - 1), "M": 1, "D": levels, "W": width,
            "cycles per packet": 2}


SHAPES = {"bbq": _bbq, "clubheap": _clubheap, "pifo": _pifo, "pieo": _pieo, "bmw": _bmw, "gearbox": _gearbox,
          "surge": _surge, "themis": _themis}


def shape(core: str, parameters: dict) -> dict:
    """Elements and so on of a configuration; empty for what is no queue of its own."""
    return SHAPES[core](parameters) if core in SHAPES else {}
