import fc from "fast-check";
import { expect, test } from "vitest";
import { total } from "@/shared/format/total";
import { formatDuration, routeFigures, type TransportRoute, waypoints } from "./route";
import { sampleRoutes } from "./sampleRoutes";

const malwa = sampleRoutes.find(({ id }) => id === "RT-010") as TransportRoute;

test("a sample route's totals match its segments, which are contiguous", () => {
  for (const route of sampleRoutes) {
    const end = waypoints(route).at(-1);
    expect(end).toMatchObject({
      place: route.endLocation,
      distance: route.totalDistance,
      estimatedTime: route.estimatedTime,
    });
    expect(route.segments).toHaveLength(route.stops);
    const starts = [route.startLocation, ...route.segments.map(({ to }) => to)];
    expect(route.segments.map(({ from }) => from)).toEqual(starts.slice(0, -1));
  }
  expect(new Set(sampleRoutes.map(({ id }) => id)).size).toBe(sampleRoutes.length);
});

test("the cards count routes, active ones and different destinations, and compare planned with actual time", () => {
  const [western, deccan] = sampleRoutes as [TransportRoute, TransportRoute];
  const half = {
    ...western,
    segments: [{ from: "A", to: "B", distance: 1, estimatedTime: 60, actualTime: 120, roadType: "" }],
  };
  expect(routeFigures([half, { ...deccan, endLocation: half.endLocation, segments: [] }, malwa])).toEqual({
    total: 3,
    active: 2,
    destinations: 2,
    efficiency: 50,
  });
});

test("there is no efficiency before anything was driven", () => {
  expect(routeFigures([malwa]).efficiency).toBeNull();
});

test("the actual time ends where a segment has not been driven", () => {
  expect(waypoints(malwa).map(({ actualTime }) => actualTime)).toEqual([0, null, null]);
});

test("the distance of a place is the sum of the segments before it", () => {
  const segment = fc.record({
    from: fc.constant("A"),
    to: fc.string(),
    distance: fc.nat(2_000),
    estimatedTime: fc.nat(5_000),
    actualTime: fc.option(fc.nat(5_000)),
    roadType: fc.constant("NH 48"),
  });
  fc.assert(
    fc.property(fc.array(segment), (segments) => {
      const places = waypoints({ ...malwa, segments });
      expect(places.map(({ place }) => place)).toEqual([
        malwa.startLocation,
        ...segments.map(({ to }) => to),
      ]);
      for (const [index, { distance, estimatedTime, actualTime }] of places.entries()) {
        const way = segments.slice(0, index);
        const actual = way.map((driven) => driven.actualTime);
        expect(distance).toBe(total(way.map((driven) => driven.distance)));
        expect(estimatedTime).toBe(total(way.map((driven) => driven.estimatedTime)));
        expect(actualTime).toBe(actual.includes(null) ? null : total(actual.map(Number)));
      }
    }),
  );
});

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
