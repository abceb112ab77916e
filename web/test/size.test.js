// What a visitor loads, compressed as a server does it: the page with the part of the engine that its
// first story runs. The other part is loaded by who chooses a story of it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url);
const MOST = 500_000;
const packed = (file) => gzipSync(readFileSync(file), { level: 9 }).length;

test("what is loaded is under 500 kB gzipped", () => {
  const names = readdirSync(DIST, { recursive: true });
  const files = names.filter((name) => statSync(new URL(name, DIST)).isFile());
  const sizes = files.map((name) => [name, packed(new URL(name, DIST))]);
  const is_module = ([name]) => name.endsWith(".wasm");
  const modules = sizes.filter(is_module).map(([, size]) => size);
  const page = sizes.filter((one) => !is_module(one)).reduce((sum, [, size]) => sum + size, 0);
  assert.equal(modules.length, 2);
  const most = page + Math.max(...modules);
  assert.ok(files.includes("index.html") && most < MOST, `${most} bytes: ${JSON.stringify(sizes)}`);
});
