import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJson, parseJsonObject } from "./jsonObject";

describe("the text of a JSON object", () => {
  test.each([
    ["{}", {}],
    ['  {"a": {"b": [1, null, "x"]}}\n', { a: { b: [1, null, "x"] } }],
    ['{"tons": 1.50, "more": -15e-1, "e": 2E+3}', { tons: 1.5, more: -1.5, e: 2000 }],
    ['{"n": 9007199254740991, "small": 5e-324, "big": 1e300, "none": 0.000}', undefined],
    ['{"plate": "9007199254740993", "said": "\\"1e400\\" \\\\"}', undefined],
  ])("%s is read as it is", (text, expected = JSON.parse(text)) => {
    expect(parseJsonObject(text)).toEqual(expected);
  });

  test.each(["", "{", "{'a': 1}", '{"a": 1,}', '{"a": NaN}', "[]", "null", "1", '"text"'])(
    "%o is none",
    (text) => {
      expect(parseJsonObject(text)).toBeUndefined();
    },
  );

  test.each([
    "9007199254740993", // becomes …992
    "-9007199254740992", // stays, and the server refuses it
    "100000000000000000000",
    "1e20", // sent as a whole number
    "1e400",
    "-1e400",
    "1e-400",
    "0.1234567890123456789",
  ])("with the number %s, which would not arrive as it is, counts as none", (number) => {
    expect(parseJsonObject(`{"a": [{"b": ${number}}]}`)).toBeUndefined();
  });
});

test("what is read comes out equal however it is laid out, whatever it is", () => {
  const honest = (_: string, value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? 0 : value;
  const anyObject = fc
    .dictionary(fc.string(), fc.jsonValue())
    .map((value) => JSON.parse(JSON.stringify(value, honest)));
  fc.assert(
    fc.property(anyObject, fc.nat(4), (value, indent) => {
      expect(JSON.stringify(parseJsonObject(JSON.stringify(value, null, indent)))).toBe(
        JSON.stringify(value),
      );
      expect(JSON.stringify(parseJsonObject(formatJson(value)))).toBe(JSON.stringify(value));
    }),
  );
});

test("a whole number is read exactly or not at all", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), (number) => {
      const read = parseJsonObject(`{"n": ${number}}`)?.n;
      const isSafe = number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER;
      expect(read).toBe(isSafe ? Number(number) + 0 : undefined);
    }),
  );
});

test("no value is shown as empty text", () => {
  expect(formatJson(null)).toBe("");
  expect(formatJson(undefined)).toBe("");
  expect(formatJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
});
