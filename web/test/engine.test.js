// What the page asks of the engine, and what hostile texts and files are answered.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { begin, command, flows, panel, part, read_setup, ROOT, sonic, stories } from "./engine.js";

const refused = (what) => {
  try {
    what();
  } catch (problem) {
    assert.equal(typeof problem, "string");
    assert.ok(problem.length > 5 && problem.length < 2000, problem);
    return problem;
  }
  throw new Error("it was not refused");
};

test("a setup is filled with its defaults", () => {
  const setup = JSON.parse(read_setup('{"lab":"cache"}'));
  assert.deepEqual(
    setup.sides.map((side) => side.policy),
    ["lru", "lru-mad"],
  );
  assert.deepEqual(JSON.parse(read_setup(JSON.stringify(setup))), setup);
});

test("panels have the registries' policies and declared parameters", () => {
  const { policies, controls } = JSON.parse(panel(JSON.stringify(stories[0].setup), 1));
  for (const name of ["occamy", "themis", "gearbox", "drop-tail"])
    assert.ok(
      policies.some((one) => one.name === name),
      name,
    );
  const alpha = controls.find((one) => one.name === "alpha");
  assert.ok(alpha.main && alpha.number === 8 && alpha.about.length > 10, JSON.stringify(alpha));
});

test("what is wrong is refused with a sentence", () => {
  const setup = (change) => JSON.stringify({ ...stories[0].setup, ...change });
  assert.match(
    refused(() => read_setup("{")),
    /^setup: /,
  );
  assert.match(
    refused(() => read_setup('{"lab":"network","sides":1}')),
    /^sides: /,
  );
  assert.match(
    refused(() => read_setup("[".repeat(100000))),
    /^setup: /,
  );
  assert.match(
    refused(() => panel(setup({ sides: [{ policy: "ocamy" }, { policy: "dt" }] }), 0)),
    /did you mean `occamy`/,
  );
  assert.match(
    refused(() => command(setup({}), 2)),
    /there is no side 2/,
  );
  assert.match(
    refused(() => flows('{"lab":"cache"}')),
    /has no flows/,
  );
  const begun = (change) => refused(() => begin(setup(change), 0));
  assert.match(begun({ topology: "star:999999,10G,1us" }), /^topology: /);
  assert.match(begun({ topology: "/etc/passwd" }), /^topology: give a shape/);
  assert.match(
    begun({ traffic: [{ pattern: "poisson", load: 1, sizes: "websearch", span: "100000 s" }] }),
    /at most/,
  );
  assert.match(
    begun({ traffic: [{ pattern: "poisson", load: 1, sizes: "no-file.csv", span: "1 ms" }] }),
    /no distribution/,
  );
});

test("a part of the engine says what it does not have", () => {
  const network = JSON.stringify(stories[0].setup);
  const { panel, SideRun } = part('{"lab":"cache"}');
  assert.match(
    refused(() => panel(network, 0)),
    /another part of the engine/,
  );
  assert.match(
    refused(() => new SideRun(network, 0, "", undefined)),
    /another part/,
  );
});

test("files of any content are answered", () => {
  const capture = JSON.stringify({ lab: "capture" });
  for (const file of [
    new Uint8Array(0),
    new Uint8Array(5000).fill(0xa1),
    new TextEncoder().encode("hello"),
  ]) {
    assert.match(
      refused(() => begin(capture, 0, "mine.pcap", file)),
      /^capture: /,
    );
    assert.match(
      refused(() => sonic(file)),
      /^config_db.json: /,
    );
  }
  const config = readFileSync(new URL("crates/sonic/tests/data/chassis.json", ROOT));
  assert.ok(JSON.parse(sonic(config)).explanation.pools.length > 0);
});

test("a report is there when the run is over, and not before", () => {
  const run = begin(JSON.stringify(stories[0].setup), 0);
  assert.match(
    refused(() => run.report(0)),
    /not over/,
  );
  assert.equal(run.advance(1), false);
  const picture = JSON.parse(run.picture());
  assert.deepEqual(
    picture.charts.map((chart) => chart.id),
    ["occupancy", "queues", "lost", "completions"],
  );
  run.free();
});
