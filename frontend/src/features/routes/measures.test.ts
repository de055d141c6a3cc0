import fc from "fast-check";
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

test("hours and minutes add up again, and no minutes make an hour", () => {
  fc.assert(
    fc.property(fc.nat(100_000), (minutes) => {
      const [, hours = "0", rest] = /^(?:(\d+)h )?(\d+)m$/.exec(formatDuration(minutes)) ?? [];
      expect(Number(hours) * 60 + Number(rest)).toBe(minutes);
      expect(Number(rest)).toBeLessThan(60);
    }),
  );
});
