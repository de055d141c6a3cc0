import { expect, test } from "vitest";
import { relativeTime } from "./relativeTime";

const now = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["2026-11-21T11:59:30Z", "just now"],
  ["2026-11-21T12:00:05Z", "just now"],
  ["2026-11-21T11:59:00Z", "1 minute ago"],
  ["2026-11-21T09:30:00Z", "2 hours ago"],
  ["2026-11-20T11:00:00Z", "yesterday"],
  ["2026-11-11T12:00:00Z", "10 days ago"],
  ["long ago", "long ago"],
])("%s is shown as %s", (moment, text) => {
  expect(relativeTime(moment, now)).toBe(text);
});
