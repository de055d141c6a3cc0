import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { server } from "@/testing/server";
import { ApiError, NetworkError } from "./client";
import { deleteTwice, postReturningErrors } from "./specifiedQuirks";

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

const record = "/api/v1/drivers/EMP-001";

function answerDeletions(...statuses: number[]) {
  const seen = { deletions: 0, overlapping: false };
  let open = 0;
  server.use(
    http.delete(`*${record}`, async () => {
      open += 1;
      seen.overlapping ||= open > 1;
      const status = statuses[seen.deletions];
      seen.deletions += 1;
      await Promise.resolve();
      open -= 1;
      return new HttpResponse(null, { status: status ?? 500 });
    }),
  );
  return seen;
}

test("a deletion is sent twice in a row, as specified", async () => {
  const seen = answerDeletions(204, 204);
  await deleteTwice(record);
  expect(seen).toEqual({ deletions: 2, overlapping: false });
});

test("a refused deletion is not repeated", async () => {
  const seen = answerDeletions(503);
  await expect(deleteTwice(record)).rejects.toBeInstanceOf(ApiError);
  expect(seen.deletions).toBe(1);
});
