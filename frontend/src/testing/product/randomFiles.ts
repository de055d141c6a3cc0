import fc from "fast-check";
import { driverDefinition } from "@/features/drivers/definition";
import { horseDefinition } from "@/features/horses/definition";
import { locationDefinition } from "@/features/locations/definition";
import { trailerDefinition } from "@/features/trailers/definition";
import { ID, type Target, targetsOf } from "@/shared/import/targets";
import { csvFile, type Dialect } from "@/shared/import/testing/csvFiles";
import { workbook } from "@/shared/import/testing/workbooks";
import type { RecordDefinition } from "@/shared/records";

/** The kinds of record that can be imported. */
export const kinds: readonly RecordDefinition[] = [
  driverDefinition,
  horseDefinition,
  locationDefinition,
  trailerDefinition,
];

const dialect = fc.record<Dialect>({
  separator: fc.constantFrom(",", ";", "\t", "|"),
  encoding: fc.constantFrom("utf-8", "utf-8-bom", "utf-16le", "windows-1252"),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  quotesAll: fc.boolean(),
  endsLine: fc.boolean(),
});

const text = fc.constantFrom("Asha", "Zoë & Söhne", "'quoted'", "a, b; c", "=A1", "two\nlines");
const KINDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: fc.constantFrom("2026-01-31", "31.12.2027", "2030/2/3"),
  email: fc.constantFrom("asha@example.com", "b.ela@example.org"),
  json: fc.constantFrom('{"a": 1}', '{"b": {"c": null}}', "{}"),
  number: fc.constantFrom("0", "12,5", "40", "1e1"),
  tel: fc.constantFrom("+91 98450 12345", "080/22"),
};

type Rows = readonly [least: number, most: number];

/** Values that most fields refuse. */
const odd = fc.oneof(
  fc.constantFrom("", " ", "#N/A", "many", "1e400", "-", "31/02/2026", "2026-13-01", "{", "[1]", "null"),
  fc.string({ unit: fc.constantFrom(..."aé,;|\t\"\n\r'=@+-1".split("")), maxLength: 8 }),
  fc.constant("long ".repeat(1_000)),
);

/** A table about records of a kind, most of whose rows can be saved. */
function tableOf(targets: readonly Target[], ids: readonly string[], [least, most]: Rows) {
  return fc.uuid().chain((prefix) => {
    const isGiven = targets.some(({ name, field }) => name === ID && field !== undefined);
    const newId = isGiven ? fc.nat(2 * most).map((number) => `${prefix}-${number}`) : fc.constant("");
    const id = ids.length > 0 ? fc.oneof(newId, fc.constantFrom(...ids)) : newId;
    const fitting = ({ name, field }: Target) =>
      name === ID
        ? id
        : field?.choices
          ? fc.constantFrom(...field.choices)
          : (KINDS[field?.kind ?? ""] ?? text);
    const cell = (target: Target) => fc.oneof({ weight: 40, arbitrary: fitting(target) }, odd);
    const row = fc.tuple(...targets.map(cell));
    return fc
      .array(row, { minLength: least, maxLength: most, size: "max" })
      .map((rows) => [targets.map(({ label }) => label), ...rows]);
  });
}

/** A file about records of a kind, new ones and those with some ids. */
export function anyFile(definition: RecordDefinition, ids: readonly string[] = [], rows: Rows = [1, 15]) {
  const targets = targetsOf(definition);
  const chosen = fc.oneof(
    { weight: 4, arbitrary: fc.constant(targets) },
    fc.shuffledSubarray([...targets], { minLength: 2 }),
  );
  const table = chosen.chain((some) => tableOf(some, ids, rows));
  return fc.oneof(
    fc.tuple(table, dialect).map((written) => async () => csvFile(...written)),
    table.map((rows) => () => workbook([{ name: "List", rows }])),
  );
}
