import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

/** What the licence of the plots asks for: it stands beside them. */
const licence = {
  name: "licence",
  generateBundle() {
    const source = readFileSync(new URL("node_modules/uplot/LICENSE", import.meta.url));
    this.emitFile({ type: "asset", fileName: "uplot-licence.txt", source });
  },
};

export default defineConfig({
  // It may lie in any folder of a site.
  base: "./",
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  worker: { format: "es" },
  plugins: [licence],
});
