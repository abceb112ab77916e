// A worker: the engine, driven by a clock that it does not have. It answers questions, and runs one
// side in steps of some milliseconds, showing how far it has come.
import * as others from "../engine/pkg/others/forebay_web.js";
import * as switches from "../engine/pkg/switches/forebay_web.js";
import type { FromWorker, Question, ToWorker } from "./protocol";

const SHORTEST = 8;
const LONGEST = 25;
/** How often a picture is shown, in milliseconds. */
const PICTURE = 120;

/** The part of the engine that this worker has. */
let engine: typeof switches = switches;
let ready: Promise<unknown> = Promise.resolve();
const tell = (message: FromWorker) => postMessage(message);
const text = (problem: unknown) => (typeof problem === "string" ? problem : String(problem));

onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "module") {
    engine = { switches, others }[data.part];
    ready = engine.default({ module_or_path: data.module });
    return;
  }
  if (data.kind === "question") {
    try {
      await ready;
      tell({ kind: "answer", id: data.id, answer: answer(data.question) });
    } catch (problem) {
      tell({ kind: "refusal", id: data.id, problem: text(problem) });
    }
    return;
  }
  try {
    await ready;
    await run(data.setup, data.side, data.capture?.name ?? "", data.capture?.bytes);
  } catch (problem) {
    tell({ kind: "failed", problem: text(problem) });
  }
};

function answer(question: Question): string {
  switch (question.call) {
    case "read":
      return engine.read_setup(question.setup);
    case "panel":
      return engine.panel(question.setup, question.side);
    case "command":
      return engine.command(question.setup, question.side);
    case "flows":
      return engine.flows(question.setup);
    case "sonic":
      return engine.sonic(question.file);
  }
}

async function run(setup: string, side: number, name: string, capture?: Uint8Array) {
  const side_run = new engine.SideRun(setup, side, name, capture);
  // Simulated microseconds, or requests: whatever takes some milliseconds.
  let effort = 1;
  let took = 0;
  let shown = performance.now();
  for (;;) {
    const begin = performance.now();
    const over = side_run.advance(effort);
    const now = performance.now();
    took += now - begin;
    if (now - begin < SHORTEST) effort = Math.min(effort * 2, 1e9);
    if (now - begin > LONGEST) effort = Math.max(effort / 2, 1e-3);
    if (over) break;
    if (now - shown >= PICTURE) {
      tell({ kind: "picture", picture: side_run.picture() });
      shown = performance.now();
    }
  }
  tell({ kind: "done", picture: side_run.picture(), report: side_run.report(took / 1000) });
  side_run.free();
}
