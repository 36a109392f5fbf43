import { defineConfig } from "vite";

// The bundle goes into the Python package; no file name changes unless its content does, and
// nothing is inlined: the page's Content-Security-Policy allows files of its own server alone.
export default defineConfig({
  base: "/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: "../src/mags/web/bundle",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
  },
  server: { proxy: { "/memories": "http://127.0.0.1:7437" } },
});
