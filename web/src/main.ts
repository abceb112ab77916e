// The page: a setup, the forms that change it, two runs, and what they show.
import { Charts } from "./charts";
import { Desk, Runner } from "./engine";
import { take_files, type Sonic } from "./files";
import { from_link, to_link } from "./link";
import { $, element, scroll, table } from "./page";
import type { Brought, Panel, Setup } from "./protocol";
import { Results, show_commands } from "./results";
import { show_shared } from "./shared";
import { show_side } from "./side";
import stories from "./stories.json";

/** How long nothing must change before it runs, in milliseconds. */
const PAUSE = 250;
const FORMS = ["left", "right"] as const;

const desk = new Desk();
const runners = [new Runner(0), new Runner(1)];
const charts = new Charts();
const results = new Results();
let setup: Setup;
let capture: Brought | undefined;
/** Counts changes: what belongs to an old one is not shown. */
let turn = 0;
let pause: ReturnType<typeof setTimeout> | undefined;

function say(text: string, bad = false) {
  const said = $("said");
  said.textContent = text;
  said.className = bad ? "bad" : "";
}

function state(text: string) {
  $("state").textContent = text;
}

/** What is wrong is said where one sees it from anywhere, and nothing old runs on. */
function refuse(text: string, what = "not run") {
  stop();
  state(what);
  say(text, true);
}

function stop() {
  turn++;
  clearTimeout(pause);
  runners.forEach((runner) => runner.stop());
  $<HTMLButtonElement>("stop").disabled = true;
}

const problem = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Shows the forms of the setup, and has it run. */
async function change(now = false) {
  const mine = ++turn;
  clearTimeout(pause);
  let panels: Panel[];
  try {
    panels = await Promise.all([desk.panel(setup, 0), desk.panel(setup, 1)]);
  } catch (error) {
    // The forms keep what was typed, to be mended there.
    if (mine === turn) refuse(problem(error));
    return;
  }
  if (mine !== turn) return;
  say("");
  show_shared($("shared") as HTMLFormElement, setup, panels[0]!, () => void change());
  FORMS.forEach((id, side) => {
    const own = setup.sides[side]!;
    show_side($(id) as HTMLFormElement, panels[side]!, own, {
      policy: (name) => {
        own.policy = name;
        own.set = kept(own.set, panels[side]!);
        void mended(side);
      },
      set: (name, text) => {
        own.set = { ...own.set, [name]: text };
        void change();
      },
      reset: () => {
        own.set = {};
        void change();
      },
    });
  });
  history.replaceState(null, "", to_link(setup));
  pause = setTimeout(() => void run(), now ? 0 : PAUSE);
}

/** What another policy may have too: the buffer, and what is not the old policy's own. */
function kept(set: Record<string, string> | undefined, panel: Panel): Record<string, string> {
  const own = panel.controls
    .filter((control) => control.main && control.unit !== "B")
    .map((control) => control.name);
  return Object.fromEntries(Object.entries(set ?? {}).filter(([name]) => !own.includes(name)));
}

/** Another policy was chosen: what it does not have is left out, if it must be. */
async function mended(side: number) {
  try {
    await desk.panel(setup, side);
  } catch {
    setup.sides[side]!.set = {};
  }
  await change();
}

async function run() {
  const mine = turn;
  const begin = performance.now();
  const names = setup.sides.map((side) => side.policy);
  charts.clear(names);
  results.begin(names);
  $<HTMLButtonElement>("stop").disabled = false;
  state("running …");
  let left = 2;
  let failed = "";
  const ended = () => {
    if (--left > 0) return;
    $<HTMLButtonElement>("stop").disabled = true;
    state(failed ? "failed" : `done in ${((performance.now() - begin) / 1000).toFixed(2)} s`);
    if (failed) say(failed, true);
    // Which run that was, for whoever waits for one.
    $("state").dataset["run"] = String(mine);
  };
  runners.forEach((runner, side) => {
    const current = (what: () => void) => () => {
      if (mine === turn) what();
    };
    void runner.start(setup, setup.lab === "capture" ? capture : undefined, {
      picture: (picture) =>
        current(() => {
          results.show(side, picture);
          charts.put(side, picture.charts);
        })(),
      done: (picture, report) =>
        current(() => {
          results.done(side, picture, report);
          charts.put(side, picture.charts);
          ended();
        })(),
      failed: (text) =>
        current(() => {
          results.failed(side, text);
          failed = text;
          ended();
        })(),
    });
  });
  const text = JSON.stringify(setup);
  const flows = setup.lab === "network" ? () => desk.flows(text) : undefined;
  const commands = await Promise.all([desk.command(setup, 0), desk.command(setup, 1)]);
  if (mine === turn) show_commands(commands, flows);
}

