import fc from "fast-check";
import { expect, test } from "vitest";
import { clustersOf, nextIn } from "./clusters";
import type { Offset } from "./view";

const offsets = fc.tuple(fc.integer({ min: -400, max: 400 }), fc.integer({ min: -200, max: 200 }));
const itself = (offset: Offset) => offset;

test("every item in view is in exactly one cluster, and clusters do not overlap", () => {
  fc.assert(
    fc.property(fc.array(offsets), (items) => {
      const clusters = clustersOf(items, itself, 640);
      const shown = items.filter(([x, y]) => Math.abs(x) <= 320 && Math.abs(y) <= 130);
      expect(clusters.flatMap(({ items: together }) => together).toSorted()).toEqual(shown.toSorted());
      for (const [index, { at }] of clusters.entries()) {
        for (const other of clusters.slice(index + 1)) {
          expect(Math.hypot(at[0] - other.at[0], at[1] - other.at[1])).toBeGreaterThanOrEqual(26);
        }
      }
    }),
  );
});

const cross = clustersOf<Offset>(
  [
    [0, 0],
    [100, 10],
    [60, 90],
    [-80, 0],
    [0, 60],
  ],
  itself,
  640,
);

test.each([
  ["right", [1, 0], 1],
  ["left", [-1, 0], 3],
  ["down", [0, 1], 4],
  ["up", [0, -1], -1],
] as const)("the next cluster %s is the nearest straight ahead", (_, direction, expected) => {
  expect(nextIn(cross, 0, direction)).toBe(expected);
});
