import fc from "fast-check";
import { expect, test } from "vitest";
import { latenessText, minutesLate, punctuality, tripProgress } from "./progress";
import type { Stop } from "./trip";

const START = Date.parse("2026-11-19T06:30:00+05:30");
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();

/** Stops in the order of the road, of which the first few have been left. */
const journeys = fc
  .tuple(fc.array(fc.nat(500), { minLength: 1, maxLength: 8 }), fc.nat(8))
  .map(([legs, left]): Stop[] => {
    let distance = 0;
    return legs.map((leg, index) => {
      if (index > 0) distance += leg;
      return {
        place: `Stop ${index}`,
        purpose: "Rest",
        distance,
        planned: at(index),
        ...(index < left && { actual: at(index) }),
      };
    });
  });

test("what is covered and what remains add up, and the next stop is the first one not left", () => {
  fc.assert(
    fc.property(journeys, (stops) => {
      const progress = tripProgress(stops);
      expect(progress.covered + progress.remaining).toBe(progress.total);
      expect(progress.remaining).toBeGreaterThanOrEqual(0);
      expect(progress.next).toBe(stops.find(({ actual }) => actual === undefined));
      expect(progress.last).toBe(stops.filter(({ actual }) => actual !== undefined).at(-1));
    }),
  );
});

test("a trip without stops has no way to go", () => {
  expect(tripProgress([])).toEqual({ total: 0, covered: 0, remaining: 0, last: undefined, next: undefined });
});

test("lateness is counted from the plan, and only where the stop has been left", () => {
  const stop = { place: "Surat", purpose: "Rest", distance: 285, planned: at(0) };
  expect(minutesLate(stop)).toBeUndefined();
  expect(minutesLate({ ...stop, actual: at(70) })).toBe(70);
  expect(minutesLate({ ...stop, actual: at(-5) })).toBe(-5);
});

test.each([
  [30, "30m late", "success"],
  [31, "31m late", "warning"],
  [-60, "1h 0m early", "success"],
])("%i minutes after plan: %s, a %s", (minutes, label, tone) => {
  const stop = { place: "Surat", purpose: "Rest", distance: 285, planned: at(0) };
  expect(punctuality({ ...stop, actual: at(minutes) })).toEqual({ label, tone });
  expect(punctuality(stop)).toEqual({ label: "Ahead", tone: "neutral" });
});

test.each([
  [0, "On time"],
  [5, "5m late"],
  [60, "1h 0m late"],
  [70, "1h 10m late"],
  [-65, "1h 5m early"],
])("%i minutes are told as %s", (minutes, text) => {
  expect(latenessText(minutes)).toBe(text);
});
