// The engine in Node: the module that the page loads.
import { readFileSync } from "node:fs";
import { initSync, SideRun } from "../engine/pkg/forebay_web.js";

const place = (path) => new URL(path, import.meta.url);
initSync({ module: readFileSync(place("../engine/pkg/forebay_web_bg.wasm")) });

export { command, flows, panel, read_setup, sonic, SideRun } from "../engine/pkg/forebay_web.js";

export const ROOT = new URL("../../", import.meta.url);
export const stories = JSON.parse(readFileSync(place("../src/stories.json"), "utf8"));
export const capture = () =>
  readFileSync(new URL("experiments/themis/captures/mixed-programs.pcap", ROOT));

/** Runs a side to its end; its report, without what clocks say. */
export function report(setup, side, file, effort = 1000) {
  const run = new SideRun(JSON.stringify(setup), side, file ? "mixed-programs.pcap" : "", file);
  while (!run.advance(effort));
  const report = digits(JSON.parse(run.report(0)));
  run.free();
  return report;
}

/** A report without what clocks say. */
export function digits(report) {
  const { wall_s, packet_hops_per_second, ...rest } = report;
  return rest;
}
