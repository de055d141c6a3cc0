import { HttpResponse, http, type JsonBodyType } from "msw";
import { server } from "@/testing/server";
import type { WireDriver } from "../mapper";

interface SeenRequest {
  method: string;
  path: string;
  body: unknown;
  headers: Headers;
}

/**
 * The driver API as the specification has it, with a memory, at the network's edge. Returns what it was
 * asked and a way to let requests of one method fail or wait.
 */
export function driverApi(drivers: readonly WireDriver[] = []) {
  const stored = new Map(drivers.map((driver) => [driver.id, driver]));
  const requests: SeenRequest[] = [];
  const answers = new Map<string, () => Response | Promise<Response>>();

  const handle =
    (answer: (id: string, body: unknown) => Response) =>
    async ({ request, params }: { request: Request; params: Record<string, unknown> }) => {
      const { method, headers } = request;
      const text = await request.text();
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      requests.push({ method, path: new URL(request.url).pathname, body, headers });
      return (await answers.get(method)?.()) ?? answer(String(params.id), body);
    };

  const save = (body: unknown, status: number) => {
    const driver = body as WireDriver;
    stored.set(driver.id, driver);
    return HttpResponse.json({ driver_by_pk: driver }, { status, headers: { ETag: '"1"' } });
  };

  server.use(
    http.get(
      "*/api/v1/drivers",
      handle(() => HttpResponse.json({ content: [...stored.values()] })),
    ),
    http.get(
      "*/api/v1/drivers/:id",
      handle((id) => {
        const driver = stored.get(id);
        return driver ? HttpResponse.json({ driver_by_pk: driver }) : problem(404);
      }),
    ),
    http.post(
      "*/api/v1/drivers",
      handle((_, body) => save(body, 201)),
    ),
    http.put(
      "*/api/v1/drivers/:id",
      handle((_, body) => save(body, 200)),
    ),
    http.delete(
      "*/api/v1/drivers/:id",
      handle((id) => {
        stored.delete(id);
        return new HttpResponse(null, { status: 204 });
      }),
    ),
  );

  return {
    stored,
    requests,
    sent: (method: string) => requests.filter((request) => request.method === method),
    /** From now on, requests of this method are answered so. */
    answer: (method: string, answer: () => Response | Promise<Response>) => answers.set(method, answer),
    /** From now on, requests of this method are answered as usual again. */
    recover: (method: string) => answers.delete(method),
  };
}

/** An answer that says no. */
export function problem(status: number, extensions: Record<string, JsonBodyType> = {}): Response {
  return HttpResponse.json({ title: "No", status, ...extensions }, { status });
}
