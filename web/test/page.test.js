// Parts of the page that need no page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformWithEsbuild } from "vite";

async function module(name) {
  const file = new URL(`../src/${name}.ts`, import.meta.url);
  const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), file.pathname, {
    sourcemap: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

test("a link carries any setup, and nothing else", async () => {
  const { from_link, to_link } = await module("link");
  const setup = {
    lab: "network",
    traffic: [{ lines: "0 1 5 µ\n> ü €" }],
    sides: [{ policy: "dt" }],
  };
  const link = to_link(setup);
  assert.match(link, /^#[A-Za-z0-9_-]+$/);
  assert.deepEqual(JSON.parse(from_link(link)), setup);
  for (const wrong of ["#%%%", "#/w", `#${link}#`])
    assert.throws(() => from_link(wrong), /is no setup: copy it whole/);
  assert.throws(() => from_link("#" + "A".repeat((1 << 20) + 1)), /at most are read/);
});

test("numbers have the unit that suits them", async () => {
  const { amount, change } = await module("numbers");
  const shown = [
    [0, "us"],
    [1234.5, "us"],
    [2e6, "us"],
    [0.5, "us"],
    [999, "bytes"],
    [2.5e6, "bytes"],
    [1e10, "b/s"],
    [12345, "packets"],
    [1.23456, ""],
    [null, "us"],
  ];
  assert.deepEqual(
    shown.map(([value, unit]) => amount(value, unit)),
    [
      "0 µs",
      "1.23 ms",
      "2 s",
      "500 ns",
      "999 B",
      "2.5 MB",
      "10 Gb/s",
      "12,345 packets",
      "1.23",
      "–",
    ],
  );
  assert.deepEqual(
    [change(3, 2), change(1, 2), change(30, 1), change(1, 1), change(1, 0)],
    ["+50 %", "−50 %", "30 times", "the same", "–"],
  );
});

test("a column of a table has one unit", async () => {
  const { column } = await module("numbers");
  assert.deepEqual(column([10e6, 300e6, 1e10, null], "b/s"), ["Gb/s", ["0.01", "0.3", "10", "–"]]);
  assert.deepEqual(column([1200, 0.5], "us"), ["ms", ["1.2", "0.0005"]]);
  assert.deepEqual(column([0, null], "us"), ["ns", ["0", "–"]]);
  assert.deepEqual(column([1234, 5], "packets"), ["packets", ["1,234", "5"]]);
});

test("a value without a neighbour is drawn as a point", async () => {
  const { alone } = await module("numbers");
  assert.deepEqual(alone([0.1, null, 3, 4, null, 5]), [0, 5]);
  assert.deepEqual(alone([1]), [0]);
  assert.deepEqual(alone([1, 2]), []);
});

test("a slider goes evenly where the range is narrow, by factors elsewhere", async () => {
  const { Track, PLACES } = await module("track");
  const share = new Track({ least: 0, most: 1, number: 0.5, kind: "number" });
  assert.deepEqual(
    [share.place(0.25), share.value(PLACES, false), share.by_factors],
    [PLACES / 4, 1, false],
  );
  const alpha = new Track({ least: 1 / 65536, most: 65536, number: 8, kind: "number" });
  assert.deepEqual(
    [alpha.by_factors, alpha.place(8), alpha.value(PLACES / 2, false)],
    [true, PLACES / 2, 8],
  );
  const bytes = new Track({ least: 0, most: null, number: 1_000_000, kind: "whole" });
  assert.equal(bytes.value(bytes.place(1_000_000), true), 1_000_000);
  for (let place = 0; place <= PLACES; place++)
    assert.ok(Number.isInteger(bytes.value(place, true)));
});
