import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordDefinition } from "@/shared/records";
import { ExpectedRecords, imported } from "./importing";
import { anyFile, kinds } from "./randomFiles";

/** The number of random files of each kind of record. */
const MAX_FILES = Number(process.env.FLEETLOG_FILES ?? 10);

/** Import a file twice; the second import must change nothing. */
async function importedTwice(definition: RecordDefinition, file: File, clearsFields: boolean) {
  const first = await imported(definition, file, { clearsFields });
  if (typeof first === "string") return first;
  const { new: added, changed, unchanged, ...others } = first.counts;
  const counts = { ...others, new: 0, changed: 0, unchanged: added + changed + unchanged };
  expect(await imported(definition, file, { clearsFields })).toMatchObject({ counts });
  return first;
}

test.each(kinds.map((kind) => [kind.api.noun, kind] as const))(
  "dry run, run and list agree on every row of any file about a %s; a second import changes nothing",
  async (_, definition) => {
    const expected = await ExpectedRecords.load(definition);
    const ids: string[] = [];
    const seen: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.boolean(), async (any, clearsFields) => {
        const file = await any(anyFile, definition, ids)();
        const result = await importedTwice(definition, file, clearsFields);
        if (typeof result === "string") return;
        expected.add(result);
        for (const { outcome, record } of result.rows) {
          seen[outcome] = (seen[outcome] ?? 0) + 1;
          if (outcome === "new") ids.push(record);
        }
      }),
      // A file's outcome depends on the files before it.
      { numRuns: MAX_FILES, endOnFailure: true },
    );
    if (MAX_FILES >= 100) {
      expect(Object.keys(seen)).toEqual(expect.arrayContaining(["changed", "duplicate", "new", "refused"]));
    }
    await expected.expectStored();
  },
);
