// Files that a user brings: they are read here, by the engine's own readers, and go nowhere.
import { $ } from "./page";
import type { Brought, Setup } from "./protocol";

/** The largest file, in bytes: the engine reads as much of a capture. */
const LARGEST = 256 * 1024 * 1024;
/** The largest configuration, as the engine reads it. */
const LARGEST_JSON = 8 * 1024 * 1024;

export interface Sonic {
  explanation: {
    pools: unknown[];
    profiles: unknown[];
    findings: { severity: string; path: string; message: string }[];
  };
  setup: Setup | null;
  assumed: string[];
}

export interface Taken {
  capture: (file: Brought) => void;
  configuration: (name: string, bytes: Uint8Array) => void;
  refused: (problem: string) => void;
}

async function take(file: File, taken: Taken) {
  const json = /\.json$/i.test(file.name);
  const largest = json ? LARGEST_JSON : LARGEST;
  if (file.size > largest) {
    taken.refused(
      `${file.name} has ${(file.size / 1e6).toFixed(0)} MB: the page reads ${(largest / 1e6).toFixed(0)} MB at most; give it to the command`,
    );
    return;
  }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (json) taken.configuration(file.name, bytes);
    else taken.capture({ name: file.name, bytes });
  } catch (problem) {
    taken.refused(`${file.name} cannot be read: ${String(problem)}`);
  }
}

/** Takes files by the button, and wherever on the page they are dropped. */
export function take_files(taken: Taken) {
  const input = $<HTMLInputElement>("file");
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) void take(file, taken);
    input.value = "";
  });
  const place = $("drop");
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  document.addEventListener("dragleave", () => place.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    const file = event.dataTransfer?.files[0];
    if (file) void take(file, taken);
  });
}
