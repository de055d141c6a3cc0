import { HttpResponse, http } from "msw";
import { describe, expect, test, vi } from "vitest";
import { registerTokenRenewal } from "@/shared/auth/session";
import { server } from "@/testing/server";
import { signIn, tokenExpiringIn } from "@/testing/session";
import { ApiError, apiClient, NetworkError } from "./client";

const drivers = "/api/v1/drivers";
const at = (path: string) => `${window.location.origin}${path}`;

describe("a request", () => {
  test("carries the bearer token, JSON and the caller's preconditions", async () => {
    const token = signIn();
    let seen: Request | undefined;
    server.use(
      http.put(at(`${drivers}/E1`), ({ request }) => {
        seen = request;
        // A proxy has weakened the ETag.
        const headers = { ETag: 'W/"4-5f0c"', "Fleetlog-Consistency": "stale" };
        return HttpResponse.json({ driver_by_pk: { id: "E1" } }, { headers });
      }),
    );
    const answer = await apiClient.put(
      `${drivers}/E1`,
      { id: "E1" },
      { ifMatch: '"3"', idempotencyKey: "k" },
    );
    expect(answer).toMatchObject({ status: 200, etag: '"4-5f0c"', stale: true });
    expect(answer.data).toEqual({ driver_by_pk: { id: "E1" } });
    expect(seen?.headers.get("authorization")).toBe(`Bearer ${token}`);
    expect(seen?.headers.get("content-type")).toBe("application/json");
    expect(seen?.headers.get("if-match")).toBe('"3"');
    expect(seen?.headers.get("idempotency-key")).toBe("k");
  });

  test("includes cookies, also for an API on another origin, but signed out no Authorization header", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("{}"));
    await apiClient.get(drivers);
    const [, init] = fetched.mock.calls[0] ?? [];
    expect(init?.credentials).toBe("include");
    expect(new Headers(init?.headers).has("Authorization")).toBe(false);
  });

  test("returns undefined data for an empty body", async () => {
    server.use(http.delete(at(`${drivers}/E1`), () => new HttpResponse(null, { status: 204 })));
    expect(await apiClient.delete(`${drivers}/E1`)).toMatchObject({ status: 204, data: undefined });
  });
});

describe("a failed request", () => {
  test("throws the problem with its validation errors", async () => {
    const error = { field: "city", message: "City is required", pointer: "#/city" };
    server.use(
      http.post(at(drivers), () =>
        HttpResponse.json({ title: "Invalid", status: 422, validation_errors: [error] }, { status: 422 }),
      ),
    );
    const thrown = await apiClient.post(drivers, {}).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ status: 422, message: "Invalid", validationErrors: [error] });
  });

  test.each([
    ["HTML from a proxy", "<h1>Bad gateway</h1>"],
    ["a JSON array", "[1]"],
    ["a list that is none", '{"validation_errors": "oops"}'],
    ["nothing", ""],
  ])("is still an API error when the body is %s", async (_, body) => {
    server.use(http.get(at(drivers), () => new HttpResponse(body, { status: 502 })));
    const thrown = await apiClient.get(drivers).catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ status: 502, validationErrors: [] });
  });

  test.each([
    ["there is no answer", () => HttpResponse.error()],
    ["the answer breaks off", () => new HttpResponse('{"content": [')],
  ])("is a network error when %s", async (_, answer) => {
    server.use(http.get(at(drivers), answer));
    await expect(apiClient.get(drivers)).rejects.toBeInstanceOf(NetworkError);
  });

  test("with a known ETag returns the known answer on 304, and never uses the browser's cache", async () => {
    const record = { driver_by_pk: { id: "E1" } };
    const headers = { ETag: '"4"' };
    const asked: (string | null)[] = [];
    server.use(
      http.get(at(`${drivers}/E1`), ({ request }) => {
        asked.push(request.headers.get("if-none-match"));
        if (asked.length === 1) return HttpResponse.json(record, { headers });
        const stale = { ...headers, "Fleetlog-Consistency": "stale" };
        return new HttpResponse(null, { status: 304, headers: asked.length === 3 ? stale : headers });
      }),
    );
    const fetched = vi.spyOn(globalThis, "fetch");
    const first = await apiClient.get(`${drivers}/E1`);
    expect(await apiClient.get(`${drivers}/E1`, { known: first })).toBe(first);
    const stale = await apiClient.get(`${drivers}/E1`, { known: first });
    expect(stale).toEqual({ ...first, stale: true });
    expect(asked).toEqual([null, '"4"', '"4"']);
    for (const [, init] of fetched.mock.calls) expect(init?.cache).toBe("no-store");
  });

  test("stays an abort when the caller aborted it", async () => {
    server.use(http.get(at(drivers), () => HttpResponse.json({ content: [] })));
    const aborted = apiClient.get(drivers, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("an access token", () => {
  const countingServer = (accepted: string) => {
    const seen: (string | null)[] = [];
    server.use(
      http.get(at(drivers), ({ request }) => {
        const authorization = request.headers.get("authorization");
        seen.push(authorization);
        return authorization === `Bearer ${accepted}`
          ? HttpResponse.json({ content: [] })
          : HttpResponse.json({ title: "Unauthorized" }, { status: 401 });
      }),
    );
    return seen;
  };

  test("that the server refuses is renewed once and the request is retried", async () => {
    const old = signIn(tokenExpiringIn(600));
    const fresh = tokenExpiringIn(3600);
    const seen = countingServer(fresh);
    const unregister = registerTokenRenewal(() => Promise.resolve(fresh));
    expect((await apiClient.get(drivers)).status).toBe(200);
    expect(seen).toEqual([`Bearer ${old}`, `Bearer ${fresh}`]);
    unregister();
  });

  test("that cannot be renewed leaves the 401 to the caller", async () => {
    signIn();
    const seen = countingServer("another");
    const unregister = registerTokenRenewal(() => Promise.resolve(null));
    await expect(apiClient.get(drivers)).rejects.toMatchObject({ status: 401 });
    expect(seen).toHaveLength(1);
    unregister();
  });

  test("that has expired is renewed before anything is sent, once for all waiting requests", async () => {
    signIn(tokenExpiringIn(-1));
    const fresh = tokenExpiringIn(3600);
    const seen = countingServer(fresh);
    let renewals = 0;
    const unregister = registerTokenRenewal(() => {
      renewals += 1;
      return Promise.resolve(fresh);
    });
    await Promise.all([apiClient.get(drivers), apiClient.get(drivers)]);
    expect(seen).toEqual([`Bearer ${fresh}`, `Bearer ${fresh}`]);
    expect(renewals).toBe(1);
    unregister();
  });
});
