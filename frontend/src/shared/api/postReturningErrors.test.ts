import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { server } from "@/testing/server";
import { ApiError, NetworkError } from "./client";
import { postReturningErrors } from "./postReturningErrors";

const path = "/api/v1/trailers";
const answerWith = (answer: () => Response) => server.use(http.post(`*${path}`, answer));

test("a validation error is returned instead of thrown, as specified", async () => {
  const error = { field: "identifier", message: "Identifier is required", pointer: "#/identifier" };
  answerWith(() => HttpResponse.json({ title: "No", validation_errors: [error] }, { status: 422 }));
  const outcome = await postReturningErrors(path, {});
  expect(outcome).toBeInstanceOf(ApiError);
  expect(outcome).toMatchObject({ status: 422, validationErrors: [error] });
});

test("a network error is returned instead of thrown", async () => {
  answerWith(() => HttpResponse.error());
  expect(await postReturningErrors(path, {})).toBeInstanceOf(NetworkError);
});

test("a success is returned", async () => {
  answerWith(() => HttpResponse.json({ trailer_by_pk: { id: "TR-1" } }, { status: 201 }));
  expect(await postReturningErrors(path, {})).toMatchObject({
    status: 201,
    data: { trailer_by_pk: { id: "TR-1" } },
  });
});
