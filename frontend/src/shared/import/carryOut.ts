import {
  type AnsweredRow,
  MOST_BYTES,
  MOST_ROWS,
  type Run,
  type SentRow,
  sendRows,
  sizeOf,
} from "@/shared/batch/sendRows";
import type { FormValues } from "@/shared/form";
import type { Reading } from "./cellText";
import type { Row, TableFile } from "./reading/tableFile";
import { type Problem, type ReadRow, readRow } from "./readRow";
import { LEFT_OUT, type Target } from "./targets";

/** What came, or would come, of a row. */
export type Outcome = "new" | "changed" | "unchanged" | "refused" | "duplicate" | "unconfirmed";

export interface RowOutcome {
  number: number;
  /** The record's; null where it has none. */
  id: string | null;
  outcome: Outcome;
  /** Why it was refused. */
  problems: readonly Problem[];
  /** The server's names of the fields that change. */
  fields: readonly string[];
  /** What the file says, by the form's names. */
  texts: FormValues;
  /** Of the record afterwards; none of what is not carried out. */
  version?: number | null | undefined;
}

/** All that decides what comes of a file, dry or not. */
export interface Plan {
  table: TableFile;
  sheet: number;
  /** The number of the row that names the columns. */
  header: number;
  columns: readonly (Target | undefined)[];
  /** All that a column can be: the server may miss one that no column is. */
  targets: readonly Target[];
  reading: Reading;
  path: string;
  source: string;
  reason: string;
}

/** The rows of a file that are about records. */
export async function* recordRows({ table, sheet, header }: Plan): AsyncGenerator<readonly Row[]> {
  for await (const rows of table.rows(sheet)) {
    yield rows.filter(({ number, cells }) => number > header && !isLeftOut(cells));
  }
}

function isLeftOut(cells: readonly string[]): boolean {
  return (
    cells
      .find((cell) => cell.trim() !== "")
      ?.trimStart()
      .startsWith(LEFT_OUT) ?? false
  );
}

/**
 * Goes through a file and tells what comes of its rows, part by part.
 * @param after rows up to this number have been sent, and are not once more.
 */
export async function* carryOut(plan: Plan, run: Run, after = 0): AsyncGenerator<readonly RowOutcome[]> {
  /** Where ids came first. */
  const seen = new Map<string, number>();
  let part: Considered[] = [];
  let size = 0;
  for await (const rows of recordRows(plan)) {
    for (const raw of rows) {
      const row = consider(raw, plan, seen);
      if (row.number <= after) continue;
      const isFull = part.length === MOST_ROWS || size + row.size > MOST_BYTES;
      if (isFull) {
        if (run.signal.aborted) return;
        yield await outcomesOf(plan, run, part);
        part = [];
        size = 0;
      }
      part.push(row);
      size += row.size;
    }
  }
  if (part.length > 0 && !run.signal.aborted) yield await outcomesOf(plan, run, part);
}

/** A row, and what is to be sent of it, if anything is. */
interface Considered extends ReadRow {
  sent: SentRow | undefined;
  size: number;
  isDuplicate: boolean;
}

/** @param seen where ids came first; the row's own is added. */
function consider(raw: Row, { columns, reading }: Plan, seen: Map<string, number>): Considered {
  const row = readRow(raw, columns, reading);
  const { number, id, values, problems } = row;
  const unsent = { ...row, sent: undefined, size: 0, isDuplicate: false };
  const first = id === null ? undefined : seen.get(id);
  if (first !== undefined) return { ...unsent, isDuplicate: true, problems: [sameAs(first)] };
  if (id !== null) seen.set(id, number);
  if (problems.length > 0) return unsent;
  const sent: SentRow = { key: String(number), do: "save", id, values };
  const size = sizeOf(sent);
  return size > MOST_BYTES ? { ...unsent, problems: [TOO_LONG] } : { ...unsent, sent, size };
}

function sameAs(first: number): Problem {
  return { label: undefined, message: `Row ${first} is about the same record; only that one counts.` };
}

const TOO_LONG: Problem = { label: undefined, message: "This row is longer than a record can be." };

async function outcomesOf(plan: Plan, run: Run, part: readonly Considered[]): Promise<readonly RowOutcome[]> {
  const sent = part.flatMap((row) => row.sent ?? []);
  const answers = sent.length > 0 ? await sendRows(plan, sent, run) : new Map<string, AnsweredRow>();
  return part.map(({ number, id, texts, problems, isDuplicate, ...row }) => {
    const told: RowOutcome = { number, id, texts, problems, fields: [], outcome: "refused" };
    if (row.sent) {
      const answer = answers.get(row.sent.key);
      return { ...told, ...decided(answer, plan.targets), version: run.isDry ? null : answer?.version };
    }
    return isDuplicate ? { ...told, outcome: "duplicate" } : told;
  });
}

/** The server's decision in the form's words. */
function decided(
  answer: AnsweredRow | undefined,
  targets: readonly Target[],
): Partial<RowOutcome> & Pick<RowOutcome, "outcome"> {
  if (answer === undefined || answer.outcome === "unconfirmed") return { outcome: "unconfirmed" };
  const { id, outcome, fields, validation_errors: errors, detail } = answer;
  const known = id === null ? {} : { id };
  if (outcome === "new" || outcome === "changed" || outcome === "unchanged") {
    return { ...known, outcome, fields: fields ?? [] };
  }
  const problems = (errors ?? []).map(({ field, message }) => ({ label: labelOf(field, targets), message }));
  if (problems.length > 0) return { outcome: "refused", problems };
  return {
    outcome: "refused",
    problems: [{ label: undefined, message: detail || "The server refused this row." }],
  };
}

function labelOf(wire: string, targets: readonly Target[]): string {
  const target = targets.find(({ name, field }) => (field?.wire ?? name) === wire);
  return target?.label ?? wire;
}
