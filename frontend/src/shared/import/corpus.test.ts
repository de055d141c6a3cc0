import fc from "fast-check";
import { expect, test } from "vitest";
import type { Outcome } from "./carryOut";
import { changeTeller } from "./results";
import { ImportSession } from "./session";
import { batchServer } from "./testing/batchServer";
import { type CorpusFile, corpus } from "./testing/corpus";
import { csvFile, type Dialect } from "./testing/csvFiles";
import { shipDefinition } from "./testing/kind";

const changesOf = changeTeller(shipDefinition, []);
const BEFORE = { "S-1": { ship_name: "Asha", tons: 10 }, "S-2": { ship_name: "Bela" } };

/** What a dry run and the run say of each row of a file; or why it cannot be imported. */
async function bothRuns(file: File, sheet = 0) {
  const server = batchServer("/api/v1/ships", BEFORE);
  const session = new ImportSession(shipDefinition);
  const state = () => session.store.getState();
  await session.choose(file);
  if (sheet > 0) await session.chooseSheet(sheet);
  if (state().problem !== undefined) return state().problem;
  const columns = state().columns.filter((name) => name !== null);
  if (columns.length === 0) return "no column is known";
  await session.check(changesOf);
  const dry = state().results;
  expect(server.requests.every(({ dry_run }) => dry_run)).toBe(true);
  await session.carryOut(changesOf);
  const { results, sheet: opened } = state();
  expect(results).toEqual(dry);
  expect(results.done).toBe(opened?.count);
  return Object.fromEntries(Object.entries(results.counts).filter(([, count]) => count > 0));
}

test.each(corpus.map((file) => [file.name, file] as const))(
  "%s",
  async (_, { make, sheet, outcome }: CorpusFile) => {
    const come = await bothRuns(await make(), sheet);
    if (typeof outcome === "string") expect(come).toContain(outcome);
    else expect(come).toEqual(outcome);
  },
);

test("dry run and run agree on every row of any file", async () => {
  const cell = fc.oneof(
    fc.constantFrom(
      "",
      "S-1",
      "S-2",
      "S-3",
      "Asha",
      "12",
      "1,5",
      "many",
      "2026-01-31",
      "31/01/2026",
      "CARGO",
      "#N/A",
    ),
    fc.string({ unit: fc.constantFrom(..."aé,;\"\n'=@1".split("")), maxLength: 8 }),
  );
  const header = fc.uniqueArray(
    fc.constantFrom("Hull Number", "Name", "tons", "Built On", "Class", "Port", "Else"),
    {
      minLength: 2,
      maxLength: 6,
    },
  );
  const files = header.chain((names) =>
    fc.tuple(
      fc.constant(names),
      fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), {
        minLength: 1,
        maxLength: 15,
      }),
    ),
  );
  const dialect = fc.record<Dialect>({
    separator: fc.constantFrom(",", ";", "\t", "|"),
    encoding: fc.constantFrom("utf-8", "utf-8-bom", "utf-16le", "windows-1252"),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    quotesAll: fc.boolean(),
    endsLine: fc.boolean(),
  });
  const outcomes = new Set<Outcome>();
  await fc.assert(
    fc.asyncProperty(files, dialect, async ([names, rows], written) => {
      const come = await bothRuns(csvFile([names, ...rows], written));
      if (typeof come === "object") for (const outcome of Object.keys(come)) outcomes.add(outcome as Outcome);
    }),
    { numRuns: 60 },
  );
  expect(outcomes).toContain("refused");
});
