// What both sides share: the arrivals. Each laboratory has a few fields, and a network its flows in
// parts.
import { field, labelled, slider } from "./fields";
import { element } from "./page";
import { back, where } from "./side";
import { Track } from "./track";
import type { NetworkSetup, Panel, Setup, Traffic } from "./protocol";

type Fields = Record<string, unknown>;

interface Spec {
  name: string;
  label: string;
  about: string;
  /** How its text is read: as it is, or as a number. */
  number?: boolean;
  /** The range of a slider. */
  slide?: [number, number];
  /** One of the words that the engine knows. */
  words?: boolean;
  long?: boolean;
  /** Whether it may be left out. */
  optional?: boolean;
  /** Whether it is shown on demand. */
  more?: boolean;
}

const SEED: Spec = {
  name: "seed",
  more: true,
  label: "seed",
  about: "The same seed gives the same digits.",
  number: true,
};
const SPECS: Record<Setup["lab"], Spec[]> = {
  network: [
    {
      name: "topology",
      more: true,
      label: "topology",
      about:
        "star:HOSTS,RATE,DELAY, dumbbell:…, leaf-spine:LEAVESxHOSTSxSPINES,RATE,RATE,DELAY, fat-tree:…",
    },
    SEED,
    {
      name: "class",
      more: true,
      label: "class of a flow",
      about: "A rule over src, dst, bytes, start_ns and flow; 0 is the most urgent.",
      optional: true,
    },
    {
      name: "give_up",
      more: true,
      label: "stop after",
      about: "Simulated time, as 50 ms.",
      optional: true,
    },
    {
      name: "watch",
      more: true,
      label: "switch looked at",
      about: "Its number, from 0.",
      number: true,
    },
  ],
  capture: [
    {
      name: "ports",
      label: "output ports",
      about: "Destinations are dealt to them in order.",
      number: true,
    },
    { name: "rate", label: "rate of a port", about: "As 1 Gb/s." },
    {
      name: "load",
      label: "load",
      about: "Of all ports together; time is scaled to it. Empty: as recorded.",
      number: true,
      slide: [0.05, 2],
      optional: true,
    },
  ],
  cache: [
    {
      name: "burst",
      label: "requests of a burst",
      about: "On average.",
      number: true,
      slide: [1, 30],
    },
    {
      name: "z",
      label: "latency of a miss",
      about: "Z, in time steps; one request a step.",
      number: true,
      slide: [1, 100000],
    },
    {
      name: "capacity",
      label: "cache",
      about: "Objects that it holds.",
      number: true,
      slide: [50, 50000],
    },
    { name: "objects", more: true, label: "objects", about: "How many there are.", number: true },
    {
      name: "exponent",
      label: "popularity",
      about: "The exponent of Zipf's law.",
      number: true,
      slide: [0, 2],
    },
    { name: "requests", more: true, label: "requests", about: "How many are made.", number: true },
    SEED,
  ],
  jobs: [
    { name: "rate", label: "innocent traffic", about: "Of 12 Gb/s that the processor can do." },
    {
      name: "disordered",
      label: "out of order",
      about: "The part of packets that find a list to walk.",
      number: true,
      slide: [0, 1],
    },
    {
      name: "capacity",
      label: "buffer",
      about: "Packets that may wait.",
      number: true,
      slide: [16, 16384],
    },
    { name: "attacks", label: "attacks", about: "Rates, with commas.", long: false },
    { name: "span", more: true, label: "measured", about: "As 20 ms; as much passes before." },
    SEED,
  ],
};

const SPAN: Spec = { name: "span", label: "until", about: "No flow begins later, as 4 ms." };
const LOAD: Spec = {
  name: "load",
  label: "load",
  about: "Of each host's link.",
  number: true,
  slide: [0.02, 1.5],
};
const PARTS: Record<Traffic["pattern"], { title: string; specs: Spec[]; usual: Traffic }> = {
  poisson: {
    title: "flows between random hosts",
    specs: [
      LOAD,
      { name: "sizes", label: "sizes", about: "A published distribution.", words: true },
      SPAN,
    ],
    usual: { pattern: "poisson", load: 0.5, sizes: "websearch", span: "4 ms" },
  },
  incast: {
    title: "queries to many servers",
    specs: [
      LOAD,
      {
        name: "degree",
        label: "responses",
        about: "To each query.",
        number: true,
        slide: [1, 32],
      },
      { name: "query", label: "query", about: "Bytes of its responses, as 1 MiB." },
      SPAN,
    ],
    usual: { pattern: "incast", degree: 7, query: "500 KB", load: 0.1, span: "4 ms" },
  },
  permutation: {
    title: "every host to one other",
    specs: [{ name: "bytes", label: "bytes", about: "Of each flow, as 5 MB." }],
    usual: { pattern: "permutation", bytes: "5 MB" },
  },
  flows: {
    title: "flows line by line",
    specs: [{ name: "lines", label: "lines", about: "src dst bytes start_ns", long: true }],
    usual: { pattern: "flows", lines: "0 1 1000000 0\n" },
  },
};

