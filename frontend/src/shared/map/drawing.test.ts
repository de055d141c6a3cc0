import { expect, test } from "vitest";
import atlas from "world-atlas/countries-110m.json";
import { draw } from "./drawing";
import { fitting, HEIGHT } from "./view";
import { worldOf } from "./world";

const world = worldOf(atlas as unknown as Parameters<typeof worldOf>[0]);
const named = (drawing: ReturnType<typeof draw>) => drawing.names.map(({ text }) => text);

test("a view has its land, borders and names of countries", () => {
  const nagpur = draw(fitting([{ latitude: 21.1, longitude: 79.1 }], 640), world, world);
  expect(nagpur.land).toMatch(/^M/);
  expect(named(nagpur)).toContain("India");
  expect(named(nagpur)).not.toContain("Brazil");
  const everything = draw(fitting([], 640), world, world);
  expect(everything.borders.length).toBeGreaterThan(nagpur.borders.length);
});

test("land out of view is not drawn", () => {
  const pacific = draw({ centre: { latitude: -45, longitude: -120 }, scale: 4_000 }, world, world);
  expect(pacific).toEqual({ land: "", borders: "", names: [] });
});

test("land across the date line is drawn without a line across the map", () => {
  const { land } = draw({ centre: { latitude: 65, longitude: 179.5 }, scale: 600 }, world, world);
  const ends = [...land.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(ends.some(([x = 0, y = 0]) => x > 20 && Math.abs(y) < HEIGHT / 2)).toBe(true);
  expect(ends.some(([x = 0, y = 0]) => x < -20 && Math.abs(y) < HEIGHT / 2)).toBe(true);
});
