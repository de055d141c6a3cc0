import { expect, test } from "vitest";
import { emptyHorse, type Horse, horseApi, horseSchema, wireHorse } from "./testing/horses";

const complete = horseApi.toValues(wireHorse());

function messages(values: Horse): Record<string, string> {
  const issues = horseSchema.safeParse(values).error?.issues ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]));
}

test("three fields are required, with the specification's own messages, and all others optional", () => {
  const required = {
    identifier: "Identifier is required",
    chassis_number: "Chassis number is required",
    engine_number: "Engine number is required",
  };
  expect(messages(emptyHorse)).toEqual(required);
  const blank = { identifier: " ", chassis_number: " ", engine_number: " ", metadata: " " };
  expect(messages({ ...emptyHorse, ...blank })).toEqual(required);
});

test.each(["{}", '{"a": 1}', " {} ", "[1]", "null"])("%s is JSON", (metadata) => {
  expect(messages({ ...complete, metadata })).toEqual({});
});

test.each(["{", "make: Tata", "{'a': 1}", '{"a": 1e400}', '{"a": 9007199254740993}', '{"a": 1, "a": 2}'])(
  "%s is no JSON, or none that would arrive as it is",
  (metadata) => {
    expect(messages({ ...complete, metadata })).toEqual({
      metadata: "Please provide valid JSON in the Metadata field.",
    });
  },
);