function one(spec: Spec, of: Fields, known: string[], changed: () => void): HTMLElement {
  const value = of[spec.name];
  const text = value == null ? "" : Array.isArray(value) ? value.join(", ") : String(value);
  const put = (text: string) => {
    if (text.trim() === "" && spec.optional) of[spec.name] = null;
    // The engine fills in its default.
    else if (text.trim() === "" && spec.number) delete of[spec.name];
    else if (Array.isArray(value)) of[spec.name] = text.split(",").map((part) => part.trim());
    else if (spec.number) of[spec.name] = Number(text);
    else of[spec.name] = text;
    changed();
  };
  if (spec.words) {
    const words = known.includes(text) ? known : [...known, text];
    const select = element(
      "select",
      {},
      ...words.map((word) => element("option", { value: word }, word)),
    );
    select.value = text;
    select.addEventListener("change", () => put(select.value));
    return labelled(spec.label, select, spec.about);
  }
  const input = spec.long
    ? element("textarea", { spellcheck: "false" })
    : element("input", { type: "text", spellcheck: "false" });
  input.value = text;
  input.addEventListener("change", () => {
    const is_number = !spec.number || Number.isFinite(Number(input.value));
    input.setCustomValidity(is_number ? "" : `${spec.label}: give a number`);
    input.setAttribute("aria-invalid", String(!is_number));
    // What is none is said where it stands, and changes nothing.
    if (input.reportValidity()) put(input.value);
  });
  if (!spec.slide || typeof value !== "number") return labelled(spec.label, input, spec.about);
  const [least, most] = spec.slide;
  const whole = Number.isInteger(least) && Number.isInteger(most);
  const track = new Track({
    least,
    most,
    number: Math.sqrt(Math.max(least, 1e-3) * most),
    kind: whole ? "whole" : "number",
  });
  const done = () => put(input.value);
  return labelled(
    spec.label,
    input,
    spec.about,
    slider(spec.label, track, value, whole, input, "", done),
  );
}

function part(
  setup: NetworkSetup,
  index: number,
  sizes: string[],
  changed: () => void,
): HTMLElement {
  const traffic = setup.traffic[index]!;
  const { title, specs } = PARTS[traffic.pattern];
  const fields = specs.map((spec) => one(spec, traffic as unknown as Fields, sizes, changed));
  const remove = element("button", { type: "button" }, `Leave out part ${index + 1}`);
  remove.addEventListener("click", () => {
    setup.traffic.splice(index, 1);
    changed();
  });
  const legend = element("legend", {}, `Part ${index + 1}: ${title}`);
  return element("fieldset", {}, legend, element("div", { class: "fields" }, ...fields), remove);
}

function add(setup: NetworkSetup, changed: () => void): HTMLElement {
  const select = element("select", {}, element("option", { value: "" }, "choose …"));
  for (const [pattern, { title }] of Object.entries(PARTS))
    select.append(element("option", { value: pattern }, title));
  select.addEventListener("change", () => {
    setup.traffic.push(structuredClone(PARTS[select.value as Traffic["pattern"]].usual));
    changed();
  });
  return labelled("more flows", select, "A further part.");
}

/** Fills the form of what both sides share. */
export function show_shared(
  form: HTMLFormElement,
  setup: Setup,
  panel: Panel,
  changed: () => void,
) {
  const focus = where(form);
  const open = [...form.querySelectorAll("details")].map((details) => details.open);
  const parts: HTMLElement[] = [];
  const grid = (...fields: HTMLElement[]) => element("div", { class: "fields" }, ...fields);
  const details = (title: string, ...fields: HTMLElement[]) =>
    element("details", {}, element("summary", {}, title), grid(...fields));
  const specs = SPECS[setup.lab];
  const fields = (more: boolean) =>
    specs
      .filter((spec) => (spec.more ?? false) === more)
      .map((spec) => one(spec, setup as unknown as Fields, [], changed));
  if (setup.lab === "network") {
    const flows = setup.traffic.map((_, index) => part(setup, index, panel.sizes, changed));
    parts.push(element("div", { class: "flows" }, ...flows), ...fields(false));
    parts.push(
      details("The network, seed, classes, more flows", ...fields(true), add(setup, changed)),
    );
    const hosts = panel.hosts.map((control) =>
      field(control, (text) => {
        setup.hosts = { ...setup.hosts, [control.name]: text };
        changed();
      }),
    );
    parts.push(details("How hosts send", ...hosts));
  } else {
    parts.push(grid(...fields(false)));
    const more = fields(true);
    if (more.length > 0) parts.push(details("More of the arrivals", ...more));
  }
  form.replaceChildren(...parts);
  form
    .querySelectorAll("details")
    .forEach((details, index) => (details.open = open[index] ?? false));
  back(form, focus);
}
