import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { browserOptions } from "./support/browser";

/** `npm run screens`: screenshots, see `screens.ts`. */
export default defineConfig({
  testDir: ".",
  testMatch: "screens.ts",
  outputDir: join(tmpdir(), "fleetlog-screens-results"),
  workers: 1,
  reporter: "list",
  timeout: 300_000,
  expect: { timeout: 45_000 },
  use: browserOptions,
});
