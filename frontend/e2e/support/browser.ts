const executablePath = process.env.CHROMIUM_PATH;

/** Chromium from CHROMIUM_PATH (or Playwright's own), quiet, and looking at BASE_URL. */
export const browserOptions = {
  baseURL: process.env.BASE_URL ?? "http://localhost:8080",
  locale: "en-IN",
  launchOptions: {
    ...(executablePath ? { executablePath } : {}),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  },
};
