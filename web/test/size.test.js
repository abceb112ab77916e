// What a visitor loads, compressed as a server does it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url);
const MOST = 500_000;

test("all of it is under 500 kB gzipped", () => {
  const files = readdirSync(DIST, { recursive: true }).filter((name) =>
    statSync(new URL(name, DIST)).isFile(),
  );
  const sizes = files.map((name) => [
    name,
    gzipSync(readFileSync(new URL(name, DIST)), { level: 9 }).length,
  ]);
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  assert.ok(files.includes("index.html") && all < MOST, `${all} bytes: ${JSON.stringify(sizes)}`);
});
