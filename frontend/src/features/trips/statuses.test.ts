import fc from "fast-check";
import { expect, test } from "vitest";
import { countTrips, tripTone } from "./statuses";

const STATUSES = ["Scheduled", "In Transit", "Completed", "Delayed"] as const;

test("each status has a colour of its own, and an unknown one is neutral", () => {
  const tones = STATUSES.map(tripTone);
  expect(new Set(tones).size).toBe(STATUSES.length);
  expect(tones).not.toContain("neutral");
  for (const unknown of ["Cancelled", "in transit", "", "constructor"])
    expect(tripTone(unknown)).toBe("neutral");
});

test("the cards count their own status, and the total counts the delayed as well", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...STATUSES)), (statuses) => {
      const counts = countTrips(statuses.map((status) => ({ status })));
      const delayed = statuses.filter((status) => status === "Delayed").length;
      expect(counts.total).toBe(statuses.length);
      expect(counts.inTransit + counts.completed + counts.scheduled + delayed).toBe(counts.total);
      expect(counts.inTransit).toBe(statuses.filter((status) => status === "In Transit").length);
    }),
  );
});
