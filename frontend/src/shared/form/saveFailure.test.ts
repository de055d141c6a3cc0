import { expect, test } from "vitest";
import { ApiError, NetworkError } from "@/shared/api/client";
import { saveFailure } from "./useSubmit";

const refusal = (field: string, message: string) => ({ field, message, pointer: `#/${field}` });

test("validation errors are shown in toasts and at their fields", () => {
  const error = new ApiError(422, {}, [refusal("city", "City is required"), refusal("name", "")]);
  expect(saveFailure(error)).toEqual({
    messages: ["City is required", "An error occurred. Please try again."],
    fieldErrors: [
      { field: "city", message: "City is required" },
      { field: "name", message: "An error occurred. Please try again." },
    ],
  });
});

test("a duplicate names the record that has the value", () => {
  const duplicate = new ApiError(409, { record: "EMP-1" }, [
    refusal("passport_number", "Another driver has this passport number"),
  ]);
  expect(saveFailure(duplicate).record).toBe("EMP-1");
});

test.each([
  ["an error without validation errors", new ApiError(500, {}, [])],
  ["no answer", new NetworkError()],
])("%s is a failed request", (_, error) => {
  expect(saveFailure(error)).toEqual({
    messages: ["Somthing went wrong. Please try again."],
    fieldErrors: [],
  });
});

test("any other error is unexpected", () => {
  expect(saveFailure(new TypeError("defect")).messages).toEqual(["An unexpected error occured."]);
});

test.each(["restricted", "rule-broken"])("an error of type %s has the server's message", (type) => {
  const problem = { type: `urn:fleetlog:problem:${type}`, detail: "A trailer on a trip cannot be changed." };
  expect(saveFailure(new ApiError(409, problem, []), "Please try again.").messages).toEqual([problem.detail]);
});
