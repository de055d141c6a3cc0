import fc from "fast-check";
import { expect, test } from "vitest";
import {
  draftTotals,
  emptySegment,
  isComplete,
  originOf,
  routeSchema,
  type SegmentValues,
} from "./routeDraft";

const segment = (differences: Partial<SegmentValues> = {}): SegmentValues => ({
  destination: "Pune",
  estimatedDistance: "148.5",
  estimatedTime: "195",
  notes: "",
  ...differences,
});
const route = (...segments: SegmentValues[]) => ({
  routeName: "Shuttle",
  startingLocation: "Mumbai",
  description: "",
  segments,
});
const complaints = (values: unknown) =>
  routeSchema.safeParse(values).error?.issues.map(({ message }) => message);

test("the totals are those of the segments, whatever they are", () => {
  const tenths = fc.nat(50_000);
  fc.assert(
    fc.property(fc.array(fc.tuple(tenths, fc.nat(5_000)), { minLength: 1 }), (legs) => {
      const segments = legs.map(([km, minutes]) =>
        segment({ estimatedDistance: String(km / 10), estimatedTime: String(minutes) }),
      );
      const totals = draftTotals(segments);
      expect(totals.distance).toBeCloseTo(legs.reduce((sum, [km]) => sum + km, 0) / 10, 6);
      expect(totals.time).toBe(legs.reduce((sum, [, minutes]) => sum + minutes, 0));
      expect(totals.segments).toBe(legs.length);
    }),
  );
});

test.each(["", "-5", "abc", "1e400"])("%o counts for nothing yet", (text) => {
  const draft = segment({ estimatedDistance: text, estimatedTime: text });
  expect(draftTotals([segment(), draft])).toEqual({ distance: 148.5, time: 195, segments: 2 });
});

test("a route is complete with a start, and destination, distance and time in every segment", () => {
  expect(isComplete(route(segment(), segment({ destination: "Surat" })))).toBe(true);
  expect(isComplete({ ...route(segment()), startingLocation: "" })).toBe(false);
  for (const name of ["destination", "estimatedDistance", "estimatedTime"] as const) {
    expect(isComplete(route(segment(), segment({ [name]: "" })))).toBe(false);
  }
  expect(isComplete(route(segment({ estimatedDistance: "0" })))).toBe(false);
  expect(isComplete(route())).toBe(false);
});

test("the button never waits where the form would accept the route", () => {
  const text = fc.constantFrom("", " ", "0", "-1", "0.05", "0.1", "1", "1.5", "7", "1e2", "12,5", "abc");
  const destination = fc.constantFrom("", "Pune");
  const anySegment = fc
    .tuple(destination, text, text)
    .map(([to, estimatedDistance, estimatedTime]) =>
      segment({ destination: to, estimatedDistance, estimatedTime }),
    );
  fc.assert(
    fc.property(fc.array(anySegment, { maxLength: 3 }), fc.constantFrom("", "Delhi"), (segments, start) => {
      const values = { ...route(...segments), startingLocation: start };
      if (complaints(values) === undefined) expect(isComplete(values)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("a segment sets out from the previous stop, the first from the start, by name once there is one", () => {
  const values = route(segment(), emptySegment, segment());
  expect([0, 1, 2].map((index) => originOf(values, index))).toEqual(["Mumbai", "Pune", "stop 2"]);
  expect(originOf({ ...values, startingLocation: "" }, 0)).toBe("start");
});

test.each([
  [
    "nothing at all",
    { ...route(), routeName: " ", startingLocation: "" },
    ["Route name is required", "Starting location is required", "At least one route segment is required"],
  ],
  [
    "an empty segment",
    route(emptySegment),
    ["Destination is required", "Distance must be greater than 0", "Time must be at least 1 minute"],
  ],
  ["0.09 km", route(segment({ estimatedDistance: "0.09" })), ["Distance must be greater than 0"]],
  ["0.1 km", route(segment({ estimatedDistance: "0.1" })), undefined],
  ["0.5 minutes", route(segment({ estimatedTime: "0.5" })), ["Time must be at least 1 minute"]],
  ["1.5 minutes", route(segment({ estimatedTime: "1.5" })), ["Time must be in whole minutes"]],
  ["1 minute", route(segment({ estimatedTime: "1" })), undefined],
])("of %s the form says what the specification says", (_, values, messages) => {
  expect(complaints(values)).toEqual(messages);
});
