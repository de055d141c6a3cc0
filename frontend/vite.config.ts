import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { brotli } from "./build/brotli.ts";
import { bundleBudget } from "./build/bundleBudget.ts";
import { withoutUnusedBlueprint } from "./build/withoutUnusedBlueprint.ts";
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

// A file for each shared module costs a phone more time in round trips and headers than it saves in bytes.
const OF_LISTS = /shared\/(table\/(filters\/)?[^/]+$|ui\/ActiveFilters)/;
// What lists need of the chunk that most screens share: forms and the palette do without it.
const OF_TABLES =
  /table\/(RowMenu|rowKeys|rowOrder|useTableView|TableFoot|TableSearch|layout|views\/viewQuery)|StatCards/;
const OF_RECORDS =
  /shared\/(api\/(useCount|specifiedQuirks)|expiry\/(spans|ackn|useToday)|form\/warn|records\/entities|format\/mega)|buttonGroup/;
const OF_COMMANDS =
  /records\/(DeleteRecordDialog|useRecordCommands|useQuickChange|changes)|form\/(FormDialog|useCommand)|references\/RecordChoice/;
const chunks = [
  // Everything in the first load but the entry, whose chunk the page refers to.
  { name: "frame", tags: ["$initial" as const], test: isNoEntry, priority: 3 },
  // The palette loads this chunk, sends no commands and has no tables.
  { name: "screens", test: isOnMost, minShareCount: 8, priority: 2 },
  { name: "screens", test: OF_RECORDS, minShareCount: 2, priority: 1 },
  { name: "tables", test: OF_TABLES, minShareCount: 8, priority: 1 },
  { name: "lists", test: OF_LISTS, minShareCount: 3 },
  { name: "commands", test: OF_COMMANDS, minShareCount: 2 },
];

function isOnMost(module: string): boolean {
  return !OF_COMMANDS.test(module) && !OF_TABLES.test(module);
}

function isNoEntry(module: string): boolean {
  return !/(index\.html|main\.tsx)$/.test(module);
}

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    {
      name: "product-name-in-html",
      // The style sheet comes after the frame, which is painted while it loads.
      transformIndexHtml: (html) => {
        const sheet = html.match(/\s*<link rel="stylesheet"[^>]*>/)?.[0] ?? "";
        return html
          .replace(sheet, "")
          .replace(/\s*<noscript>/, `${sheet}$&`)
          .replaceAll("%PRODUCT_NAME%", PRODUCT_NAME);
      },
    },
    bundleBudget({ firstLoad: 185, furtherScreen: 70 }),
    brotli,
  ],
  css: { postcss: { plugins: [withoutUnusedBlueprint] } },
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      // The system screen shows the runbooks.
      "@alerts": fileURLToPath(new URL("../ops/alerts", import.meta.url)),
      // Of @blueprintjs/icons, the only package with this import.
      "./iconLoader": fileURLToPath(new URL("./build/iconLoader.ts", import.meta.url)),
    },
  },
  server: {
    fs: { allow: [".", "../ops/alerts"] },
    proxy: Object.fromEntries(backendPaths.map((path) => [path, backend])),
  },
  build: {
    target: "es2023",
    sourcemap: true,
    // The budget limits compressed loads; this warning is about single uncompressed files.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
  },
  test: {
    environment: "jsdom",
    // `--mode product`: tests with a running product. Otherwise the mode is `test`.
    include: [`{src,build}/**/*.${mode}.{ts,tsx}`],
    setupFiles: [mode === "product" ? "src/testing/product/setup.ts" : "src/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    css: false,
    // Isolation of each file took three quarters of the time; the set-up resets shared state.
    isolate: false,
    // Ends a test that hangs; durations depend on the machine more than on the product.
    testTimeout: 60_000,
  },
}));
