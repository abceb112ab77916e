// What the engine says, and what the page and its workers tell each other.

export interface Side {
  policy: string;
  set?: Record<string, string>;
}

export type Traffic =
  | { pattern: "poisson"; load: number; sizes: string; span: string }
  | { pattern: "incast"; degree: number; query: string; load: number; span: string }
  | { pattern: "permutation"; bytes: string }
  | { pattern: "flows"; lines: string };

export interface NetworkSetup {
  lab: "network";
  topology: string;
  traffic: Traffic[];
  hosts?: Record<string, string>;
  class?: string;
  seed: number;
  give_up?: string;
  watch?: number;
  sides: [Side, Side];
}

export interface CaptureSetup {
  lab: "capture";
  ports: number;
  rate: string;
  load: number | null;
  sides: [Side, Side];
}

export interface CacheSetup {
  lab: "cache";
  objects: number;
  exponent: number;
  burst: number;
  requests: number;
  capacity: number;
  z: number;
  seed: number;
  sides: [Side, Side];
}

export interface JobsSetup {
  lab: "jobs";
  rate: string;
  disordered: number;
  attacks: string[];
  capacity: number;
  span: string;
  seed: number;
  sides: [Side, Side];
}

export type Setup = NetworkSetup | CaptureSetup | CacheSetup | JobsSetup;

export interface Control {
  name: string;
  about: string;
  source: string;
  kind: "number" | "whole" | "flag" | "words" | "text";
  accepts: string;
  least: number | null;
  most: number | null;
  unit: string;
  words: string[];
  value: string;
  number: number | null;
  main: boolean;
}

export interface PolicyLine {
  name: string;
  label: string;
  about: string;
  group: string;
}

export interface Panel {
  policies: PolicyLine[];
  controls: Control[];
  hosts: Control[];
  sizes: string[];
}

export interface Line {
  name: string;
  dashed: boolean;
  values: (number | null)[];
}

export interface Chart {
  id: string;
  title: string;
  x: [string, string];
  y: [string, string];
  log: [boolean, boolean];
  at: number[];
  lines: Line[];
}

export interface Table {
  title: string;
  heads: string[];
  rows: string[][];
}

export interface Measure {
  name: string;
  value: number | null;
  unit: string;
  less_is_better: boolean | null;
}

export interface Picture {
  progress: string;
  part: number | null;
  measures: Measure[];
  charts: Chart[];
  tables: Table[];
}

/** A file of the user's. */
export interface Brought {
  name: string;
  bytes: Uint8Array;
}

/** What a worker can be asked that is answered at once. */
export type Question =
  | { call: "read"; setup: string }
  | { call: "panel"; setup: string; side: number }
  | { call: "command"; setup: string; side: number }
  | { call: "flows"; setup: string }
  | { call: "sonic"; file: Uint8Array };

/** The parts of the engine, each a module that is loaded when it is needed. */
export type Part = "switches" | "others";

export type ToWorker =
  | { kind: "module"; part: Part; module: WebAssembly.Module }
  | { kind: "question"; id: number; question: Question }
  | { kind: "run"; setup: string; side: number; capture?: Brought };

export type FromWorker =
  | { kind: "answer"; id: number; answer: string }
  | { kind: "refusal"; id: number; problem: string }
  | { kind: "picture"; picture: string }
  | { kind: "done"; picture: string; report: string }
  | { kind: "failed"; problem: string };
