import { renderHook } from "@testing-library/react";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dayIn } from "@/shared/expiry/expiry";
import { NOTHING_HIDDEN } from "@/shared/form";
import { useFigures } from "@/shared/records/figures";
import { drivers } from "@/testing/kinds";

const { figures: specs = [] } = drivers.definition.list ?? {};
const hidden = new Set(["licenseValidUpTo"]);

function count(rows: readonly ReturnType<typeof drivers.api.toRow>[]) {
  const { result, unmount } = renderHook(() => useFigures(specs, rows, NOTHING_HIDDEN));
  unmount();
  return result.current.figures.map(({ value }) => value);
}

test("active and expired drivers add up to the total, and those expiring soon are active", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -60, max: 60 })), (offsets) => {
      const now = new Date();
      const ends = offsets.map((days) => dayIn(days, now));
      const rows = ends.map((day) => drivers.api.toRow(drivers.wire({ driving_license_expiry: day })));
      const [total, active, expired, soon] = count(rows);
      expect(total).toBe(offsets.length);
      expect(Number(active) + Number(expired)).toBe(total);
      expect(expired).toBe(offsets.filter((days) => days < 0).length);
      expect(soon).toBe(offsets.filter((days) => days >= 0 && days <= 30).length);
    }),
  );
});

test("who has no known end of a licence is active, and whose is hidden is in the total alone", () => {
  const unknown = drivers.api.toRow(drivers.wire({ driving_license_expiry: "" }));
  expect(count([unknown, { ...unknown, hidden }])).toEqual([2, 1, 0, 0]);
});
