import { defineConfig } from "vite";

export default defineConfig({
  // It may lie in any folder of a site.
  base: "./",
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  worker: { format: "es" },
});
