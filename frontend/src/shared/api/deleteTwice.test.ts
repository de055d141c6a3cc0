import { HttpResponse, http } from "msw";
import { expect, test } from "vitest";
import { server } from "@/testing/server";
import { ApiError } from "./client";
import { deleteTwice } from "./deleteTwice";

const path = "/api/v1/drivers/EMP-001";

function answerDeletions(...statuses: number[]) {
  const seen = { deletions: 0, overlapping: false };
  let open = 0;
  server.use(
    http.delete(`*${path}`, async () => {
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
  await deleteTwice(path);
  expect(seen).toEqual({ deletions: 2, overlapping: false });
});

test("a refused deletion is not repeated", async () => {
  const seen = answerDeletions(503);
  await expect(deleteTwice(path)).rejects.toBeInstanceOf(ApiError);
  expect(seen.deletions).toBe(1);
});
