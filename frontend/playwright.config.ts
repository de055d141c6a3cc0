import { defineConfig } from "@playwright/test";
import { browserOptions } from "./e2e/support/browser";

/** Journeys through a running product at BASE_URL, no part of it faked. */
export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  forbidOnly: Boolean(process.env.CI),
  // Once more where nobody can look; a test that passes then is told as flaky, and is to be mended.
  retries: process.env.CI ? 1 : 0,
  fullyParallel: true,
  workers: 2,
  reporter: "list",
  // Generous, because the product and the tests may share a small machine with others.
  timeout: 300_000,
  expect: { timeout: 45_000 },
  // Recording a trace of each test takes a quarter of the time: `--trace retain-on-failure` where one is needed.
  use: { ...browserOptions, actionTimeout: 60_000, screenshot: "only-on-failure" },
});
