import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { ApiError, apiClient, NetworkError } from "./client";

const PATH = "/api/v1/audit?format=csv";

test("a file is downloaded with the bearer token, the server's file name and its progress", async () => {
  const token = signIn();
  const { readable, writable } = new TransformStream<Uint8Array>();
  const sending = writable.getWriter();
  let seen: Request | undefined;
  server.use(
    http.get("*/api/v1/audit", ({ request }) => {
      seen = request;
      return new HttpResponse(readable, {
        headers: { "Content-Type": "text/csv", "Content-Disposition": 'attachment; filename="x.csv"' },
      });
    }),
  );
  const reported: number[] = [];
  const file = apiClient.download(PATH, { onProgress: (bytes) => reported.push(bytes) });
  void sending.write(new Uint8Array(5));
  await vi.waitFor(() => expect(reported).toEqual([5]));
  void sending.write(new Uint8Array(7));
  void sending.close();
  expect(await file).toMatchObject({ name: "x.csv", content: { size: 12, type: "text/csv" } });
  expect(reported.at(-1)).toBe(12);
  expect(seen?.headers.get("authorization")).toBe(`Bearer ${token}`);
  expect(seen?.headers.get("accept")).toBe("*/*");
});

test("a refusal is an API error, and a broken transfer a network error", async () => {
  server.use(http.get("*/api/v1/audit", () => HttpResponse.json({ title: "No" }, { status: 422 })));
  await expect(apiClient.download(PATH)).rejects.toBeInstanceOf(ApiError);
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError("broken")) });
  server.use(http.get("*/api/v1/audit", () => new HttpResponse(broken)));
  await expect(apiClient.download(PATH)).rejects.toBeInstanceOf(NetworkError);
});
