import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleTripFile } from "./sampleTripFile";
import { instalments } from "./settlement";

const { trip } = sampleTripFile;

test("loading is Completed and unloading Pending, whatever the flags say", () => {
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

test("shares that make the whole make the whole rate", () => {
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
