import { expect, test } from "vitest";
import { formatDistance } from "./distance";

test.each([
  [0, "0.0 km"],
  [0.1 + 0.2, "0.3 km"],
  [1421, "1,421.0 km"],
])("%d km are written with one decimal", (kilometres, text) => {
  expect(formatDistance(kilometres)).toBe(text);
});
