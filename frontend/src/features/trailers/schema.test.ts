import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numberOrNull } from "@/shared/form/numberText";
import { emptyTrailer, type Trailer, trailerSchema } from "./testing/trailers";

const some: Trailer = { ...emptyTrailer, identifier: "LB-001" };

function messages(values: Trailer): Record<string, string> {
  const issues = trailerSchema.safeParse(values).error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
}

test("only the identifier is required, and blank text does not count as given", () => {
  expect(messages(emptyTrailer)).toEqual({ identifier: "Identifier is required" });
  expect(messages({ ...emptyTrailer, identifier: "  " })).toEqual({ identifier: "Identifier is required" });
  expect(messages(some)).toEqual({});
});

test("spaces around a text are dropped, but not those of the data", () => {
  const parsed = trailerSchema.parse({ ...some, owner_name: " Ravi  Kumar ", axles: " 3 ", data: " { " });
  expect(parsed).toMatchObject({ owner_name: "Ravi  Kumar", axles: "3", data: " { " });
});

describe("a number", () => {
  test.each([
    ["", null],
    ["0", 0],
    ["12", 12],
    ["+12", 12],
    ["007", 7],
    ["1e3", 1000],
    ["9007199254740991", 9007199254740991],
  ])("may be typed as %o", (axles, number) => {
    expect(messages({ ...some, axles })).toEqual({});
    expect(numberOrNull(axles)).toBe(number);
  });

  test.each(["abc", "0x10", "Infinity", "NaN", "1e", ".5", "5.", "1,5", "1 000", "١٢", "--1", "true"])(
    "is refused as %o",
    (text) => {
      const refused = { capacity_tons: text, axles: text, no_of_tyres: text };
      expect(messages({ ...some, ...refused })).toEqual({
        capacity_tons: "Must be a number",
        axles: "Must be a number",
        no_of_tyres: "Must be a number",
      });
    },
  );

  test.each(["1e400", "-1e400", "9007199254740992", "1e16"])("is too large as %o", (axles) => {
    expect(messages({ ...some, axles })).toEqual({ axles: "Must be a number of a sensible size" });
  });

  test("of axles or tyres is not negative, and no other is refused for that", () => {
    expect(messages({ ...some, capacity_tons: "-1.50", axles: "-1", no_of_tyres: "-0.5" })).toEqual({
      axles: "Must not be negative",
      no_of_tyres: "Must not be negative",
    });
  });

  test("that the server has can be saved again as it is shown", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.double({ min: -1e15, max: 1e15, noNaN: true })),
        (number) => {
          const capacity_tons = String(number);
          expect(messages({ ...some, capacity_tons })).toEqual({});
          expect(numberOrNull(capacity_tons)).toBe(Number(capacity_tons));
        },
      ),
    );
  });
});
