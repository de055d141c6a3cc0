import { HttpResponse, http, type JsonBodyType } from "msw";
import { type AnsweredRow, batchesPath, type SentRow } from "@/shared/batch/sendRows";
import { rohan } from "@/testing/recordServer";
import { server } from "@/testing/server";

interface Sent {
  batch: string;
  source?: string;
  dry_run: boolean;
  rows: SentRow[];
}

type Values = Record<string, unknown>;

/** A record's values, version by version; undefined where the record was removed. */
type Versions = (Values | undefined)[];

/**
 * A mock batch endpoint for one kind of record: it stores saved rows, refuses rows without the required field, reports
 * a conflict for an outdated version, and answers a retry within a batch with its first answer.
 */
export function batchServer(
  path: string,
  before: Readonly<Record<string, Values>> = {},
  needed = { name: "ship_name", label: "Name" },
) {
  const all = new Map<string, Versions>(Object.entries(before).map(([id, values]) => [id, [values]]));
  const requests: (Sent & { reason: string })[] = [];
  const answered = new Map<string, AnsweredRow>();
  const failures: (() => Response)[] = [];
  const duplicates = new Map<string, AnsweredRow["duplicates"]>();
  const claimed = new Map<string, AnsweredRow["claimed"]>();

  const decide = (row: SentRow, { source = "", dry_run: isDry }: Sent): AnsweredRow => {
    const id = row.id ?? `${source.slice(0, 6)}-${row.key}`;
    const versions = all.get(id) ?? [];
    const { length: version } = versions;
    const former = versions.at(-1);
    const nothing = { fields: [], validation_errors: [], detail: null, changed_since: [], claimed: {} };
    const same = duplicates.get(id) ?? [];
    const answer = { key: row.key, id, ...nothing, duplicates: same, version: version + 1 };
    if (row.version != null && row.version !== version) {
      const since = { version, moment: "2026-11-21T09:30:00Z", actor: rohan, fields: [needed.name] };
      return { ...answer, outcome: "conflict", version, changed_since: [since] };
    }
    if (former === undefined && (row.do === "change" || row.do === "remove")) {
      return { ...answer, outcome: "refused", version: null, detail: "This record does not exist." };
    }
    const next = nextOf(row, versions);
    if (next !== undefined && !next[needed.name]) {
      const text = `${needed.label} is required`;
      const error = { field: needed.name, message: text, pointer: `#/${needed.name}` };
      return { ...answer, id: row.id ?? null, outcome: "refused", validation_errors: [error] };
    }
    const fields = Object.keys({ ...former, ...next }).filter(
      (name) => JSON.stringify(former?.[name]) !== JSON.stringify(next?.[name]),
    );
    if (former !== undefined && next !== undefined && fields.length === 0) {
      return { ...answer, outcome: "unchanged", version };
    }
    if (isDry) Object.assign(answer, { version, claimed: claimed.get(id) });
    else all.set(id, [...versions, next]);
    if (next === undefined) return { ...answer, outcome: "removed" };
    return { ...answer, outcome: former === undefined ? "new" : "changed", fields: fields as never[] };
  };

  server.use(
    http.get(`*${path}`, () =>
      HttpResponse.json({
        content: [...records()].map(([id, values]) => ({ id, ...values })) as JsonBodyType,
      }),
    ),
    http.post(`*${batchesPath(path)}`, async ({ request }) => {
      const sent = (await request.json()) as Sent;
      requests.push({ ...sent, reason: decodeURIComponent(request.headers.get("X-Change-Reason") ?? "") });
      const failure = failures.shift();
      const rows = sent.rows.map((row) => {
        if (sent.dry_run) return decide(row, sent);
        const key = `${sent.batch} ${row.key}`;
        const answer = answered.get(key) ?? decide(row, sent);
        answered.set(key, answer);
        return answer;
      });
      // An answer is lost only after its rows are stored.
      return failure?.() ?? HttpResponse.json({ rows } as unknown as JsonBodyType);
    }),
  );

  function records(): ReadonlyMap<string, Values> {
    return new Map(
      [...all].flatMap(([id, versions]) => {
        const now = versions.at(-1);
        return now ? [[id, now] as const] : [];
      }),
    );
  }

  return {
    get records() {
      return records();
    },
    requests,
    /** Change a record as Rohan. */
    change: (id: string, changed: Values) => {
      const versions = all.get(id) ?? [];
      all.set(id, [...versions, { ...versions.at(-1), ...changed }]);
    },
    /** The values that a record shares with others. */
    duplicates,
    /** The marks of a record's unique values, of a dry run. */
    claimed,
    /** Process the next requests, but answer with these responses. */
    loseAnswers: (...answers: (() => Response)[]) => failures.push(...answers),
  };
}

function nextOf(row: SentRow, versions: Versions): Values | undefined {
  if (row.do === "remove") return undefined;
  if (row.do === "undo") return versions[versions.length - 2];
  const next: Values = { ...versions.at(-1) };
  for (const [name, value] of Object.entries(row.values ?? {})) {
    if (value === null) delete next[name];
    else next[name] = value;
  }
  return next;
}
