// What the pages share: elements, numbers as text, and plots by uPlot with as many lines as there are
// colours.
"use strict";
const pages = (() => {
  const MOST_LINES = 8; // as many as there are colours
  const $ = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function element(name, text = "", attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  const digits = (value, most = 3) =>
    value == null ? "–" : value.toLocaleString("en", { maximumSignificantDigits: most });
  const count = (value) => Math.round(value).toLocaleString("en");

  // The lines of a plot: names, whether dashed, and a value for each picture, the largest lines
  // first.
  class Lines {
    constructor() {
      this.all = new Map();
    }
    put(name, at, value, dashed = false, pair = name) {
      if (!this.all.has(name)) this.all.set(name, { name, dashed, pair, values: [], most: 0 });
      const line = this.all.get(name);
      line.values[at] = value;
      line.most = Math.max(line.most, value);
    }
    list() {
      const solid = [...this.all.values()].filter((line) => !line.dashed);
      const kept = solid.sort((a, b) => b.most - a.most).slice(0, MOST_LINES);
      kept.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
      const colours = new Map(kept.map((line, index) => [line.pair, index]));
      // Where a policy acts everywhere alike, one line says so.
      const dashed = [];
      for (const line of this.all.values()) {
        if (!line.dashed || (line.pair !== "" && !colours.has(line.pair))) continue;
        const same = (other) => line.values.every((value, at) => other.values[at] === value);
        if (!dashed.some(same)) dashed.push(line);
      }
      return [...kept, ...dashed.slice(0, MOST_LINES)].map((line) => ({
        ...line,
        colour: colours.has(line.pair) ? `--c${colours.get(line.pair)}` : "--faint",
      }));
    }
  }

  // Up to where a plot reaches: over its lines, and over a dashed one if that leaves them visible.
  function top(data, lines) {
    const most = (dashed) => {
      const values = lines.flatMap((line, index) => (line.dashed === dashed ? data[index + 1] : []));
      return values.reduce((most, value) => Math.max(most, value ?? 0), 0);
    };
    const [own, acts] = [most(false), most(true)];
    return (own === 0 || acts <= 4 * own ? Math.max(own, acts) : own) * 1.1 || 1;
  }

  class Plot {
    // `drawn` may add to what was drawn.
    constructor(id, format, drawn = () => {}) {
      this.place = $(id);
      this.format = format;
      this.drawn = drawn;
      this.shape = "";
      new ResizeObserver(() => this.fit()).observe(this.place);
    }
    width() {
      return Math.max(this.place.clientWidth, 200);
    }
    fit() {
      if (this.plot && this.plot.width !== this.width()) {
        this.plot.setSize({ width: this.width(), height: 190 });
      }
    }
    draw(times, lines) {
      const shape = JSON.stringify(lines.map(({ name, dashed, colour }) => [name, dashed, colour]));
      const fill = (line) => Array.from(times, (_, at) => line.values[at] ?? null);
      const data = [times, ...lines.map(fill)];
      if (shape === this.shape && this.plot) {
        this.plot.setData(data);
      } else {
        this.shape = shape;
        this.plot?.destroy();
        this.plot = new uPlot(this.options(lines), data, this.place);
      }
      const last = lines.map((line) => `${line.name} ${this.format(line.values.at(-1))}`);
      this.plot.root.querySelector("canvas").setAttribute("aria-label", last.join("; "));
      this.plot.root.querySelector("canvas").setAttribute("role", "img");
    }
    options(lines) {
      const axis = { stroke: colour("--faint"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
      // Where nobody points at a moment, the last one is told.
      const value = (plot, number, series, at) =>
        this.format(at == null ? plot.data[series]?.at(-1) : number);
      return {
        width: this.width(),
        height: 190,
        scales: { x: { time: false }, y: { range: (plot) => [0, top(plot.data, lines)] } },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
          { ...axis, size: 62, values: (_, ticks) => ticks.map((tick) => this.format(tick)) },
        ],
        series: [
          { label: "time", value: (plot, at) => `${(at ?? plot.data[0].at(-1) ?? 0).toFixed(1)} s` },
          ...lines.map((line) => ({
            label: line.name,
            stroke: colour(line.colour),
            width: 1.5,
            dash: line.dashed ? [6, 4] : undefined,
            points: { show: false },
            value,
          })),
        ],
        hooks: { draw: [(plot) => this.drawn(plot)] },
      };
    }
  }

  const bytes = (value) => {
    if (value == null) return "–";
    for (const [unit, size] of [["MB", 1e6], ["KB", 1e3]]) {
      if (value >= size) return `${digits(value / size)} ${unit}`;
    }
    return `${digits(value)} B`;
  };

  // What the page does, and how that looks.
  function announce(text, kind = "") {
    $("state").textContent = text;
    $("state").className = kind;
  }

  // The list of what is at present: names and values.
  function tell(pairs) {
    const rows = pairs.map(([name, value]) => {
      const made = element("div");
      made.append(element("dt", name), element("dd", value));
      return made;
    });
    $("now").replaceChildren(...rows);
  }

  function row(head, cells) {
    const made = element("tr");
    made.append(element("td", head), ...cells.map((text) => element("td", text)));
    return made;
  }

  function nothing(text, columns) {
    const made = element("tr");
    made.append(element("td", text, { colspan: columns }));
    return made;
  }

  return { $, colour, element, digits, count, bytes, announce, tell, row, nothing, Lines, Plot };
})();
