import { expect } from "vitest";
import { apiClient } from "@/shared/api/client";
import { wireName } from "@/shared/form";
import { recordRows } from "@/shared/import/execution";
import { type Problem, readRow } from "@/shared/import/readRow";
import type { ListedRow, Results } from "@/shared/import/results";
import { ImportSession } from "@/shared/import/session";
import type { RecordDefinition } from "@/shared/records";

type Wire = Readonly<Record<string, unknown>>;

/** A finished import. */
export interface Import {
  batch: string;
  /** The number of retries after a lost answer. */
  waits: number;
  counts: Results["counts"];
  rows: readonly ListedRow[];
  /** The values sent for each row, by its number. */
  values: ReadonlyMap<number, Wire>;
}

interface Options {
  clearsFields?: boolean;
  /** Stop once during a retry, and continue. */
  isStopped?: boolean;
}

/** Import a file after a dry run with the same result. Returns the reason if that is impossible. */
export async function imported(
  definition: RecordDefinition,
  file: File,
  { clearsFields = false, isStopped = false }: Options = {},
): Promise<Import | string> {
  const session = new ImportSession(definition);
  const state = () => session.store.getState();
  let waits = 0;
  let stops = isStopped;
  session.store.subscribe(({ step, waiting }, before) => {
    if (waiting === undefined || before.waiting !== undefined) return;
    waits += 1;
    if (!stops || step !== "importing") return;
    stops = false;
    session.stop();
  });
  await session.choose(file);
  const { problem } = state();
  if (problem !== undefined) return problem;
  if (state().columns.every((name) => name === null)) return "no column is known";
  session.set({ reading: { ...state().reading, clearsFields } });
  // In random files a row can give a record the identifying fields of a later row: matches would depend on the order.
  session.set({ addsMatches: true });
  await session.check();
  const { step, results: dry } = state();
  expect([step, state().problem]).toEqual(["checked", undefined]);
  await session.execute();
  if (stops !== isStopped) await session.execute();
  const { results, sheet: opened, batch = "" } = state();
  expect(state().problem).toBeUndefined();
  expect(comparable({ ...results, made: dry.made })).toEqual(comparable(dry));
  expect(results.made.size).toBe(results.counts.new + results.counts.changed);
  expect(results.done).toBe(opened?.count);
  const values = new Map<number, Wire>();
  const plan = session.plan();
  for await (const rows of recordRows(plan)) {
    for (const row of rows) values.set(row.number, readRow(row, plan.columns, plan.reading).values);
  }
  return { batch, waits, counts: results.counts, rows: results.listed, values };
}

/** Return results without warnings of duplicates: a dry run does not find those within the file. */
function comparable({ warnings: _, listed, ...results }: Results) {
  const isOther = ({ message }: Problem) => !message.startsWith("Another ");
  const rows = listed.map((row) =>
    "warnings" in row ? { ...row, warnings: row.warnings.filter(isOther) } : row,
  );
  return { ...results, listed: rows };
}

/** The records of a kind that the list must have, by the results of imports. */
export class ExpectedRecords {
  readonly #path: string;
  /** The values of emptied fields. */
  readonly #blank: Wire;
  readonly #records = new Map<string, Wire>();

  private constructor({ api, fields }: RecordDefinition) {
    this.#path = api.path;
    const plain = fields.filter(({ kind }) => kind !== "json");
    this.#blank = Object.fromEntries(plain.map((field) => [wireName(field), field.choices?.[0] ?? null]));
  }

  static async load(definition: RecordDefinition): Promise<ExpectedRecords> {
    const expected = new ExpectedRecords(definition);
    for (const record of await recordsAt(definition.api.path)) expected.#records.set(record.id, record);
    return expected;
  }

  /** Add the results of an import. */
  add({ rows, values }: Import): void {
    for (const { record: id, number, outcome } of rows) {
      if (outcome === "new") expect(this.#records.has(id)).toBe(false);
      if (outcome === "new" || outcome === "changed") {
        const { updated_at: _, ...before } = this.#records.get(id) ?? {};
        const patch = values.get(number) ?? {};
        const emptied = Object.keys(patch).filter((name) => patch[name] === null);
        const blank = emptied.flatMap((name) => (name in this.#blank ? [[name, this.#blank[name]]] : []));
        this.#records.set(id, { ...(merged(before, patch) as Wire), ...Object.fromEntries(blank) });
      }
    }
  }

  async expectStored(): Promise<void> {
    const records = await recordsAt(this.#path);
    expect(new Set(records.map(({ id }) => id))).toEqual(new Set(this.#records.keys()));
    for (const record of records) expect(record).toMatchObject(this.#records.get(record.id) ?? {});
  }
}

/** All records, including the latest changes of this client. */
async function recordsAt(path: string): Promise<readonly (Wire & { id: string })[]> {
  for (;;) {
    const { data, stale } = await apiClient.get<{ content: (Wire & { id: string })[] }>(path);
    if (!stale) return data.content;
  }
}

/** Apply a merge patch (RFC 7396). */
function merged(before: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const after = { ...(isObject(before) && before) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete after[name];
    else after[name] = merged(after[name], value);
  }
  return after;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
