import { expect, test } from "vitest";
import { ApiError, NetworkError } from "@/shared/api/client";
import { saveFailure } from "./saveFailure";

const refusal = (field: string, message: string) => ({ field, message, pointer: `#/${field}` });

test("a refusal with reasons says each of them, and beside which field", () => {
  const error = new ApiError(422, {}, [refusal("city", "City is required"), refusal("name", "")]);
  expect(saveFailure(error)).toEqual({
    messages: ["City is required", "An error occurred. Please try again."],
    fieldErrors: [
      { field: "city", message: "City is required" },
      { field: "name", message: "An error occurred. Please try again." },
    ],
  });
});

test.each([
  ["a refusal without reasons", new ApiError(500, {}, [])],
  ["no answer at all", new NetworkError()],
])("%s is a failed request", (_, error) => {
  expect(saveFailure(error)).toEqual({
    messages: ["Somthing went wrong. Please try again."],
    fieldErrors: [],
  });
});

test("anything else was not expected", () => {
  expect(saveFailure(new TypeError("defect")).messages).toEqual(["An unexpected error occured."]);
});

test.each(["restricted", "rule-broken"])("a refusal of type %s says the server's reason", (type) => {
  const problem = { type: `urn:fleetlog:problem:${type}`, detail: "A trailer on a trip cannot be changed." };
  expect(saveFailure(new ApiError(409, problem, []), "Please try again.").messages).toEqual([problem.detail]);
});
