// Parameters as fields: what the engine declares of each decides how it is shown. A number has a
// slider beside its text; the text counts, and takes any unit that files take.
import { element } from "./page";
import type { Control } from "./protocol";
import { PLACES, Track } from "./track";

let fields = 0;
/** An id for a field and its label. */
export const next_id = () => `field-${fields++}`;

/** A slider beside a text, which it writes. */
export function slider(
  label: string,
  track: Track,
  at: number,
  whole: boolean,
  text: { value: string },
  unit: string,
  done: () => void,
): HTMLInputElement {
  const made = element("input", {
    type: "range",
    min: "0",
    max: String(PLACES),
    "aria-label": `${label}, slider`,
  });
  made.value = String(track.place(at));
  const say = () => made.setAttribute("aria-valuetext", text.value);
  say();
  made.addEventListener("input", () => {
    const value = track.value(Number(made.value), whole);
    text.value = unit ? `${value} ${unit}` : String(value);
    say();
  });
  // Not while it is moved: the form is then made anew.
  made.addEventListener("change", done);
  return made;
}

/** A field with its label and what it means. */
export function labelled(
  name: string,
  input: HTMLElement,
  about: string,
  ...more: HTMLElement[]
): HTMLElement {
  input.id ||= next_id();
  const small = element("small", { id: `${input.id}-about` }, about);
  input.setAttribute("aria-describedby", small.id);
  return element(
    "div",
    { class: "field" },
    element("label", { for: input.id }, name),
    input,
    ...more,
    small,
  );
}

/** A field for a parameter; `changed` is told its new text. */
export function field(control: Control, changed: (text: string) => void): HTMLElement {
  const { name, about, value } = control;
  const more = control.source ? `${about} (${control.source})` : about;
  if (control.kind === "flag") {
    const box = element("input", { type: "checkbox" });
    box.checked = value === "true";
    box.addEventListener("change", () => changed(String(box.checked)));
    return labelled(name, box, more);
  }
  if (control.kind === "words") {
    const choice = element(
      "select",
      {},
      ...control.words.map((word) => element("option", { value: word }, word)),
    );
    choice.value = value;
    choice.addEventListener("change", () => changed(choice.value));
    return labelled(name, choice, more);
  }
  const text = element("input", { type: "text", spellcheck: "false", title: control.accepts });
  text.value = value;
  text.addEventListener("change", () => changed(text.value));
  if (control.kind === "text" || control.number == null) return labelled(name, text, more);
  const whole = control.kind === "whole";
  const track = new Track(control);
  return labelled(
    name,
    text,
    more,
    slider(name, track, control.number, whole, text, control.unit, () => changed(text.value)),
  );
}
