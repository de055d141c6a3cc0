import fc from "fast-check";
import { expect, test } from "vitest";
import { tokenExpiringIn } from "@/testing/session";
import { isTokenValid } from "./session";

test("a token is valid until its own expiry claim", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -100_000, max: 100_000 }).filter((seconds) => Math.abs(seconds) > 1),
      (seconds) => isTokenValid(tokenExpiringIn(seconds)) === seconds > 0,
    ),
  );
});

test("a token's expiry may be a fraction of a second", () => {
  const token = tokenExpiringIn(0, { exp: 1_900_000_000.5 });
  expect(isTokenValid(token, 1_900_000_000_499)).toBe(true);
  expect(isTokenValid(token, 1_900_000_000_500)).toBe(false);
});

test("claims in any script are read", () => {
  expect(isTokenValid(tokenExpiringIn(60, { picture: "ÿ>?~" }))).toBe(true);
});

test.each([
  null,
  "",
  "opaque",
  "a.b.c",
  "a..c",
  `a.${btoa("[]")}.c`,
  `a.${btoa('{"exp":"soon"}')}.c`,
  `a.${btoa('{"exp":1e999}')}.c`,
  `a.${btoa('{"exp":true}')}.c`,
])("%s is no valid token", (token) => {
  expect(isTokenValid(token)).toBe(false);
});
