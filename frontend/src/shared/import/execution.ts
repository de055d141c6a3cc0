import {
  type AnsweredRow,
  MOST_BYTES,
  MOST_ROWS,
  type Run,
  type SentRow,
  sendRows,
  sizeOf,
} from "@/shared/batch/sendRows";
import type { Reading } from "./cellText";
import type { FindRecord } from "./existing";
import type { Row, TableFile } from "./parsers/tableFile";
import { type Problem, type ReadRow, readRow } from "./readRow";
import { LEFT_OUT, type Target } from "./targets";

/** A row's outcome, planned or final. */
export type Outcome = "new" | "changed" | "unchanged" | "refused" | "duplicate" | "leftOut" | "unconfirmed";

export interface RowResult extends Omit<ReadRow, "values"> {
  outcome: Outcome;
  /** Wire names of the fields that change. */
  fields: readonly string[];
  /** The row has no id, and equals the record in its identifying fields. */
  isMatched: boolean;
  /** The record's version after the import. */
  version?: number | null | undefined;
}

/** All inputs of an import, dry or not. */
export interface Plan {
  table: TableFile;
  sheet: number;
  /** Number of the row with the column names. */
  header: number;
  columns: readonly (Target | undefined)[];
  /** All possible columns: the server may require one that the file does not have. */
  targets: readonly Target[];
  reading: Reading;
  /** Numbers of the rows that the user leaves out. */
  leftOut: ReadonlySet<number>;
  /** Why the dry run found rows to be duplicates of others in the file, by number. */
  doubles: ReadonlyMap<number, readonly Problem[]>;
  /** Read the existing records once a row has no id; undefined if such rows add records. */
  existing: (() => Promise<FindRecord>) | undefined;
  path: string;
  source: string;
  reason: string;
}

/** Read the rows of a file that contain records. */
export async function* recordRows({ table, sheet, header }: Plan): AsyncGenerator<readonly Row[]> {
  const isLeftOut = (cells: readonly string[]) =>
    cells
      .map((cell) => cell.trim())
      .find((cell) => cell !== "")
      ?.startsWith(LEFT_OUT);
  for await (const rows of table.rows(sheet)) {
    yield rows.filter(({ number, cells }) => number > header && !isLeftOut(cells));
  }
}

/**
 * Import a file request by request, and yield the outcomes of each.
 * @param after rows up to this number were sent before and are skipped.
 */
export async function* executePlan(plan: Plan, run: Run, after = 0): AsyncGenerator<readonly RowResult[]> {
  /** The first row of each id. */
  const seen = new Map<string, number>();
  /** The first row of each unique value, in a dry run. */
  const claimed = new Map<string, number>();
  let part: PreparedRow[] = [];
  let size = 0;
  for await (const rows of recordRows(plan)) {
    for (const raw of rows) {
      const row = await prepare(raw, plan, seen);
      if (row.number <= after) continue;
      const isFull = part.length === MOST_ROWS || size + row.size > MOST_BYTES;
      if (isFull) {
        if (run.signal.aborted) return;
        yield await outcomesOf(plan, run, part, claimed);
        part = [];
        size = 0;
      }
      part.push(row);
      size += row.size;
    }
  }
  if (part.length > 0 && !run.signal.aborted) yield await outcomesOf(plan, run, part, claimed);
}

/** A row, and its request unless it is refused in the browser. */
interface PreparedRow extends ReadRow {
  sent: SentRow | undefined;
  size: number;
  /** Why the row is neither sent nor refused. */
  unused?: "duplicate" | "leftOut";
  isMatched: boolean;
}

