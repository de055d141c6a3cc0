import fc from "fast-check";
import { expect, test } from "vitest";
import { trailerDefinition } from "@/features/trailers/definition";
import { NO_RESULTS } from "@/shared/import/results";
import { csvFile, LIBRE_OFFICE } from "@/shared/import/testing/csvFiles";
import type { RecordDefinition } from "@/shared/records";
import { corpus } from "./corpus";
import { Expected, type Import, imported } from "./importing";
import { kinds } from "./kinds";
import { anyFile } from "./randomFiles";

/** The number of random files of each kind of record. */
const MOST_FILES = Number(process.env.FLEETLOG_FILES ?? 10);

/** Import a file twice; the second import must change nothing. */
async function importedTwice(definition: RecordDefinition, file: File, how: Parameters<typeof imported>[2]) {
  const first = await imported(definition, file, how);
  if (typeof first === "string") return first;
  const { new: added, changed, unchanged, ...others } = first.counts;
  const counts = { ...others, new: 0, changed: 0, unchanged: added + changed + unchanged };
  expect(await imported(definition, file, how)).toMatchObject({ counts });
  return first;
}

test("dry run, run and list agree on every row of every file of the corpus; once more, it changes nothing", async () => {
  const expected = await Expected.of(trailerDefinition);
  const before = corpus.flatMap(({ name }) => [
    ["Asha", "10", name],
    ["Bela", "", name],
  ]);
  const begin = csvFile([["Identifier", "Capacity (tons)", "Description 1"], ...before], LIBRE_OFFICE);
  const { rows } = expected.after((await imported(trailerDefinition, begin)) as Import);
  for (const [index, { name, make, sheet, outcome }] of corpus.entries()) {
    const [asha, bela] = rows.slice(2 * index).map(({ record }) => record);
    const come = await importedTwice(trailerDefinition, await make([asha ?? "", bela ?? ""]), { sheet });
    if (typeof come === "string" || typeof outcome === "string") expect(come, name).toContain(outcome);
    else expect(expected.after(come).counts, name).toEqual({ ...NO_RESULTS.counts, ...outcome });
  }
  await expected.isThere();
});

test.each(kinds.map((kind) => [kind.api.noun, kind] as const))(
  "they agree on every row of any file about a %s",
  async (_, definition) => {
    const expected = await Expected.of(definition);
    const ids: string[] = [];
    const seen: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.boolean(), async (any, clearsFields) => {
        const file = await any(anyFile, definition, ids)();
        const come = await importedTwice(definition, file, { clearsFields });
        if (typeof come === "string") return;
        for (const { outcome, record } of expected.after(come).rows) {
          seen[outcome] = (seen[outcome] ?? 0) + 1;
          if (outcome === "new") ids.push(record);
        }
      }),
      // What a file says depends on those before it.
      { numRuns: MOST_FILES, endOnFailure: true },
    );
    if (MOST_FILES >= 100) {
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(["changed", "duplicate", "new", "refused"]));
    }
    await expected.isThere();
  },
);
