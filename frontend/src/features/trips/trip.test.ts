import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleTripFile } from "./sampleTripFile";
import {
  completionSteps,
  instalments,
  punctuality,
  type Stop,
  type TripFile,
  tripProgress,
  tripTone,
} from "./trip";

const STATUSES = ["Scheduled", "In Transit", "Completed", "Delayed"] as const;

test("each status has its own colour, and an unknown one is neutral", () => {
  const tones = STATUSES.map(tripTone);
  expect(new Set(tones).size).toBe(STATUSES.length);
  expect(tones).not.toContain("neutral");
  for (const unknown of ["Cancelled", "in transit", "", "constructor"])
    expect(tripTone(unknown)).toBe("neutral");
});

const START = Date.parse("2026-11-19T06:30:00+05:30");
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();

/** Stops in order; the trip has departed from the first few. */
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

test("distances covered and remaining add up, and the next stop is the first one not left", () => {
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

test("a trip without stops has no distance", () => {
  expect(tripProgress([])).toEqual({ total: 0, covered: 0, remaining: 0, last: undefined, next: undefined });
});

test.each([
  [0, "On time", "success"],
  [5, "5m late", "success"],
  [30, "30m late", "success"],
  [31, "31m late", "warning"],
  [60, "1h 0m late", "warning"],
  [70, "1h 10m late", "warning"],
  [-60, "1h 0m early", "success"],
  [-65, "1h 5m early", "success"],
])("%i minutes after plan is shown as %s, a %s", (minutes, label, tone) => {
  const stop = { place: "Surat", purpose: "Rest", distance: 285, planned: at(0) };
  expect(punctuality({ ...stop, actual: at(minutes) })).toEqual({ label, tone });
  expect(punctuality(stop)).toEqual({ label: "Ahead", tone: "neutral" });
});

const { trip } = sampleTripFile;

test("loading is Completed and unloading Pending, whatever the flags are", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), (loading, unloading) => {
      const flags = { settlement_loading_done: loading, settlement_unloading_done: unloading };
      const parts = instalments({ ...trip, settlement_details: { ...trip.settlement_details, ...flags } });
      expect(parts.map(({ name, status }) => `${name}: ${status}`)).toEqual([
        "Loading Settlement: Completed",
        "Unloading Settlement: Pending",
      ]);
    }),
  );
});

test("instalments of 100 % add up to the transport rate", () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(10_000_000), (share, transport_rate) => {
      const settlement_details = {
        ...trip.settlement_details,
        settlement_loading_percentage: share,
        settlement_unloading_percentage: 100 - share,
      };
      const [loading, unloading] = instalments({ ...trip, transport_rate, settlement_details });
      expect(loading.amount + unloading.amount).toBeCloseTo(transport_rate, 4);
    }),
  );
});

const done = (file: TripFile) =>
  completionSteps(file)
    .filter(({ isDone }) => isDone)
    .map(({ label }) => label);

test("the sample trip has left and its loading is paid; the other steps are open", () => {
  expect(done(sampleTripFile)).toEqual(["Left JNPT, Navi Mumbai", "Loading settlement paid"]);
});

test("arrival, documents and issues are done once recorded", () => {
  const moment = "2026-11-22T01:30:00+05:30";
  const arrived = {
    ...sampleTripFile,
    stops: sampleTripFile.stops.map((stop) => ({ ...stop, actual: moment })),
    documents: sampleTripFile.documents.map((document) => ({ ...document, received: "2026-11-22" })),
    issues: sampleTripFile.issues.map((issue) => ({ ...issue, resolved: moment })),
  };
  expect(done(arrived)).toEqual([
    "Left JNPT, Navi Mumbai",
    "Loading settlement paid",
    "Arrived at Okhla, New Delhi",
    "All documents received",
    "All issues resolved",
  ]);
});
