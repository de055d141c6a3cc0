import { HttpResponse, http, type JsonBodyType } from "msw";
import type { AuditedChange } from "@/shared/history";
import { asha, rohan } from "@/testing/recordServer";
import { server } from "@/testing/server";

/** By default a change of EMP-001's city by Asha. */
export function change(position: number, differences: Partial<AuditedChange> = {}): AuditedChange {
  return {
    position,
    entity: "driver",
    id: "EMP-001",
    record_name: "Ravi Kumar",
    version: position,
    type: "driver.details_changed",
    moment: new Date(Date.UTC(2026, 10, 21, 4, 0, position)).toISOString(),
    actor: position % 2 === 0 ? rohan : asha,
    request_id: `request-${position}`,
    client_request_id: null,
    reason: null,
    changes: [{ field: "city", from: `City ${position - 1}`, to: `City ${position}` }],
    ...differences,
  };
}

/** The last change of a run: an import of 12 new drivers and 340 changed ones. */
export function importOf(position: number, differences: Partial<AuditedChange> = {}): AuditedChange {
  return change(position, {
    batch: "run-1",
    run: { changes: { "driver.registered": 12, "driver.details_changed": 340 }, is_whole: true },
    reason: "Import of drivers.csv",
    ...differences,
  });
}

/** A number of changes, oldest first. */
export function changes(count: number): AuditedChange[] {
  return Array.from({ length: count }, (_, index) => change(index + 1));
}

/** Mocks the audit trail's API: pages of `log`, newest first, unless `answer` returns a response; records queries. */
export function auditServer(log: AuditedChange[] = []) {
  const asked: URLSearchParams[] = [];
  let answer: (query: URLSearchParams) => Response | Promise<Response> | undefined = () => undefined;
  server.use(
    http.get("*/api/v1/audit/days", ({ request }) => HttpResponse.json(daysOf(log, new URL(request.url)))),
    http.get("*/api/v1/audit", async ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      return (await answer(query)) ?? HttpResponse.json(partOf(log, query) as unknown as JsonBodyType);
    }),
  );
  return {
    asked,
    /** The last request's parameters, without those of the format. */
    last: () => {
      const { limit: _, runs: __, ...query } = Object.fromEntries(asked.at(-1) ?? []);
      return query;
    },
    /** Something happens. */
    add: (...more: AuditedChange[]) => log.push(...more),
    answer: (otherwise: typeof answer) => {
      answer = otherwise;
    },
  };
}

/** How many changes of a kind of record days have, as UTC has them. */
function daysOf(log: readonly AuditedChange[], { searchParams: query }: URL) {
  const counts = new Map<string, number>();
  for (const { moment, entity } of log) {
    const day = moment.slice(0, 10);
    if (entity === (query.get("entity") ?? entity)) counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return { content: [...counts].map(([day, changes]) => ({ day, changes })), next: null };
}

function partOf(log: readonly AuditedChange[], query: URLSearchParams) {
  const before = Number(query.get("cursor") ?? Number.POSITIVE_INFINITY);
  const limit = Number(query.get("limit"));
  const found = log
    .filter(({ position, entity }) => position < before && entity === (query.get("entity") ?? entity))
    .reverse();
  const content = found.slice(0, limit);
  return { content, next: found.length > limit ? String(content.at(-1)?.position) : null };
}
