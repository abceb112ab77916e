#!/usr/bin/env python3
"""Writes the moving pictures of the front page, docs/images/moving-*.svg, from the recorded series
of a real run.

    site/picture.py FOREBAY

It runs site/picture.toml, in which one burst meets one busy queue under two policies, and draws for
each what both queues hold. The pictures are small: a point is left out where a straight line runs
through it. They move by CSS alone, three times and not under the pointer, stand still for readers
who want that (prefers-reduced-motion), and take the page's colours.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# In the picture's units: the frame, and what the axes span.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360, 206, 42, 356, 30, 182
FROM_US, TO_US, MOST_MB = 400.0, 1000.0, 2.0
NAMES = {"dt": "Dynamic Threshold", "occamy": "Occamy"}


def x_of(time_us: float) -> float:
    return LEFT + (RIGHT - LEFT) * (time_us - FROM_US) / (TO_US - FROM_US)


def y_of(megabytes: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * megabytes / MOST_MB


def thinned(points: list[tuple[float, float]], off: float = 0.6) -> list[tuple[float, float]]:
    """Without points that are less than `off` from the line between those that stay (Douglas and
    Peucker).
    """
    if len(points) < 3:
        return points
    (x0, y0), (x1, y1) = points[0], points[-1]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
    distances = [abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length for x, y in points[1:-1]]
    most = max(distances)
    if most <= off:
        return [points[0], points[-1]]
    at = distances.index(most) + 1
    return thinned(points[: at + 1], off)[:-1] + thinned(points[at:], off)


def path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}".replace(".0", "") for x, y in thinned(points))


def drawn(policy: str, series: dict[str, list[tuple[float, float]]], lost: float) -> str:
    """The picture of one policy."""
    name = NAMES[policy]
    lines = {key: [(x_of(time), y_of(value)) for time, value in points if FROM_US <= time <= TO_US]
             for key, points in series.items()}
    areas = []
    for key, kind in (("background_queue", "busy"), ("burst_queue", "burst")):
        line = path(lines[key])
        areas.append(f'<path class="area {kind}" d="{line}L{RIGHT} {BOTTOM}L{LEFT} {BOTTOM}Z"/>'
                     f'<path class="line {kind}" d="{line}"/>')
    labels = ((lines["background_queue"][0], "busy queue", 6, "start"),
              (max(lines["burst_queue"], key=lambda point: -point[1]), "the burst's queue", 0, "middle"))
    named = "".join(f'<text x="{x + right:.0f}" y="{y - 6:.0f}" text-anchor="{anchor}">{text}</text>'
                    for (x, y), text, right, anchor in labels)
    said = "nothing of it is lost" if lost == 0 else f"{100 * lost:.1f} % of it is lost"
    grid = "".join(f'<path class="grid" d="M{LEFT} {y_of(mb):.0f}H{RIGHT}"/>'
                   f'<text x="{LEFT - 6}" y="{y_of(mb) + 4:.0f}" text-anchor="end">{text}</text>' for mb, text in ((0, "0"), (1, "1"), (2, "2 MB")))
    begins = x_of(500)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}: a burst of 1 MB arrives while another port's queue holds most of a buffer of 2 MB; {said}">
<style>
.moving-picture text{{font:12px system-ui,sans-serif;fill:currentColor}}
.moving-picture .title{{font-weight:600;font-size:14px}}
.moving-picture .grid{{stroke:currentColor;opacity:.15;fill:none}}
.moving-picture .busy{{--c:#8a5a00}}.moving-picture .burst{{--c:#1764c0}}
.moving-picture .area{{fill:var(--c);opacity:.22}}
.moving-picture .line{{fill:none;stroke:var(--c);stroke-width:2}}
.moving-picture .now{{stroke:currentColor;opacity:.55}}
[data-md-color-scheme=slate] .moving-picture .busy{{--c:#e2a93b}}[data-md-color-scheme=slate] .moving-picture .burst{{--c:#6cb2ff}}
@keyframes forebay-show{{0%{{clip-path:inset(-9px 100% -9px 0)}}75%,100%{{clip-path:inset(-9px 0 -9px 0)}}}}
@keyframes forebay-now{{0%{{transform:translateX(0)}}75%,100%{{transform:translateX({RIGHT - LEFT}px)}}}}
@keyframes forebay-said{{0%,70%{{opacity:0}}76%,100%{{opacity:1}}}}
.moving-picture .shutter{{animation:forebay-show 8s linear 3 both}}
.moving-picture .now{{animation:forebay-now 8s linear 3 both}}
.moving-picture .said{{animation:forebay-said 8s linear 3 both}}
.moving-picture:hover *{{animation-play-state:paused}}
@media (prefers-reduced-motion:reduce){{.moving-picture .shutter,.moving-picture .said{{animation:none}}.moving-picture .now{{display:none}}}}
</style>
<g class="moving-picture">
<text class="title" x="{LEFT}" y="16">{name}</text><text class="said" x="{RIGHT}" y="16" text-anchor="end">{said}</text>
{grid}
<path class="grid" d="M{begins:.0f} {TOP}V{BOTTOM}"/><text x="{begins:.0f}" y="{BOTTOM + 15}" text-anchor="middle">burst</text>
<text x="{RIGHT}" y="{BOTTOM + 15}" text-anchor="end">{TO_US / 1000:g} ms</text>
<g class="shutter">{''.join(areas)}{named}</g>
<path class="now" d="M{LEFT} {TOP}V{BOTTOM}"/>
</g></svg>
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        subprocess.run([sys.argv[1], "run", str(ROOT / "site/picture.toml"), "--out", str(out)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        series: dict[str, dict[str, list[tuple[float, float]]]] = {name: {} for name in NAMES}
        with (out / "timelines.csv").open() as file:
            for row in csv.DictReader(file):
                if row["series"] in ("burst_queue", "background_queue"):
                    series[row["policy"]].setdefault(row["series"], []).append(
                        (float(row["time_us"]), float(row["value"])))
        with (out / "results.csv").open() as file:
            lost = {row["policy"]: float(row["value"]) for row in csv.DictReader(file)
                    if row["metric"] == "burst_loss_fraction"}
    for policy in NAMES:
        target = ROOT / f"docs/images/moving-{policy}.svg"
        target.write_text(drawn(policy, series[policy], lost[policy]))
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
