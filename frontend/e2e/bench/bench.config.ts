import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { browserOptions } from "../support/browser";

/** `npm run bench:table`: figures to compare before and after a change, on a quiet machine; see `table.ts`. */
export default defineConfig({
  testDir: ".",
  testMatch: "table.ts",
  outputDir: join(tmpdir(), "fleetlog-bench-results"),
  workers: 1,
  reporter: "line",
  timeout: 300_000,
  expect: { timeout: 60_000 },
  use: browserOptions,
});
