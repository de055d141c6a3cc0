import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { bundleBudget } from "./build/bundleBudget.ts";
import { noStringIcons } from "./build/noStringIcons.ts";
import { PRODUCT_NAME } from "./src/shared/config/product.ts";

// `npm run dev` serves only the files; the APIs and the sign-in come from a running `./fleetlog up`.
const backend = process.env.FLEETLOG_URL ?? "http://localhost:8080";
const backendPaths = [
  "/api",
  "/openapi",
  "/config.json",
  "/authorize",
  "/oauth",
  "/v2",
  "/.well-known",
  "/idp",
];

// A file for each shared module costs a phone more in round trips than it saves in bytes.
const chunks = [
  // All that is loaded first; the entry itself stays a chunk of its own, which is what the page names.
  { name: "frame", tags: ["$initial" as const], test: isNoEntry, priority: 2 },
  { name: "screens", minShareCount: 8, priority: 1 },
];

function isNoEntry(module: string): boolean {
  return !/(index\.html|main\.tsx)$/.test(module);
}

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    {
      name: "product-name-in-html",
      transformIndexHtml: (html) => html.replaceAll("%PRODUCT_NAME%", PRODUCT_NAME),
    },
    noStringIcons(),
    bundleBudget({ firstLoad: 230, furtherScreen: 60 }),
  ],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      // Its runbooks come with the screen that tells of alerts.
      "@alerts": fileURLToPath(new URL("../ops/alerts", import.meta.url)),
    },
  },
  server: {
    fs: { allow: [".", "../ops/alerts"] },
    proxy: Object.fromEntries(backendPaths.map((path) => [path, backend])),
  },
  build: {
    target: "es2023",
    sourcemap: true,
    // The budget counts what is loaded together, compressed; this would warn of single files as they lie there.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
  },
  test: {
    environment: "jsdom",
    // `--mode product`: what is tried with a running product. Otherwise the mode is `test`.
    include: [`{src,build}/**/*.${mode}.{ts,tsx}`],
    setupFiles: [mode === "product" ? "src/testing/product/setup.ts" : "src/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    css: false,
    // Starting anew for each file took three quarters of the time; the set-up clears what tests share.
    isolate: false,
    // Ends a test that hangs; how long one takes says more about the machine than about the product.
    testTimeout: 60_000,
  },
}));
