import fc from "fast-check";
import { expect, test } from "vitest";
import { textAt, valueAt } from "./valueAt";

const name = fc.string().filter((text) => !text.includes(".") && text !== "__proto__");

test("a dotted path leads through as many levels as it has names", () => {
  const nested = fc.tuple(fc.array(name, { minLength: 1, maxLength: 5 }), fc.jsonValue());
  fc.assert(
    fc.property(nested, ([names, value]) => {
      const record = names.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      expect(valueAt(record, names.join("."))).toEqual(value);
      expect(valueAt(record, [...names, "further", "on"].join("."))).toBeUndefined();
    }),
  );
});

test.each([[null], [undefined], ["text"], [7], [{}], [{ a: null }]])("in %o, a.b leads nowhere", (record) => {
  expect(valueAt(record, "a.b")).toBeUndefined();
  expect(textAt(record, "a.b")).toBe("");
});

test.each(["constructor", "toString.length", "__proto__"])("%s is nothing of the record's own", (path) => {
  expect(valueAt({ tripName: "x" }, path)).toBeUndefined();
});

test("a value is searched as text, and 0 and false are values", () => {
  expect(textAt({ a: { b: 0 } }, "a.b")).toBe("0");
  expect(textAt({ a: false }, "a")).toBe("false");
  expect(textAt({ a: null }, "a")).toBe("");
});
