import { expect, test } from "vitest";
import { formatDuration } from "./measures";

test.each([
  [0, "0m"],
  [1, "1m"],
  [59, "59m"],
  [60, "1h 0m"],
  [125, "2h 5m"],
  [1500, "25h 0m"],
])("%i minutes are %s", (minutes, text) => {
  expect(formatDuration(minutes)).toBe(text);
});
