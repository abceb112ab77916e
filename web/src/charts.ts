// Charts of both sides, in pairs that share their axes, so that they can be compared; under each a
// table with the same numbers.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { alone, amount, column, tick } from "./numbers";
import { $, element, scroll, table } from "./page";
import type { Chart, Line } from "./protocol";

const HEIGHT = 210;
const COLOURS = 8;
/** So many rows of a chart's table at most: every n-th place. */
const ROWS = 40;
const SIDES = ["left", "right"] as const;

const colour = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const drawable = (value: number | null, log: boolean) =>
  value == null || (log && value <= 0) ? null : value;

let drawn = false;
/** Marks when the first chart was there, for whoever measures. */
function first_chart() {
  if (!drawn) performance.mark("first chart");
  drawn = true;
}

interface Range {
  x: [number, number];
  y: [number, number];
}

/** What both charts of a pair reach over. */
function range(charts: Chart[]): Range {
  const reach = (values: (number | null)[], log: boolean): [number, number] => {
    let [least, most] = [Infinity, -Infinity];
    for (const value of values) {
      const drawn = drawable(value, log);
      if (drawn == null) continue;
      least = Math.min(least, drawn);
      most = Math.max(most, drawn);
    }
    if (most === -Infinity) return log ? [1, 10] : [0, 1];
    if (log) return least === most ? [least / 2, most * 2] : [least, most];
    return [0, most > 0 ? most : 1];
  };
  const log = charts[0]?.log ?? [false, false];
  // A limit far above all that is held would press what is held to the ground.
  const values = (dashed: boolean) =>
    charts.flatMap((chart) =>
      chart.lines.filter((line) => line.dashed === dashed).flatMap((line) => line.values),
    );
  const held = reach(values(false), log[1]);
  const limits = reach(values(true), log[1]);
  const has_limits = charts.some((chart) => chart.lines.some((line) => line.dashed));
  const near = limits[1] <= 4 * held[1] ? Math.max(held[1], limits[1]) : 1.6 * held[1];
  const top = has_limits ? near : held[1];
  const x = reach(
    charts.flatMap((chart) => chart.at),
    log[0],
  );
  return { x, y: log[1] ? [held[0] / 1.3, top * 1.3] : [held[0], top * 1.08] };
}

/** The plot of one side. */
class Plot {
  private plot: uPlot | undefined;
  private shape = "";
  private reach: Range = { x: [0, 1], y: [0, 1] };

  constructor(private place: HTMLElement) {
    new ResizeObserver(() => this.fit()).observe(place);
  }

  private width() {
    return Math.max(this.place.clientWidth, 180);
  }

  private fit() {
    if (this.plot && this.plot.width !== this.width())
      this.plot.setSize({ width: this.width(), height: HEIGHT });
  }

  /** Draws anew, in the colours that there are now. */
  forget() {
    this.shape = "";
  }

  draw(chart: Chart, reach: Range, who: string) {
    this.reach = reach;
    const shape = JSON.stringify([chart.log, chart.lines.map((line) => [line.name, line.dashed])]);
    const values = (line: Line) => line.values.map((value) => drawable(value, chart.log[1]));
    const data = [chart.at, ...chart.lines.map(values)] as uPlot.AlignedData;
    if (shape === this.shape && this.plot) {
      this.plot.setData(data);
    } else {
      this.shape = shape;
      this.plot?.destroy();
      this.plot = new uPlot(this.options(chart), data, this.place);
      if (chart.at.length > 1) first_chart();
    }
    const last = chart.lines.map(
      (line) => `${line.name} ${amount(line.values.at(-1), chart.y[1])}`,
    );
    const canvas = this.plot.root.querySelector("canvas");
    canvas?.setAttribute("role", "img");
    canvas?.setAttribute(
      "aria-label",
      `${chart.title}, ${who}; at the end: ${last.join(", ") || "nothing"}`,
    );
  }

