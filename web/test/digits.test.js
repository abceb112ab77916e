// The same digits everywhere: the module in Node against a native build, and against the command.
//
//     REPORTS=reports.json FOREBAY=forebay node --test
//
// REPORTS is what `cargo run --example reports` prints; FOREBAY is the command.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { capture, command, digits, flows, read_setup, report, stories } from "./engine.js";

const { REPORTS, FOREBAY } = process.env;

test("as a native build", { skip: REPORTS ? false : "REPORTS is not set" }, () => {
  const native = JSON.parse(readFileSync(REPORTS, "utf8"));
  assert.deepEqual(
    Object.keys(native).sort(),
    [...stories.map((story) => story.id), "capture"].sort(),
  );
  for (const [id, { setup, reports }] of Object.entries(native)) {
    const file = id === "capture" ? capture() : undefined;
    reports.forEach((own, side) =>
      assert.deepEqual(report(setup, side, file), digits(own), `${id}, side ${side}`),
    );
  }
});

/** What the command says of a side, as the page writes it. */
function said(setup, side, folder) {
  const text = JSON.stringify(setup);
  const words = command(text, side).replace(/^forebay/, '"$FOREBAY"');
  if (setup.lab === "network") writeFileSync(join(folder, "flows.txt"), flows(text));
  if (setup.lab === "capture") writeFileSync(join(folder, "CAPTURE"), capture());
  const options = {
    cwd: folder,
    env: { ...process.env, FOREBAY },
    stdio: ["ignore", "pipe", "ignore"],
  };
  const out = JSON.parse(execFileSync("sh", ["-c", words], options));
  return digits(setup.lab === "cache" ? out[0] : (out.report ?? out));
}

test("as the command", { skip: FOREBAY ? false : "FOREBAY is not set" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "forebay-web-"));
  try {
    const setups = stories.map((story) => story.setup).filter((setup) => setup.lab !== "jobs");
    setups.push({
      lab: "capture",
      ports: 3,
      rate: "100 Mb/s",
      load: 1.2,
      sides: [{ policy: "dt" }, { policy: "themis" }],
    });
    for (const setup of setups) {
      const file = setup.lab === "capture" ? capture() : undefined;
      const whole = JSON.parse(read_setup(JSON.stringify(setup)));
      for (const side of [0, 1]) {
        assert.deepEqual(
          report(whole, side, file),
          said(whole, side, folder),
          `${setup.lab}: ${command(JSON.stringify(whole), side)}`,
        );
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
