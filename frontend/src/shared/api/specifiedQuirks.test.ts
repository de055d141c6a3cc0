import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { server } from "@/testing/server";
import { ApiError, NetworkError } from "./client";
import { deleteTwice, postReturningErrors } from "./specifiedQuirks";

const path = "/api/v1/trailers";
const answerWith = (answer: () => Response) => server.use(http.post(`*${path}`, answer));

test("errors are returned instead of thrown, like a success, as specified", async () => {
  answerWith(() => HttpResponse.json({ title: "No" }, { status: 422 }));
  expect(await postReturningErrors(path, {})).toBeInstanceOf(ApiError);
  answerWith(() => HttpResponse.error());
  expect(await postReturningErrors(path, {})).toBeInstanceOf(NetworkError);
  answerWith(() => HttpResponse.json({ trailer_by_pk: { id: "TR-1" } }, { status: 201 }));
  expect(await postReturningErrors(path, {})).toMatchObject({ status: 201 });
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

test("a deletion is sent twice in a row, as specified, but not after a refusal", async () => {
  const seen = answerDeletions(204, 204);
  await deleteTwice(record);
  expect(seen).toEqual({ deletions: 2, overlapping: false });
  const refused = answerDeletions(503);
  await expect(deleteTwice(record)).rejects.toBeInstanceOf(ApiError);
  expect(refused.deletions).toBe(1);
});