async function choose(text: string, about = "") {
  setup = await desk.read(text);
  $("story").textContent = about;
  await change(true);
}

function show_stories() {
  const buttons = stories.map((story) => {
    const button = element(
      "button",
      { type: "button", id: `story-${story.id}`, "aria-pressed": "false" },
      story.title,
    );
    button.addEventListener("click", () => {
      pressed(story.id);
      $("dropped").replaceChildren();
      void choose(JSON.stringify(story.setup), `${story.about} (${story.source})`);
    });
    return button;
  });
  $("stories").replaceChildren(...buttons);
}

function pressed(id: string | undefined) {
  for (const story of stories)
    $(`story-${story.id}`).setAttribute("aria-pressed", String(story.id === id));
}

async function configuration(name: string, bytes: Uint8Array) {
  const place = $("dropped");
  try {
    const read = JSON.parse(await desk.sonic(bytes)) as Sonic;
    const { pools, profiles, findings } = read.explanation;
    const title = `${name}: ${pools.length} pools, ${profiles.length} profiles`;
    const rows = findings.map((one) => [one.severity, one.path, one.message]);
    place.className = "";
    place.replaceChildren(scroll(title, table(title, ["", "where", "what"], rows)));
    if (!read.setup) {
      place.append(
        element(
          "p",
          {},
          "No egress pool of a known size shares dynamically, so that nothing of it can be run here.",
        ),
      );
      return;
    }
    place.append(element("p", {}, `Taken: ${read.assumed.join("; ")}.`));
    pressed(undefined);
    await choose(
      JSON.stringify(read.setup),
      `The buffer of ${name}, under its own thresholds and under Occamy.`,
    );
  } catch (error) {
    refused(problem(error));
  }
}

function refused(text: string) {
  const place = $("dropped");
  place.className = "bad";
  place.replaceChildren(text);
  // Nothing of another setup is taken for the file's.
  refuse(text, "no file");
  pressed(undefined);
  $("story").textContent = "";
  charts.clear(["", ""]);
  results.clear();
}

function take() {
  take_files({
    capture: (file) => {
      capture = file;
      $("dropped").className = "";
      $("dropped").replaceChildren(`${file.name}, ${(file.bytes.length / 1e6).toFixed(1)} MB`);
      pressed(undefined);
      const sides = setup.lab === "network" || setup.lab === "capture" ? setup.sides : undefined;
      const keep =
        setup.lab === "capture" ? setup : { lab: "capture", ...(sides ? { sides } : {}) };
      void choose(
        JSON.stringify(keep),
        `${file.name} through two switches, packet by packet as recorded.`,
      );
    },
    configuration: (name, bytes) => void configuration(name, bytes),
    refused,
  });
}

async function begin() {
  show_stories();
  take();
  $("run").addEventListener("click", () => {
    turn++;
    void run();
  });
  $("stop").addEventListener("click", () => {
    stop();
    state("stopped");
  });
  const fold = $("fold");
  fold.addEventListener("click", () => {
    fold.setAttribute("aria-expanded", String(fold.getAttribute("aria-expanded") !== "true"));
  });
  $("share").addEventListener("click", () => {
    const link = location.href.replace(/#.*/, "") + to_link(setup);
    history.replaceState(null, "", link);
    const copied = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error());
    copied.then(
      () => say(`Copied: ${link.length} characters.`),
      () => say("The address of this page is the link: copy it."),
    );
  });
  addEventListener("hashchange", () => void open(location.hash));
  await open(location.hash);
}

/** Opens a link's setup, or the first story. */
async function open(hash: string) {
  const first = stories[0]!;
  try {
    if (hash.length > 1) {
      pressed(undefined);
      await choose(from_link(hash));
      return;
    }
  } catch (error) {
    say(`${problem(error)}. The first story is shown instead.`, true);
    const said = $("said").textContent ?? "";
    pressed(first.id);
    await choose(JSON.stringify(first.setup), `${first.about} (${first.source})`);
    say(said, true);
    return;
  }
  pressed(first.id);
  await choose(JSON.stringify(first.setup), `${first.about} (${first.source})`);
}

begin().catch((error: unknown) => state(`the page cannot begin: ${problem(error)}`));
