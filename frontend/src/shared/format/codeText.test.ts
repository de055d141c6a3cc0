import { expect, test } from "vitest";
import { codeText } from "./codeText";

test.each([
  ["SERVICE_POINT", "Service Point"],
  ["OWNED", "Owned"],
  ["In Use", "In Use"],
  ["KL07", "KL07"],
  ["", ""],
])("the code %o is shown as %o", (code, text) => {
  expect(codeText(code)).toBe(text);
});
