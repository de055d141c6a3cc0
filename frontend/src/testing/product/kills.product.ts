import { appendFileSync, existsSync } from "node:fs";
import fc from "fast-check";
import { test } from "vitest";
import type { RecordDefinition } from "@/shared/records";
import { imported } from "./importing";
import { anyFile, kinds } from "./randomFiles";

/** The file to log each import to, the minimum number of imports, and the file whose presence ends the test. */
const { FLEETLOG_REPORT = "", FLEETLOG_IMPORTS = "", FLEETLOG_ENOUGH = "" } = process.env;

let begun = 0;

async function importRepeatedly(definition: RecordDefinition): Promise<void> {
  const ids: string[] = [];
  while (begun < Number(FLEETLOG_IMPORTS) || !existsSync(FLEETLOG_ENOUGH)) {
    begun += 1;
    const [make] = fc.sample(anyFile(definition, ids, [20, 200]), 1);
    const result = make && (await imported(definition, await make(), { isStopped: begun % 3 === 0 }));
    if (result === undefined || typeof result === "string") continue;
    const { batch, waits, counts, rows } = result;
    const outcomes = rows.map(({ record, outcome }) => [record, outcome]);
    appendFileSync(
      FLEETLOG_REPORT,
      `${JSON.stringify({ kind: definition.api.noun, batch, waits, counts, rows: outcomes })}\n`,
    );
    ids.push(...rows.filter(({ outcome }) => outcome === "new").map(({ record }) => record));
  }
}

test("imports of all kinds continue while the product is killed", async () => {
  await Promise.all(kinds.map(importRepeatedly));
});
