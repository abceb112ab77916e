// A side: its policy, from the registries of the engine, and what is set of it.
import { field, labelled } from "./fields";
import { element } from "./page";
import type { Control, Panel, PolicyLine, Side } from "./protocol";

/** What changes on a side. */
export interface Changes {
  policy: (name: string) => void;
  set: (name: string, text: string) => void;
  reset: () => void;
}

function policies(lines: PolicyLine[], chosen: string): HTMLSelectElement {
  const groups = [...new Set(lines.map((line) => line.group))];
  const option = (line: PolicyLine) =>
    element("option", { value: line.name, title: line.about }, line.label);
  const made = groups.map((group) =>
    element(
      "optgroup",
      { label: group },
      ...lines.filter((line) => line.group === group).map(option),
    ),
  );
  const select = element("select", {}, ...made);
  select.value = chosen;
  return select;
}

const fields = (controls: Control[], changes: Changes) =>
  element(
    "div",
    { class: "fields" },
    ...controls.map((one) => field(one, (text) => changes.set(one.name, text))),
  );

/** Fills the form of a side. Where the keyboard was, it is again. */
export function show_side(form: HTMLFormElement, panel: Panel, side: Side, changes: Changes) {
  const focus = where(form);
  const line = panel.policies.find((one) => one.name === side.policy);
  const select = policies(panel.policies, side.policy);
  select.addEventListener("change", () => changes.policy(select.value));
  const open = form.querySelector("details")?.open ?? false;
  const main = panel.controls.filter((control) => control.main);
  const others = panel.controls.filter((control) => !control.main);
  const parts: HTMLElement[] = [labelled("policy", select, line?.about ?? "")];
  if (main.length > 0) parts.push(fields(main, changes));
  if (others.length > 0) {
    const title = `${others.length} more parameter${others.length > 1 ? "s" : ""}`;
    const details = element("details", {}, element("summary", {}, title), fields(others, changes));
    details.open = open;
    parts.push(details);
  }
  if (Object.keys(side.set ?? {}).length > 0) {
    const reset = element("button", { type: "button" }, "Back to the defaults");
    reset.addEventListener("click", changes.reset);
    parts.push(reset);
  }
  form.replaceChildren(...parts);
  back(form, focus);
}

/** Which of a form's fields the keyboard is at, by its name: fields are made anew. */
export function where(form: HTMLElement): string | undefined {
  const active = document.activeElement;
  if (!active || !form.contains(active)) return undefined;
  return active.getAttribute("aria-label") ?? label_of(active);
}

function label_of(input: Element): string | undefined {
  const label = (input as HTMLInputElement).labels?.[0];
  return label?.textContent ?? undefined;
}

export function back(form: HTMLElement, focus: string | undefined) {
  if (focus === undefined) return;
  const inputs = [...form.querySelectorAll<HTMLElement>("input, select, textarea")];
  inputs.find((input) => (input.getAttribute("aria-label") ?? label_of(input)) === focus)?.focus();
}
