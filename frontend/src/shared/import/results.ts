import type { FieldChange } from "@/shared/history";
import type { Outcome, RowResult } from "./execution";
import type { Problem } from "./readRow";

/** A row of the results. */
export interface ListedRow extends Omit<RowResult, "id" | "fields" | "version"> {
  /** The row number. */
  id: string;
  /** The record's id; empty without one. */
  record: string;
  changes: readonly FieldChange[];
}

/** The results of an import so far. */
export interface Results {
  counts: Readonly<Record<Outcome, number>>;
  /** Number of cells with a warning in rows that are imported. */
  warnings: number;
  /** Number of rows processed. */
  done: number;
  /** Number of the last row before the first unconfirmed one. */
  after: number;
  /** The first rows of each outcome. */
  listed: readonly ListedRow[];
  /** Reasons of refused rows by number, for the file of refused rows. */
  refused: ReadonlyMap<number, string>;
  /** Numbers of the rows that change records. */
  changed: ReadonlySet<number>;
  /** Number of rows without an id that equal an existing record. */
  matched: number;
  /** Created versions by record id, for undo. */
  made: ReadonlyMap<string, number>;
}

/** Per outcome. */
export const MOST_LISTED = 5_000;

export const NO_RESULTS: Results = {
  counts: { new: 0, changed: 0, unchanged: 0, refused: 0, duplicate: 0, leftOut: 0, unconfirmed: 0 },
  warnings: 0,
  done: 0,
  after: 0,
  listed: [],
  refused: new Map(),
  changed: new Set(),
  matched: 0,
  made: new Map(),
};

/** @param changesOf returns a row's old and new values. */
export function withPart(
  results: Results,
  part: readonly RowResult[],
  changesOf: (row: RowResult) => readonly FieldChange[],
): Results {
  const counts = { ...results.counts };
  const listed = [...results.listed];
  const refused = new Map(results.refused);
  const changed = new Set(results.changed);
  const made = new Map(results.made);
  let { warnings } = results;
  for (const result of part) {
    const { id, fields, version, ...row } = result;
    counts[row.outcome] += 1;
    if (row.outcome === "changed") changed.add(row.number);
    if (isImported(row)) warnings += row.warnings.length;
    if (row.outcome === "refused") refused.set(row.number, reasonOf(row.problems));
    if (isImported(row) && id !== null && version) made.set(id, version);
    if (counts[row.outcome] > MOST_LISTED) continue;
    const changes = row.outcome === "changed" ? changesOf(result) : [];
    listed.push({ ...row, id: String(row.number), record: id ?? "", changes });
  }
  const unknown = part.findIndex(({ outcome }) => outcome === "unconfirmed");
  const known = unknown < 0 ? part.at(-1) : part[unknown - 1];
  return {
    ...{ counts, warnings },
    done: results.done + part.length,
    after: known?.number ?? results.after,
    matched: results.matched + part.filter(({ isMatched }) => isMatched).length,
    ...{ listed, refused, changed, made },
  };
}

/** The user's choices in the preview. */
export interface Choices {
  /** Numbers of the rows that are left out. */
  leftOut: ReadonlySet<number>;
  /** Rows that change records are left out. */
  addsOnly: boolean;
}

/** Apply the user's choices to the results of a dry run. */
export function chosenOf(results: Results, { leftOut, addsOnly }: Choices): Results {
  const counts = { ...results.counts };
  if (addsOnly) {
    counts.leftOut += counts.changed;
    counts.changed = 0;
  }
  const listed = results.listed.map((row) => {
    const isChanged = row.outcome === "changed";
    if (leftOut.has(row.number) && !(addsOnly && isChanged)) {
      counts[row.outcome] -= 1;
      counts.leftOut += 1;
    }
    return leftOut.has(row.number) || (addsOnly && isChanged) ? { ...row, outcome: "leftOut" as const } : row;
  });
  return { ...results, counts, listed };
}

function isImported({ outcome }: { outcome: Outcome }): boolean {
  return outcome === "new" || outcome === "changed";
}

/** Remove unconfirmed rows, which will be sent again. */
export function certainOf({ counts, done, listed, ...results }: Results): Results {
  const isCertain = ({ number }: { number: number }) => number <= results.after;
  const kept = listed.filter(isCertain);
  if (counts.unconfirmed === 0) return { ...results, counts, done, listed };
  const again = listed.filter((row) => !isCertain(row));
  const certain = { ...counts };
  let { warnings } = results;
  for (const row of again) {
    certain[row.outcome] -= 1;
    if (isImported(row)) warnings -= row.warnings.length;
  }
  return { ...results, warnings, counts: certain, done: done - again.length, listed: kept };
}

/** Return problems as one sentence. */
export function reasonOf(problems: readonly Problem[]): string {
  const texts = problems.map(({ label, message }) => (label ? `${label}: ${message}` : message));
  return texts.join("; ").replaceAll(".;", ";");
}
