import type { FormValues } from "@/shared/form";
import { type AnsweredRow, PART, type Run, type SentRow, sendRows } from "./batch";
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
}

/** All that decides what comes of a file, dry or not. */
export interface Plan {
  table: TableFile;
  sheet: number;
  /** The number of the row that names the columns. */
  header: number;
  columns: readonly (Target | undefined)[];
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
  for await (const rows of recordRows(plan)) {
    for (const raw of rows) {
      const row = readRow(raw, plan.columns, plan.reading);
      const first = row.id === null ? undefined : seen.get(row.id);
      if (row.id !== null && first === undefined) seen.set(row.id, row.number);
      if (row.number <= after) continue;
      part.push({ row, first });
      if (part.length < PART) continue;
      if (run.signal.aborted) return;
      yield await outcomesOf(plan, run, part);
      part = [];
    }
  }
  if (part.length > 0 && !run.signal.aborted) yield await outcomesOf(plan, run, part);
}

/** A row, and the number of the one before it that is about the same record. */
interface Considered {
  row: ReadRow;
  first: number | undefined;
}

async function outcomesOf(plan: Plan, run: Run, part: readonly Considered[]): Promise<readonly RowOutcome[]> {
  const sent = part.filter(({ row, first }) => first === undefined && row.problems.length === 0);
  const answers =
    sent.length > 0 ? await sendRows(plan, sent.map(asSent), run) : new Map<string, AnsweredRow>();
  return part.map(({ row, first }) => {
    const { number, id, texts, problems } = row;
    const told: RowOutcome = { number, id, texts, problems, fields: [], outcome: "refused" };
    if (first !== undefined) return { ...told, outcome: "duplicate", problems: [sameAs(first)] };
    if (problems.length > 0) return told;
    return { ...told, ...decided(answers.get(String(number)), plan.columns) };
  });
}

function asSent({ row: { number, id, values } }: Considered): SentRow {
  return { key: String(number), do: "save", id, values };
}

function sameAs(first: number): Problem {
  return { label: undefined, message: `Row ${first} is about the same record; only that one counts.` };
}

/** The server's decision in the form's words. */
function decided(
  answer: AnsweredRow | undefined,
  columns: readonly (Target | undefined)[],
): Partial<RowOutcome> & Pick<RowOutcome, "outcome"> {
  if (answer === undefined || answer.outcome === "unconfirmed") return { outcome: "unconfirmed" };
  const { id, outcome, fields, validation_errors: errors, detail } = answer;
  const known = id === null ? {} : { id };
  if (outcome === "new" || outcome === "changed" || outcome === "unchanged") {
    return { ...known, outcome, fields: fields ?? [] };
  }
  const problems = (errors ?? []).map(({ field, message }) => ({ label: labelOf(field, columns), message }));
  if (problems.length > 0) return { outcome: "refused", problems };
  return {
    outcome: "refused",
    problems: [{ label: undefined, message: detail || "The server refused this row." }],
  };
}

function labelOf(wire: string, columns: readonly (Target | undefined)[]): string {
  const target = columns.find((one) => (one?.field?.wire ?? one?.name) === wire);
  return target?.label ?? wire;
}
