// The engine in Node: the modules that the page loads, each asked for what it has.
import { readFileSync } from "node:fs";
import * as others from "../engine/pkg/others/forebay_web.js";
import * as switches from "../engine/pkg/switches/forebay_web.js";

const place = (path) => new URL(path, import.meta.url);
const load = (part, name) =>
  part.initSync({ module: readFileSync(place(`../engine/pkg/${name}/forebay_web_bg.wasm`)) });
load(switches, "switches");
load(others, "others");

/** The part of the engine that a setup needs. */
export function part(text) {
  return /"lab":"(cache|jobs)"/.test(text) ? others : switches;
}

export const { read_setup, flows } = switches;
export const { sonic } = others;
export const panel = (text, side) => part(text).panel(text, side);
export const command = (text, side) => part(text).command(text, side);

/** A side under way. */
export function begin(text, side, name = "", file = undefined) {
  const { SideRun } = part(text);
  return new SideRun(text, side, name, file);
}

export const ROOT = new URL("../../", import.meta.url);
export const stories = JSON.parse(readFileSync(place("../src/stories.json"), "utf8"));
const CAPTURE = "experiments/themis/captures/mixed-programs.pcap";
export const capture = () => readFileSync(new URL(CAPTURE, ROOT));

/** Runs a side to its end; its report, without what clocks say. */
export function report(setup, side, file, effort = 1000) {
  const run = begin(JSON.stringify(setup), side, file ? "mixed-programs.pcap" : "", file);
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
