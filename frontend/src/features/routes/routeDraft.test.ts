import fc from "fast-check";
import { expect, test } from "vitest";
import { amount, emptySegment, isComplete, routeSchema, type SegmentValues } from "./routeDraft";

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

test.each([
  ["148.5", 148.5],
  ["", 0],
  ["-5", 0],
  ["abc", 0],
  ["1e400", 0],
])("%o counts as %d in the totals", (text, number) => {
  expect(amount(text)).toBe(number);
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
