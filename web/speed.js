// How long the module takes against a native build: 150 flows of 5 MB, both policies.
//
//     FOREBAY=target/release/forebay node web/speed.js
//
// The best of three, one after another; close everything else.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { begin, command, flows } from "./test/engine.js";

const FOREBAY = resolve(process.env.FOREBAY ?? "target/release/forebay");
const flow = (n) => `${n % 16} ${(n + 1 + ((n * 7) % 15)) % 16} 5000000 ${n * 1000}`;
const lines = Array.from({ length: 150 }, (_, n) => flow(n)).join("\n");

const setup = (policy) =>
  JSON.stringify({
    lab: "network",
    topology: "leaf-spine:4x4x2,10G,40G,1us",
    traffic: [{ pattern: "flows", lines }],
    seed: 1,
    sides: [{ policy }, { policy }],
  });

const best = (times) => Math.min(...times);
const folder = mkdtempSync(join(tmpdir(), "forebay-speed-"));
for (const policy of ["drop-tail", "dt", "occamy"]) {
  const text = setup(policy);
  writeFileSync(join(folder, "flows.txt"), flows(text));
  const words = command(text, 0).split(" ").slice(1);
  const [native, module] = [[], []];
  for (let turn = 0; turn < 3; turn++) {
    const report = JSON.parse(
      execFileSync(FOREBAY, words, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }),
    );
    native.push(report.wall_s);
    const run = begin(text, 0);
    const since = performance.now();
    while (!run.advance(1000));
    module.push((performance.now() - since) / 1000);
    const own = JSON.parse(run.report(0));
    if (own.packet_hops !== report.packet_hops) throw new Error("the digits differ");
    run.free();
  }
  const [a, b] = [best(native), best(module)];
  console.log(
    `${policy}: native ${a.toFixed(3)} s, module ${b.toFixed(3)} s, ${(b / a).toFixed(2)} times`,
  );
}
rmSync(folder, { recursive: true });
