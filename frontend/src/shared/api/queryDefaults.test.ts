import { expect, test } from "vitest";
import { ApiError, NetworkError } from "./errors";
import { queryDefaults } from "./queryDefaults";

const { shouldRetryOnError, compare } = queryDefaults;

const answer = (etag: string | undefined, stale = false) => ({ data: {}, status: 200, etag, stale });

test.each([
  ["no answer at all", new NetworkError(), true],
  ["a server out of order", new ApiError(503, {}, []), true],
  ["too much under way", new ApiError(429, {}, []), true],
  ["a record that is not there", new ApiError(404, {}, []), false],
  ["a record that is not there yet", new ApiError(404, {}, [], true), true],
  ["a user who may not", new ApiError(401, {}, []), false],
  ["a programming error", new TypeError(), false],
])("%s: whether it is asked again soon", (_, error, isRetried) => {
  expect(typeof shouldRetryOnError === "function" && shouldRetryOnError(error)).toBe(isRetried);
});

test.each([
  ["the same version", answer('"1"'), answer('"1"'), true],
  ["another version", answer('"1"'), answer('"2"'), false],
  ["a version that has caught up", answer('"1"', true), answer('"1"'), false],
  ["answers without a version", answer(undefined), answer(undefined), false],
  ["a first answer", undefined, answer('"1"'), false],
])("%s: whether the screen is left alone", (_, before, after, isSame) => {
  expect(compare?.(before, after)).toBe(isSame);
});
