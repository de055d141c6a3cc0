import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJson, parseJson, parseJsonObject } from "./jsonText";

test.each([
  ['{"a": 1}', { a: 1 }],
  ["[]", []],
  ['"text"', "text"],
  ["null", null],
  [' { "a" : "b: 12345678901234567890" } ', { a: "b: 12345678901234567890" }],
  ['{"\\"a\\":": 1, "b": {"a": [{"a": 2}, {"a": 3}]}}', { '"a":': 1, b: { a: [{ a: 2 }, { a: 3 }] } }],
  ["[9007199254740991, 1.50, 100, -0.0, 0.1, 5E-1, 1e+3]", [2 ** 53 - 1, 1.5, 100, -0, 0.1, 0.5, 1000]],
])("%s is JSON", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test.each(["", "  ", "{", "{a: 1}", "{'a': 1}", '{"a": 1,}', "NaN", "undefined", "01"])(
  "%o is not JSON",
  (text) => {
    expect(parseJson(text)).toBeUndefined();
  },
);

test.each([
  "9007199254740992",
  "-9007199254740993",
  '{"a": [12345678901234567890]}',
  "1e20", // would be sent as a whole number
  "1e21",
  "-1.5e300",
  "1e400",
  "-1e400",
  "1e-400",
  "0.12345678901234567890",
])("the number in %s cannot be represented", (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test.each(['{"a": 1, "a": 2}', '{"b": [{"a": 1, "\\u0061": 1}]}'])("%s has duplicate members", (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test("JSON is read back as it was written, in any layout", () => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  const values = [fc.string(), fc.boolean(), fc.constant(null), fc.maxSafeInteger(), number];
  fc.assert(
    fc.property(fc.object({ values }), fc.nat(4), (value, indentation) => {
      const text = JSON.stringify(value, null, indentation);
      expect(JSON.stringify(parseJson(text), null, indentation)).toBe(text);
    }),
  );
});

test("an integer is read exactly or rejected", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), (number) => {
      const isSafe = number >= Number.MIN_SAFE_INTEGER && number <= Number.MAX_SAFE_INTEGER;
      expect(parseJson(String(number))).toBe(isSafe ? Number(number) : undefined);
    }),
  );
});

test.each(["[]", "null", "1", '"text"', "{", ""])("%o is not a JSON object", (text) => {
  expect(parseJsonObject(text)).toBeUndefined();
});

test("a JSON object is parsed", () => {
  expect(parseJsonObject('{"a": {"b": [1, null]}}')).toEqual({ a: { b: [1, null] } });
});

test("JSON is indented by two spaces, and a missing value is empty", () => {
  expect(formatJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(formatJson({})).toBe("{}");
  expect(formatJson(null)).toBe("");
  expect(formatJson(undefined)).toBe("");
});
