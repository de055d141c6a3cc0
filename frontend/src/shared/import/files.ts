import { BYTE_ORDER_MARK } from "@/shared/table/csv";
import { csvLine } from "@/shared/table/csvLine";
import { type Plan, recordRows } from "./execution";
import { LEFT_OUT, plain, REASON, type Target } from "./targets";

type Line = readonly string[];

/** Format lines as a CSV file; a line may be longer than the header. */
function csvOf(header: Line, lines: readonly Line[]): string {
  return BYTE_ORDER_MARK + [header, ...lines].map(csvLine).join("");
}

/** Return the refused rows as in the file with their reasons, to be corrected and imported again. */
export async function refusedFile(
  plan: Plan,
  header: Line,
  refused: ReadonlyMap<number, string>,
): Promise<string> {
  // A file of refused rows that is imported again gets new reasons.
  const kept = header.flatMap((name, index) => (plain(name) === plain(REASON) ? [] : [index]));
  const lines: Line[] = [];
  for await (const rows of recordRows(plan)) {
    for (const { number, cells } of rows) {
      const reason = refused.get(number);
      if (reason !== undefined) {
        // Surplus cells follow, so that the row is refused again until it is corrected.
        lines.push([...kept.map((index) => cells[index] ?? ""), reason, ...cells.slice(header.length)]);
      }
    }
  }
  return csvOf([...kept.map((index) => header[index] ?? ""), REASON], lines);
}

/** Return a template: all columns, and a row with their formats, which the import skips. */
export function templateFile(targets: readonly Target[]): string {
  const described = targets.map(describe);
  const example = described.map((text, index) => (index === 0 ? `${LEFT_OUT} ${text}` : text));
  return csvOf(
    targets.map(({ label }) => label),
    [example],
  );
}

function describe({ field }: Target): string {
  if (field === undefined) return "only for records that exist";
  const { kind = "text", choices, required } = field;
  const what = choices?.join(", ") ?? WHAT[kind];
  return required === undefined ? what : `${what}; required`;
}

const WHAT = {
  text: "text",
  multiline: "text",
  email: "e-mail address",
  tel: "telephone number",
  date: "day as YYYY-MM-DD",
  number: "number",
  json: "JSON object",
  timestamp: "moment",
  moment: "date and time with its time zone, such as 2026-11-21T09:30:00+05:30",
} as const;
