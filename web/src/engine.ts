// The engine as the page sees it: a desk that answers, and two sides that run.
import others_url from "../engine/pkg/others/forebay_web_bg.wasm?url";
import switches_url from "../engine/pkg/switches/forebay_web_bg.wasm?url";
import type {
  Brought,
  FromWorker,
  Panel,
  Part,
  Picture,
  Question,
  Setup,
  ToWorker,
} from "./protocol";
import EngineWorker from "./worker?worker";

const URLS: Record<Part, string> = { switches: switches_url, others: others_url };
const modules = new Map<Part, Promise<WebAssembly.Module>>();

/** A part's module, compiled once for all workers. */
function compiled(part: Part): Promise<WebAssembly.Module> {
  const known = modules.get(part);
  if (known) return known;
  const made = fetch(URLS[part]).then(async (answer) => {
    if (!answer.ok) throw new Error(`the engine cannot be loaded: ${answer.status}`);
    // Servers that do not know the type of such files are met, too.
    return WebAssembly.compile(await answer.arrayBuffer());
  });
  modules.set(part, made);
  // Another try may have a network.
  made.catch(() => modules.delete(part));
  return made;
}

/** The part that a setup needs. */
const part_of = (setup: Setup): Part =>
  setup.lab === "network" || setup.lab === "capture" ? "switches" : "others";

/** Begins a worker with a part of the engine, which `heard` is told what it says. */
async function begin(part: Part): Promise<Worker> {
  const module = await compiled(part);
  const worker = new EngineWorker();
  worker.postMessage({ kind: "module", part, module } satisfies ToWorker);
  return worker;
}

interface Waiting {
  answered: (text: string) => void;
  refused: (problem: Error) => void;
}

/** Answers questions about setups and files, with one part of the engine. */
class Clerk {
  private waiting = new Map<number, Waiting>();
  private next = 0;
  private worker: Promise<Worker>;

  constructor(part: Part) {
    this.worker = begin(part).then((worker) => {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.heard(data);
      return worker;
    });
  }

  private heard(message: FromWorker) {
    if (message.kind !== "answer" && message.kind !== "refusal") return;
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.kind === "answer") waiting?.answered(message.answer);
    else waiting?.refused(new Error(message.problem));
  }

  async ask(question: Question): Promise<string> {
    const worker = await this.worker;
    const id = this.next++;
    return new Promise((answered, refused) => {
      this.waiting.set(id, { answered, refused });
      worker.postMessage({ kind: "question", id, question } satisfies ToWorker);
    });
  }
}

/** Answers questions, with the part of the engine that knows. */
export class Desk {
  private clerks = new Map<Part, Clerk>();

  private async ask(part: Part, question: Question): Promise<string> {
    const clerk = this.clerks.get(part) ?? new Clerk(part);
    this.clerks.set(part, clerk);
    try {
      return await clerk.ask(question);
    } catch (problem) {
      // Without its module a clerk is of no use; the next question tries anew.
      if (!modules.has(part)) this.clerks.delete(part);
      throw problem;
    }
  }

  /** A setup with all that it left out. */
  async read(setup: string): Promise<Setup> {
    return JSON.parse(await this.ask("switches", { call: "read", setup })) as Setup;
  }

  async panel(setup: Setup, side: number): Promise<Panel> {
    const question: Question = { call: "panel", setup: JSON.stringify(setup), side };
    return JSON.parse(await this.ask(part_of(setup), question)) as Panel;
  }

  /** The command of a side; empty if there is none. */
  command(setup: Setup, side: number): Promise<string> {
    return this.ask(part_of(setup), { call: "command", setup: JSON.stringify(setup), side });
  }

  /** The flow file of a network. */
  flows(setup: string): Promise<string> {
    return this.ask("switches", { call: "flows", setup });
  }

  /** What a configuration means, as JSON. */
  sonic(file: Uint8Array): Promise<string> {
    return this.ask("others", { call: "sonic", file });
  }
}

/** What a side tells while it runs. */
export interface Heard {
  picture: (picture: Picture) => void;
  done: (picture: Picture, report: string) => void;
  failed: (problem: string) => void;
}

const ENDED = "the engine has ended, perhaps for want of memory: run a smaller setup";

/** A side: at most one run at once, which a new one ends. */
export class Runner {
  private worker: Promise<Worker> | undefined;
  private part: Part | undefined;
  private busy = false;
  /** Counts runs: what is said of an older one is not passed on. */
  private turn = 0;

  constructor(private side: number) {}

  stop() {
    this.turn++;
    if (this.busy) this.forget();
    this.busy = false;
  }

  private forget() {
    void this.worker?.then((worker) => worker.terminate()).catch(() => {});
    this.worker = undefined;
  }

  async start(setup: Setup, capture: Brought | undefined, heard: Heard) {
    this.stop();
    const mine = this.turn;
    const part = part_of(setup);
    if (this.part !== part) this.forget();
    this.part = part;
    this.busy = true;
    const failed = (problem: string) => {
      if (mine !== this.turn) return;
      // What has failed in the middle may be in any state.
      this.forget();
      this.busy = false;
      heard.failed(problem);
    };
    try {
      this.worker ??= begin(part);
      const worker = await this.worker;
      if (mine !== this.turn) return;
      worker.onerror = () => failed(ENDED);
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (mine !== this.turn) return;
        if (data.kind === "picture") heard.picture(JSON.parse(data.picture) as Picture);
        if (data.kind === "failed") failed(data.problem);
        if (data.kind !== "done") return;
        this.busy = false;
        heard.done(JSON.parse(data.picture) as Picture, data.report);
      };
      const text = JSON.stringify(setup);
      worker.postMessage({ kind: "run", setup: text, side: this.side, capture } satisfies ToWorker);
    } catch (problem) {
      failed(problem instanceof Error ? problem.message : String(problem));
    }
  }
}
