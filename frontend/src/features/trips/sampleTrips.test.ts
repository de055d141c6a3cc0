import { expect, test } from "vitest";
import { total } from "@/shared/format/total";
import { sampleTripFile } from "./sampleTripFile";
import { sampleTrips } from "./sampleTrips";

const ascending = (values: readonly (number | string)[]) =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? value));

test("there are five trips, each delivered after it starts", () => {
  expect(sampleTrips).toHaveLength(5);
  expect(new Set(sampleTrips.map(({ id }) => id)).size).toBe(5);
  for (const { startDate, expectedDelivery } of sampleTrips)
    expect(ascending([startDate, expectedDelivery])).toBe(true);
});

test("the trip's records fit together", () => {
  const { trip, stops, cargo, events, vehicle, issues } = sampleTripFile;
  expect(total(cargo.map(({ weight }) => weight))).toBeCloseTo(trip.tonnage, 6);
  expect(total(vehicle.map(({ capacity = 0 }) => capacity))).toBeGreaterThan(trip.tonnage);
  expect(vehicle.slice(1).map(({ registration }) => registration)).toEqual(trip.trailers);
  expect(ascending(stops.map(({ distance }) => distance))).toBe(true);
  expect(ascending(stops.map(({ planned }) => planned))).toBe(true);
  expect(ascending(events.map(({ at }) => at))).toBe(true);
  expect([stops[0]?.place, stops.at(-1)?.place]).toEqual([trip.place_of_loading, trip.place_of_delivery]);
  for (const { raised, resolved } of issues) if (resolved) expect(ascending([raised, resolved])).toBe(true);
});

test("the trip is the list's own first one", () => {
  const { trip } = sampleTripFile;
  expect(sampleTrips[0]).toMatchObject({
    id: trip.id,
    clientName: trip.client_name,
    loadingPoint: trip.place_of_loading,
    deliveryPoint: trip.place_of_delivery,
    status: trip.status,
    driver: trip.driver,
    startDate: trip.start_date,
    expectedDelivery: trip.expected_delivery,
  });
});