/** @param seen the first row of each id; this row's is added. */
async function prepare(raw: Row, plan: Plan, seen: Map<string, number>): Promise<PreparedRow> {
  const row = readRow(raw, plan.columns, plan.reading);
  const { number, values, problems } = row;
  const match = row.id === null && problems.length === 0 ? (await plan.existing?.())?.(row.texts) : undefined;
  const id = row.id ?? match ?? null;
  const isMatched = match !== undefined;
  const unsent = { ...row, id, isMatched, sent: undefined, size: 0 };
  const double = plan.doubles.get(number);
  if (double !== undefined) return { ...unsent, unused: "duplicate", problems: double };
  const first = id === null ? undefined : seen.get(id);
  if (first !== undefined) {
    const message = `Row ${first} has the same ID; only that row is used.`;
    return { ...unsent, unused: "duplicate", problems: [{ message }] };
  }
  if (id !== null) seen.set(id, number);
  // The cells after an unquoted separator are in wrong columns.
  const width = raw.cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  const { length } = plan.columns;
  if (plan.table.isDelimited && width > length) {
    const message = `This row has ${width} cells, but the file has ${length} columns. Put quotation marks around text with a separator.`;
    return { ...unsent, problems: [{ message }] };
  }
  if (problems.length > 0) return unsent;
  if (plan.leftOut.has(number)) return { ...unsent, unused: "leftOut" };
  const sent: SentRow = { key: String(number), do: "save", id, values };
  const size = sizeOf(sent);
  if (size > MOST_BYTES) return { ...unsent, problems: [{ message: "This row is too long." }] };
  return { ...unsent, sent, size };
}

async function outcomesOf(
  plan: Plan,
  run: Run,
  part: readonly PreparedRow[],
  claimed: Map<string, number>,
): Promise<readonly RowResult[]> {
  const sent = part.flatMap((row) => row.sent ?? []);
  const answers = sent.length > 0 ? await sendRows(plan, sent, run) : new Map<string, AnsweredRow>();
  return part.map(({ values: _, sent: request, size: __, unused, ...row }): RowResult => {
    if (request === undefined) return { ...row, fields: [], outcome: unused ?? "refused" };
    const answer = answers.get(request.key);
    const version = run.isDry ? null : answer?.version;
    const problems = doublesOf(answer, row.number, plan.targets, claimed);
    if (problems.length > 0) return { ...row, fields: [], outcome: "duplicate", problems };
    return { ...row, fields: [], ...decided(answer, plan.targets, row.warnings), version };
  });
}

/**
 * Compare a row's unique values with those of earlier rows, which the server's dry run cannot see.
 * @param claimed the first row of each value; those of a row without duplicates are added.
 */
function doublesOf(
  answer: AnsweredRow | undefined,
  number: number,
  targets: readonly Target[],
  claimed: Map<string, number>,
): readonly Problem[] {
  const marks = Object.entries(answer?.claimed ?? {});
  const problems = marks.flatMap(([wire, mark]) => {
    const first = claimed.get(mark);
    const message = `Row ${first} has the same value; only that row is used.`;
    return first === undefined ? [] : [{ label: labelOf(targets, wire), message }];
  });
  if (problems.length === 0) for (const [, mark] of marks) claimed.set(mark, number);
  return problems;
}

function labelOf(targets: readonly Target[], wire: string): string {
  return targets.find(({ name, field }) => (field?.wire ?? name) === wire)?.label ?? wire;
}

/** Convert the server's answer, with the form's labels. */
function decided(
  answer: AnsweredRow | undefined,
  targets: readonly Target[],
  warnings: readonly Problem[],
): Partial<RowResult> & Pick<RowResult, "outcome"> {
  if (answer === undefined || answer.outcome === "unconfirmed") return { outcome: "unconfirmed" };
  const { id, outcome, fields, validation_errors: errors, detail, duplicates } = answer;
  if (outcome === "new" || outcome === "changed" || outcome === "unchanged") {
    const same = duplicates.map(({ field, message, record }) => ({
      label: labelOf(targets, field),
      message: record === null ? message : `${message}: ${record}`,
    }));
    return { ...(id !== null && { id }), outcome, fields, warnings: [...warnings, ...same] };
  }
  const problems: Problem[] = errors.map(({ field, message }) => ({
    label: labelOf(targets, field),
    message,
  }));
  if (problems.length === 0) problems.push({ message: detail || "The server refused this row." });
  return { outcome: "refused", problems };
}
