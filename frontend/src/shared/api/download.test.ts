import { HttpResponse, http } from "msw";
import { expect, test, vi } from "vitest";
import { server } from "@/testing/server";
import { signIn } from "@/testing/session";
import { ApiError, apiClient, NetworkError } from "./client";

const PATH = "/api/v1/audit?format=csv";

test("a file is downloaded completely, with the server's file name and the bearer token", async () => {
  const token = signIn();
  let seen: Request | undefined;
  server.use(
    http.get("*/api/v1/audit", ({ request }) => {
      seen = request;
      return new HttpResponse("a,b\r\n", {
        headers: { "Content-Type": "text/csv", "Content-Disposition": 'attachment; filename="x.csv"' },
      });
    }),
  );
  const { content, name } = await apiClient.download(PATH);
  expect(name).toBe("x.csv");
  expect(content.type).toBe("text/csv");
  expect(content.size).toBe("a,b\r\n".length);
  expect(seen?.headers.get("authorization")).toBe(`Bearer ${token}`);
  expect(seen?.headers.get("accept")).toBe("*/*");
});

test("the progress of a download is reported", async () => {
  signIn();
  const { readable, writable } = new TransformStream<Uint8Array>();
  const sending = writable.getWriter();
  server.use(
    http.get("*/api/v1/audit", () => new HttpResponse(readable, { headers: { "Content-Type": "text/csv" } })),
  );
  const reported: number[] = [];
  const file = apiClient.download(PATH, { onProgress: (bytes) => reported.push(bytes) });
  void sending.write(new Uint8Array(5));
  await vi.waitFor(() => expect(reported).toEqual([5]));
  void sending.write(new Uint8Array(7));
  void sending.close();
  expect((await file).content).toMatchObject({ size: 12, type: "text/csv" });
  expect(reported.at(-1)).toBe(12);
});

test("a refusal is an API error, and a broken transfer a network error", async () => {
  server.use(http.get("*/api/v1/audit", () => HttpResponse.json({ title: "No" }, { status: 422 })));
  await expect(apiClient.download(PATH)).rejects.toBeInstanceOf(ApiError);
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError("broken")) });
  server.use(http.get("*/api/v1/audit", () => new HttpResponse(broken)));
  await expect(apiClient.download(PATH)).rejects.toBeInstanceOf(NetworkError);
});