  private options(chart: Chart): uPlot.Options {
    const axis = {
      stroke: colour("--faint"),
      grid: { stroke: colour("--grid"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1 },
    };
    const labels = (unit: string) => (_: uPlot, ticks: number[]) =>
      ticks.map((value) => (value == null ? "" : tick(value, unit)));
    const value = (plot: uPlot, number: number | null, series: number, at: number | null) =>
      amount(at == null ? plot.data[series]?.at(-1) : number, chart.y[1]);
    const scale = (log: boolean, of: () => [number, number]): uPlot.Scale => ({
      time: false,
      distr: log ? 3 : 1,
      range: of,
    });
    let solid = 0;
    return {
      width: this.width(),
      height: HEIGHT,
      scales: {
        x: scale(chart.log[0], () => this.reach.x),
        y: scale(chart.log[1], () => this.reach.y),
      },
      axes: [
        { ...axis, values: labels(chart.x[1]), space: 70 },
        { ...axis, values: labels(chart.y[1]), size: 66 },
      ],
      series: [
        {
          label: chart.x[0],
          value: (plot, number, _, at) =>
            amount(at == null ? plot.data[0]?.at(-1) : number, chart.x[1]),
        },
        ...chart.lines.map((line) => ({
          label: line.name,
          stroke: colour(line.dashed ? "--faint" : `--c${solid++ % COLOURS}`),
          width: 1.5,
          ...(line.dashed ? { dash: [6, 4] } : {}),
          // A line has two ends: what stands alone is drawn as a point.
          points: { show: false, size: 5, filter: (plot: uPlot, series: number) => alone(plot.data[series]!) },
          spanGaps: false,
          value,
        })),
      ],
    };
  }
}

/** The same numbers as a table. */
function as_table(title: string, chart: Chart): HTMLTableElement {
  const every = Math.max(1, Math.ceil(chart.at.length / ROWS));
  const places = chart.at
    .map((_, place) => place)
    .filter((place) => place % every === 0 || place === chart.at.length - 1);
  const columns = [chart.at, ...chart.lines.map((line) => line.values)].map((values, index) =>
    column(
      places.map((place) => values[place]),
      (index === 0 ? chart.x : chart.y)[1],
    ),
  );
  const names = [chart.x[0], ...chart.lines.map((line) => line.name)];
  const heads = columns.map(([unit], index) => names[index] + (unit ? ` (${unit})` : ""));
  const rows = places.map((_, row) => columns.map(([, texts]) => texts[row]!));
  return table(title, heads, rows);
}

/** A chart of both sides, and its tables. */
class Pair {
  private plots: Plot[];
  private heads: HTMLElement[];
  private charts: (Chart | undefined)[] = [undefined, undefined];
  private tables = element("div", { class: "pairs" });
  private details: HTMLDetailsElement;
  readonly root: HTMLElement;

  constructor(
    id: string,
    private title: string,
  ) {
    const places = SIDES.map((side) => element("div", { class: "plot", id: `plot-${id}-${side}` }));
    this.heads = SIDES.map(() => element("h3"));
    this.details = element("details", {}, element("summary", {}, "As a table"), this.tables);
    this.details.addEventListener("toggle", () => this.fill());
    const sides = places.map((place, side) => element("div", {}, this.heads[side]!, place));
    const heading = element("h2", { id: `h-${id}` }, title);
    this.root = element(
      "section",
      { "aria-labelledby": `h-${id}` },
      heading,
      element("div", { class: "pairs" }, ...sides),
      this.details,
    );
    this.plots = places.map((place) => new Plot(place));
  }

  put(side: number, chart: Chart | undefined) {
    this.charts[side] = chart;
  }

  forget() {
    this.plots.forEach((plot) => plot.forget());
  }

  draw(names: string[]) {
    const reach = range(this.charts.filter((chart) => chart !== undefined));
    this.charts.forEach((chart, side) => {
      this.heads[side]!.textContent = `${side === 0 ? "Left" : "Right"}: ${names[side]}`;
      if (chart) this.plots[side]!.draw(chart, reach, names[side] ?? "");
    });
    this.fill();
  }

  private fill() {
    if (!this.details.open) return;
    const made = this.charts.flatMap((chart, side) => {
      if (!chart) return [];
      const title = `${this.title}, ${SIDES[side]}`;
      return [scroll(title, as_table(title, chart))];
    });
    this.tables.replaceChildren(...made);
  }
}

/** All charts, in the order in which the engine has them. */
export class Charts {
  private pairs = new Map<string, Pair>();

  constructor() {
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.pairs.forEach((pair) => pair.forget());
      this.draw();
    });
  }

  private names: string[] = ["", ""];

  /** Nothing is shown of a side that begins anew; what the other shows stays. */
  clear(names: string[]) {
    this.names = names;
    this.pairs.clear();
    $("charts").replaceChildren();
  }

  put(side: number, charts: Chart[]) {
    for (const chart of charts) {
      let pair = this.pairs.get(chart.id);
      if (!pair) {
        pair = new Pair(chart.id, chart.title);
        this.pairs.set(chart.id, pair);
        $("charts").append(pair.root);
      }
      pair.put(side, chart);
    }
    this.draw();
  }

  private draw() {
    this.pairs.forEach((pair) => pair.draw(this.names));
  }
}
