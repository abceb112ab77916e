// The engine as the page sees it: a desk that answers, and two sides that run.
import module_url from "../engine/pkg/forebay_web_bg.wasm?url";
import EngineWorker from "./worker?worker";
import type { Brought, FromWorker, Panel, Picture, Question, Setup, ToWorker } from "./protocol";

/** The module, compiled once for all workers. */
export const compiled: Promise<WebAssembly.Module> = fetch(module_url).then(async (answer) => {
  // Servers that do not know the type of such files are met, too.
  return WebAssembly.compile(await answer.arrayBuffer());
});

function begin(heard: (message: FromWorker) => void): Worker {
  const worker = new EngineWorker();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => heard(data);
  worker.onerror = () => heard({ kind: "failed", problem: "the engine has ended: run again" });
  void compiled.then((module) => worker.postMessage({ kind: "module", module } satisfies ToWorker));
  return worker;
}

interface Waiting {
  answered: (text: string) => void;
  refused: (problem: Error) => void;
}

/** Answers questions about setups and files. */
export class Desk {
  private waiting = new Map<number, Waiting>();
  private next = 0;
  private worker = begin((message) => this.heard(message));

  private heard(message: FromWorker) {
    if (message.kind !== "answer" && message.kind !== "refusal") return;
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.kind === "answer") waiting?.answered(message.answer);
    else waiting?.refused(new Error(message.problem));
  }

  async ask(question: Question): Promise<string> {
    await compiled;
    const id = this.next++;
    return new Promise((answered, refused) => {
      this.waiting.set(id, { answered, refused });
      this.worker.postMessage({ kind: "question", id, question } satisfies ToWorker);
    });
  }

  /** A setup with all that it left out. */
  async read(setup: string): Promise<Setup> {
    return JSON.parse(await this.ask({ call: "read", setup })) as Setup;
  }

  async panel(setup: Setup, side: number): Promise<Panel> {
    return JSON.parse(
      await this.ask({ call: "panel", setup: JSON.stringify(setup), side }),
    ) as Panel;
  }
}

/** What a side tells while it runs. */
export interface Heard {
  picture: (picture: Picture) => void;
  done: (picture: Picture, report: string) => void;
  failed: (problem: string) => void;
}

/** A side: at most one run at once, which a new one ends. */
export class Runner {
  private worker: Worker | undefined;
  private busy = false;

  constructor(private side: number) {
    this.worker = begin(() => {});
  }

  stop() {
    if (!this.busy) return;
    this.worker?.terminate();
    this.worker = undefined;
    this.busy = false;
  }

  async start(setup: Setup, capture: Brought | undefined, heard: Heard) {
    this.stop();
    this.worker ??= begin(() => {});
    const worker = this.worker;
    this.busy = true;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "picture") heard.picture(JSON.parse(data.picture) as Picture);
      if (data.kind === "done" || data.kind === "failed") this.busy = false;
      if (data.kind === "done") heard.done(JSON.parse(data.picture) as Picture, data.report);
      if (data.kind === "failed") {
        // What has failed in the middle may be in any state.
        worker.terminate();
        if (this.worker === worker) this.worker = undefined;
        heard.failed(data.problem);
      }
    };
    worker.onerror = () =>
      worker.onmessage?.({
        data: {
          kind: "failed",
          problem: "the engine has ended, perhaps for want of memory: run a smaller setup",
        },
      } as MessageEvent);
    await compiled;
    if (this.worker !== worker) return;
    worker.postMessage({
      kind: "run",
      setup: JSON.stringify(setup),
      side: this.side,
      capture,
    } satisfies ToWorker);
  }
}
