import { HttpResponse, http, type JsonBodyType } from "msw";
import type { Change } from "@/shared/history";
import { asha, etagOf, problem, rohan } from "./recordServer";
import { server } from "./server";

interface Version<Wire> {
  change: Change;
  /** The record at this version; null if removed. */
  wire: Wire | null;
}

/** A change in the API's format, with differences. */
export function wireChange(version: number, differences: Partial<Change> = {}): Change {
  return {
    position: 100 + version,
    version,
    etag: etagOf(version),
    type: "driver.details_changed",
    moment: `2026-11-20T0${version}:00:00.000000Z`,
    actor: version % 2 === 0 ? asha : rohan,
    request_id: `request-${version}`,
    client_request_id: null,
    reason: null,
    changes: [],
    ...differences,
  };
}

/** A mock of the API's history of a single record. */
export function historyServer<Wire extends { id: string }>(
  path: string,
  wrapper: string,
  versions: readonly Version<Wire>[],
) {
  const asked: string[] = [];
  const restored: { body: unknown; headers: Headers }[] = [];
  const at = (version: number) => versions.find(({ change }) => change.version === version);
  const wireAt = (version: number) => at(version)?.wire as Record<string, unknown> | null | undefined;
  const single = (version: Version<Wire> | undefined) =>
    version?.wire
      ? HttpResponse.json({ [wrapper]: version.wire } as JsonBodyType, {
          headers: { ETag: version.change.etag },
        })
      : problem(404);

  server.use(
    http.get(`*${path}/:id`, ({ request }) => {
      const params = new URL(request.url).searchParams;
      asked.push(new URL(request.url).search);
      const asOf = params.get("as_of");
      if (params.has("version")) return single(at(Number(params.get("version"))));
      return single(versions.findLast(({ change }) => asOf === null || change.moment <= asOf));
    }),
    http.get(`*${path}/:id/history`, ({ request }) => {
      const params = new URL(request.url).searchParams;
      if (versions.length === 0) return problem(404);
      const changes = versions.map(({ change }) => change);
      const after = changes.filter(({ version }) => version > Number(params.get("cursor") ?? 0));
      const content = params.get("order") === "desc" ? changes.toReversed() : after;
      return HttpResponse.json({
        content: content.slice(0, Number(params.get("limit"))) as unknown as JsonBodyType,
        next: null,
      });
    }),
    http.get(`*${path}/:id/diff`, ({ request }) => {
      const params = new URL(request.url).searchParams;
      const from = wireAt(Number(params.get("from"))) ?? {};
      const to = wireAt(Number(params.get("to"))) ?? {};
      const changes = Object.keys({ ...from, ...to })
        .filter((field) => field !== "id" && from[field] !== to[field])
        .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
      return HttpResponse.json({ changes } as JsonBodyType);
    }),
    http.get(`*${path}/:id/blame`, () => {
      const fields = Object.keys(versions[0]?.wire ?? {}).map((field) => {
        const last = versions.findLast(({ change }) => change.changes.some((one) => one.field === field));
        const { version, moment, actor } = (last ?? versions[0])?.change ?? wireChange(1);
        return { field, value: null, version, moment, actor };
      });
      return HttpResponse.json({ version: versions.length, fields } as unknown as JsonBodyType);
    }),
    http.post(`*${path}/:id/restore`, async ({ request }) => {
      restored.push({ body: await request.json(), headers: request.headers });
      const first = versions[0]?.wire;
      return HttpResponse.json({ [wrapper]: first } as JsonBodyType, {
        headers: { ETag: etagOf(versions.length + 1) },
      });
    }),
  );
  return { asked, restored };
}
