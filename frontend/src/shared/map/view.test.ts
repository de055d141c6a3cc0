import fc from "fast-check";
import { expect, test } from "vitest";
import { placeText, readPlace, rounded } from "./places";
import {
  canZoom,
  digitsOf,
  fitting,
  HEIGHT,
  isWithin,
  offsetOf,
  panned,
  placeAt,
  type View,
  zoomed,
} from "./view";

const mumbai = { latitude: 18.95, longitude: 72.95 };
const suva = { latitude: -18.14, longitude: 178.44 };

const places = fc.record({
  latitude: fc.double({ min: -84, max: 84, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});
const views: fc.Arbitrary<View> = fc.record({
  centre: places,
  scale: fc.double({ min: 40, max: 40_000, noNaN: true }),
});
const offsets = fc.tuple(
  fc.double({ min: -100, max: 100, noNaN: true }),
  fc.double({ min: -50, max: 50, noNaN: true }),
);

test("the place at an offset is the place shown there", () => {
  fc.assert(
    fc.property(places, views, (place, view) => {
      const there = placeAt(offsetOf(place, view), view);
      expect(there.latitude).toBeCloseTo(place.latitude, 6);
      expect(Math.cos(((there.longitude - place.longitude) * Math.PI) / 180)).toBeCloseTo(1, 9);
    }),
  );
});

test("panning by an offset centres the place there", () => {
  fc.assert(
    fc.property(places, offsets, (centre, by) => {
      const view = { centre, scale: 3_000 };
      const [x, y] = offsetOf(placeAt(by, view), panned(view, by));
      expect(Math.hypot(x, y)).toBeLessThan(1e-3);
    }),
  );
});

test("the fitted view shows all places at any width", () => {
  fc.assert(
    fc.property(fc.array(places, { minLength: 1 }), fc.integer({ min: 300, max: 2000 }), (all, width) => {
      const view = fitting(all, width);
      const isShown = (place: (typeof all)[number]) => {
        const [x, y] = offsetOf(place, view);
        return Math.abs(x) <= width / 2 + 0.5 && Math.abs(y) <= HEIGHT / 2 + 0.5;
      };
      // The whole world is as small as a map gets.
      if (canZoom(view, 0.5)) expect(all.every(isShown)).toBe(true);
    }),
  );
});

test("a single place is shown with a few degrees around, and no place as the world", () => {
  const view = fitting([mumbai], 640);
  expect(view.centre).toEqual(mumbai);
  const top = placeAt([0, -HEIGHT / 2], view);
  expect(top.latitude - mumbai.latitude).toBeGreaterThan(2);
  expect(top.latitude - mumbai.latitude).toBeLessThan(6);
  const world = fitting([], 640);
  expect(placeAt([-270, 0], world).longitude).toBeLessThan(-170);
});

test("a place beyond the projection's limit is at the edge and keeps its latitude", () => {
  const view = fitting([{ latitude: 90, longitude: 0 }], 640);
  expect(offsetOf({ latitude: 90, longitude: 0 }, view)).toEqual(
    offsetOf({ latitude: 85, longitude: 0 }, view),
  );
  expect(placeText({ latitude: 90, longitude: 0 })).toBe("90° N, 0°");
});

test("a step across the date line is small", () => {
  const view = { centre: suva, scale: 1_000 };
  const there = placeAt([50, 0], view);
  expect(there.longitude).toBeLessThan(-178);
  expect(isWithin(offsetOf(there, view), 640)).toBe(true);
});

test("zooming has a limit, and places have as many decimals as a pixel resolves", () => {
  let view = fitting([mumbai], 640);
  while (canZoom(view, 2)) view = zoomed(view, 2);
  expect(zoomed(view, 2)).toEqual(view);
  expect(digitsOf(view)).toBe(3);
  expect(digitsOf(fitting([], 640))).toBe(1);
  expect(rounded({ latitude: -0.001, longitude: 72.95126 }, 1)).toEqual({ latitude: 0, longitude: 73 });
});

test.each([
  ["18.9498", "72.9512", "18.9498° N, 72.9512° E"],
  [" -33.9 ", "-0", "33.9° S, 0°"],
  ["90", "-180", "90° N, 180° W"],
])("%j and %j are the place %s", (latitude, longitude, text) => {
  const place = readPlace(latitude, longitude);
  expect(place && placeText(place)).toBe(text);
});

test.each([
  ["", "72"],
  ["18", ""],
  ["90.1", "0"],
  ["0", "181"],
  ["-", "7"],
  ["0x10", "7"],
  ["12,5", "7"],
])("%j and %j are no place", (latitude, longitude) => {
  expect(readPlace(latitude, longitude)).toBeUndefined();
});
