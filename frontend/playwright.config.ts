import { defineConfig } from "@playwright/test";
import { browserOptions } from "./e2e/support/browser";

/** Browser tests of a running product at BASE_URL, without mocks. */
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  forbidOnly: Boolean(process.env.CI),
  // One retry in CI; a test that passes then is reported as flaky and must be fixed.
  retries: process.env.CI ? 1 : 0,
  fullyParallel: true,
  workers: 2,
  reporter: "list",
  // Long, because product and tests may share a small machine.
  timeout: 300_000,
  expect: { timeout: 45_000 },
  // No traces, which take a quarter of the time; use `--trace retain-on-failure` when needed.
  use: { ...browserOptions, actionTimeout: 60_000, screenshot: "only-on-failure" },
});
