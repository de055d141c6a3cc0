import { HttpResponse, http, type JsonBodyType } from "msw";
import { type AnsweredRow, batchesPath, type SentRow } from "@/shared/batch/sendRows";
import { server } from "@/testing/server";

interface Sent {
  batch: string;
  source: string;
  dry_run: boolean;
  rows: SentRow[];
}

type Values = Record<string, unknown>;

/**
 * The server of a kind of record as batches see it: it keeps what is saved, refuses what has no name, and answers
 * what comes again within a batch as it did at first.
 */
export function batchServer(path: string, before: Readonly<Record<string, Values>> = {}) {
  const records = new Map<string, Values>(Object.entries(before));
  const requests: Sent[] = [];
  const told = new Map<string, AnsweredRow>();
  const failures: (() => Response)[] = [];

  const decide = (row: SentRow, { source }: Sent, isDry: boolean): AnsweredRow => {
    const id = row.id ?? `${source.slice(0, 6)}-${row.key}`;
    const former = records.get(id);
    const next: Values = { ...former };
    for (const [name, value] of Object.entries(row.values ?? {})) {
      if (value === null) delete next[name];
      else next[name] = value;
    }
    const answer = { key: row.key, id, fields: [] };
    if (!next.ship_name) {
      const error = { field: "ship_name", message: "Name is required", pointer: "#/ship_name" };
      return { ...answer, id: row.id, outcome: "refused", validation_errors: [error] };
    }
    const fields = Object.keys({ ...former, ...next }).filter(
      (name) => JSON.stringify(former?.[name]) !== JSON.stringify(next[name]),
    );
    if (!isDry) records.set(id, next);
    if (former === undefined) return { ...answer, outcome: "new", fields };
    return { ...answer, outcome: fields.length > 0 ? "changed" : "unchanged", fields };
  };

  server.use(
    http.get(`*${path}`, () =>
      HttpResponse.json({ content: [...records].map(([id, values]) => ({ id, ...values })) as JsonBodyType }),
    ),
    http.post(`*${batchesPath(path)}`, async ({ request }) => {
      const sent = (await request.json()) as Sent;
      requests.push(sent);
      const failure = failures.shift();
      const rows = sent.rows.map((row) => {
        if (sent.dry_run) return decide(row, sent, true);
        const key = `${sent.batch} ${row.key}`;
        const answer = told.get(key) ?? decide(row, sent, false);
        told.set(key, answer);
        return answer;
      });
      // A lost answer is lost after what it tells of.
      return failure?.() ?? HttpResponse.json({ rows } as unknown as JsonBodyType);
    }),
  );

  return {
    records,
    requests,
    /** The next requests are answered so, though what they ask for is done. */
    loseAnswers: (...answers: (() => Response)[]) => failures.push(...answers),
  };
}
