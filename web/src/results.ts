// What came out, side beside side: numbers, a sentence that is read out, tables, the command.
import { amount, change } from "./numbers";
import { $, element, save, scroll, table } from "./page";
import type { Measure, Picture } from "./protocol";

const SIDES = ["left", "right"] as const;

/** Rows of both sides' numbers: the right one against the left. */
function measures(pictures: (Picture | undefined)[], names: string[]) {
  const known = [
    ...new Set(pictures.flatMap((picture) => picture?.measures.map((one) => one.name) ?? [])),
  ];
  const of = (side: number, name: string) =>
    pictures[side]?.measures.find((one) => one.name === name);
  const heads = [
    "",
    ...SIDES.map((side, index) => `${side}: ${names[index]}`),
    "right against left",
  ];
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  const rows = known.map((name) => {
    const [left, right] = [of(0, name), of(1, name)];
    const cells = [left, right].map((one, side) => {
      const better = one && is_better(one, side === 0 ? right : left);
      const cell = element(
        "td",
        better ? { class: "better" } : {},
        one ? amount(one.value, one.unit) : "–",
      );
      if (better) cell.append(" ", element("span", { "aria-label": "better" }, "✓"));
      return cell;
    });
    const changed = left && right ? change(right.value, left.value) : "–";
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      ...cells,
      element("td", {}, changed),
    );
  });
  $("measures").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
}

function is_better(one: Measure, other: Measure | undefined): boolean {
  if (one.less_is_better == null || one.value == null || other?.value == null) return false;
  return one.less_is_better ? one.value < other.value : one.value > other.value;
}

/** One sentence for each number that decides, the first two. */
function summary(pictures: Picture[], names: string[]): string {
  const deciding = pictures[0]!.measures.filter((one) => one.less_is_better != null).slice(0, 2);
  const said = deciding.map((left) => {
    const right = pictures[1]!.measures.find((one) => one.name === left.name);
    const values = `${amount(left.value, left.unit)} on the left, ${amount(right?.value, left.unit)} on the right`;
    return `${left.name}: ${values} (${change(right?.value ?? null, left.value)})`;
  });
  return `Both are over. Left is ${names[0]}, right ${names[1]}. ${said.join("; ")}.`;
}

export class Results {
  private pictures: (Picture | undefined)[] = [undefined, undefined];
  private reports: (string | undefined)[] = [undefined, undefined];
  private names: string[] = ["", ""];

  begin(names: string[]) {
    this.names = names;
    this.pictures = [undefined, undefined];
    this.reports = [undefined, undefined];
    $("summary").textContent = "";
    $("tables").replaceChildren();
    SIDES.forEach((side) => this.progress(side, 0, ""));
  }

  private progress(side: "left" | "right", part: number | null, text: string) {
    const bar = $<HTMLProgressElement>(`progress-${side}`);
    if (part == null) bar.removeAttribute("value");
    else bar.value = part;
    $(`progressed-${side}`).textContent = text;
  }

  show(side: number, picture: Picture) {
    this.pictures[side] = picture;
    this.progress(SIDES[side]!, picture.part, picture.progress);
    measures(this.pictures, this.names);
  }

  done(side: number, picture: Picture, report: string) {
    this.show(side, picture);
    this.progress(SIDES[side]!, 1, picture.progress);
    this.reports[side] = report;
    const [left, right] = this.pictures;
    if (!left || !right || this.reports.includes(undefined)) return;
    $("summary").textContent = summary([left, right], this.names);
    const columns = [left, right].map((one, index) => {
      const tables = one.tables.map(({ title, heads, rows }) =>
        scroll(title, table(title, heads, rows)),
      );
      const button = element(
        "button",
        { type: "button" },
        `Save the report of the ${SIDES[index]} as JSON`,
      );
      button.addEventListener("click", () =>
        save(`forebay-${SIDES[index]}.json`, this.reports[index] ?? ""),
      );
      return element(
        "div",
        {},
        element("h3", {}, `${index === 0 ? "Left" : "Right"}: ${this.names[index]}`),
        ...tables,
        button,
      );
    });
    $("tables").replaceChildren(...columns);
  }

  /** Nothing is shown. */
  clear() {
    this.begin(["", ""]);
    for (const id of ["measures", "commands"]) $(id).replaceChildren();
  }

  failed(side: number, problem: string) {
    this.progress(SIDES[side]!, 0, "");
    $(`progressed-${SIDES[side]!}`).replaceChildren(element("span", { class: "bad" }, problem));
  }
}

/** The commands of both sides, and the flow file that they read. */
export function show_commands(commands: string[], flows: (() => Promise<string>) | undefined) {
  if (commands.every((command) => command === "")) {
    $("commands").replaceChildren(
      element(
        "p",
        {},
        "This laboratory has experiments of the command (experiments/surge), and no command of its own.",
      ),
    );
    return;
  }
  const made: Node[] = commands.map((command) => element("pre", {}, command));
  if (flows) {
    const button = element("button", { type: "button" }, "Save flows.txt, which both read");
    button.addEventListener("click", () => void flows().then((text) => save("flows.txt", text)));
    made.push(button);
  }
  $("commands").replaceChildren(...made);
}
