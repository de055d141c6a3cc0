import { afterEach, expect, test, vi } from "vitest";
import { isConnectionSlow } from "./connection";

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
