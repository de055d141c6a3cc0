import { expect, test } from "vitest";
import { ApiError, NetworkError } from "./errors";
import { queryDefaults } from "./queryDefaults";

const { shouldRetryOnError, compare } = queryDefaults;

const answer = (etag: string | undefined, stale = false) => ({ data: {}, status: 200, etag, stale });

test.each([
  ["no answer", new NetworkError(), true],
  ["an unavailable server", new ApiError(503, {}, []), true],
  ["too many requests", new ApiError(429, {}, []), true],
  ["a missing record", new ApiError(404, {}, []), false],
  ["a record missing from a stale answer", new ApiError(404, {}, [], true), true],
  ["an unauthorised user", new ApiError(401, {}, []), false],
  ["a programming error", new TypeError(), false],
])("%s: whether the query is retried", (_, error, isRetried) => {
  expect(typeof shouldRetryOnError === "function" && shouldRetryOnError(error)).toBe(isRetried);
});

test.each([
  ["the same version", answer('"1"'), answer('"1"'), true],
  ["another version", answer('"1"'), answer('"2"'), false],
  ["a version that is no longer stale", answer('"1"', true), answer('"1"'), false],
  ["answers without a version", answer(undefined), answer(undefined), false],
  ["a first answer", undefined, answer('"1"'), false],
])("%s: whether the screen is not rendered again", (_, before, after, isSame) => {
  expect(compare?.(before, after)).toBe(isSame);
});
