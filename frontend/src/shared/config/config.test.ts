import { HttpResponse, http } from "msw";
import { afterEach, expect, test, vi } from "vitest";
import { server } from "@/testing/server";
import { isConnectionSlow } from "./connection";
import { loadRuntimeConfig, runtimeConfig } from "./runtime";

const usable = {
  auth: {
    domain: "http://localhost:8080",
    clientId: "fleetlog-web",
    audience: "https://api.fleetlog.example",
  },
  apiBase: "",
};

function serve(body: string, status = 200) {
  server.use(http.get("/config.json", () => new HttpResponse(body, { status })));
}

test("a usable configuration is read once and kept", async () => {
  serve(JSON.stringify(usable));
  expect(await loadRuntimeConfig()).toEqual(usable);
  expect(runtimeConfig()).toEqual(usable);
});

test.each([
  "",
  "<!doctype html>",
  "null",
  "{}",
  JSON.stringify({ ...usable, apiBase: undefined }),
  JSON.stringify({ ...usable, auth: { ...usable.auth, clientId: "" } }),
])("an unusable configuration (%s) is refused with a sentence", async (body) => {
  serve(body);
  await expect(loadRuntimeConfig()).rejects.toThrow("/config.json is not usable");
});

test("a missing configuration is refused with its status", async () => {
  serve("", 404);
  await expect(loadRuntimeConfig()).rejects.toThrow("/config.json could not be loaded (status 404)");
});

// Vitest itself reads the time before the next file's first test.
afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  { size: 150_000, ms: 3_750, isSlow: true },
  { size: 150_000, ms: 1_200, isSlow: false },
  { size: 2_000, ms: 400, isSlow: false },
  { size: 0, ms: 400, isSlow: false }, // from the browser's cache
])("$size bytes in $ms ms: slow is $isSlow", ({ size, ms, isSlow }) => {
  const file = { transferSize: size, startTime: 100, responseEnd: 100 + ms };
  vi.stubGlobal("performance", { getEntriesByType: () => [file] });
  expect(isConnectionSlow()).toBe(isSlow);
});
