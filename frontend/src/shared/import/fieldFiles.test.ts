import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { batchServer } from "@/shared/batch/testing/batchServer";
import { recordOf } from "@/shared/records";
import { pathsBelow } from "@/shared/records/paths";
import { openTable } from "./parsers/openTable";
import type { TableFile } from "./parsers/tableFile";
import { readRow } from "./readRow";
import { ImportSession } from "./session";
import { rowsOf } from "./testing/read";

/** Open a file that a spreadsheet or another program has saved. */
async function fileOf(name: string): Promise<File> {
  const bytes = await readFile(join(import.meta.dirname, "testing/files", name));
  return new File([Uint8Array.from(bytes)], name);
}

const tableOf = async (name: string) => openTable(await fileOf(name));
const cellsOf = async (table: TableFile) => (await rowsOf(table)).map(({ cells }) => cells);

const person = {
  noun: "person",
  path: "/api/v1/persons",
  fields: {
    id: {},
    ship_name: {},
    phone: {},
    account: {},
    tons: { kind: "number" },
    valid_until: { kind: "date" },
    place: {},
  },
} as const;

const definition = recordOf<Record<keyof typeof person.fields, string | number | null> & { id: string }>()(
  person,
  {
    paths: pathsBelow("/management/persons"),
    heading: (_, id) => ({ title: id }),
    sections: [
      {
        title: "Person",
        fields: [
          { name: "id", label: "ID" },
          { name: "name", wire: "ship_name", label: "Name" },
          { name: "phone", label: "Phone" },
          { name: "account", label: "Bank Account Number" },
          { name: "tons", label: "Capacity (tons)" },
          { name: "valid_until", label: "Valid Up To" },
          { name: "place", label: "City" },
        ],
      },
    ],
  },
);

const OTHER_NAMES: Readonly<Record<string, string>> = {
  "Employee Number": "id",
  Identifier: "id",
  "Driver Name": "name",
  "Owner Name": "name",
  "Mobile Number 1": "phone",
  "License Valid Up To": "valid_until",
  Location: "place",
};

async function sessionOf(name: string) {
  batchServer("/api/v1/persons");
  const session = new ImportSession(definition, async () => undefined);
  await session.choose(await fileOf(name));
  const state = () => session.store.getState();
  for (const [index, header] of (state().sheet?.header.cells ?? []).entries()) {
    const target = OTHER_NAMES[header];
    if (target) session.setColumn(index, target);
  }
  return { session, state };
}

/** Check a file, and return the refused rows and the warnings. */
async function checked(name: string) {
  const { session, state } = await sessionOf(name);
  await session.check();
  const { results } = state();
  return {
    results,
    refused: [...results.refused],
    warnings: results.listed.flatMap(({ warnings }) => warnings.map(({ message }) => message)),
  };
}

/** Return a field of each row, as read or, if it is refused, as in the file. */
async function valuesOf(name: string, field: string) {
  const { session } = await sessionOf(name);
  const { table, header, columns, reading } = session.plan();
  const index = columns.findIndex((column) => column?.name === field);
  return (await rowsOf(table))
    .filter(({ number }) => number > header)
    .map((row) => {
      const { id, texts } = readRow(row, columns, reading);
      return (field === "id" ? id : texts[field]) ?? row.cells[index];
    });
}

test.each([
  ["d02-odoo-apostrophe.csv", "phone", ["+919876543210", "+380 99 345-67-89"]],
  ["d02-odoo-apostrophe.csv", "account", ["00112233445566", "00112233445566"]],
  ["d03-equals-quoted.csv", "phone", ["09876543210"]],
  ["d03-equals-quoted.csv", "account", ["00112233445566"]],
  ["d24-literal-apostrophe.csv", "name", ["=literal", "'t Hooft", "-Dash"]],
  ["equals-escaped.csv", "name", ['Asha, "A"', "=1+1"]],
  ["equals-escaped.csv", "phone", ["0011", '="0011"']],
  ["apostrophes.csv", "name", ["'t Hooft", "'48 Club", "O'Neil"]],
  ["apostrophes.csv", "phone", ["0011 22 33", "+91-98450", "'(080) 22"]],
  ["x01-zero-format.xlsx", "phone", ["09876543210", "+91 90000 00001"]],
  ["x01-zero-format.xlsx", "account", ["00112233445566", "00112233445566"]],
  ["x01-zero-format.xlsx", "id", ["F31-A", "EMP-0042"]],
  ["x02-long-number.xlsx", "account", ["123456789012345000", "1234567890123450000000"]],
  ["t02-float-noise.xlsx", "tons", ["12.3", "0.3", "4.1", "0.01"]],
  ["d14-cp1251.csv", "name", ["Иван Петров"]],
  ["d15-one-bad-byte.csv", "name", ["Zoë रवि", "M\uFFFDller"]],
  ["scientific-recovered.csv", "phone", ["919876543210", "9198E+5", "1234567890123450"]],
])("in %s, %s is read as shown", async (name, field, values) => {
  expect(await valuesOf(name, field)).toEqual(values);
});

test.each([
  [
    "d05-two-digit-years.csv",
    ["2031-11-25", "2026-11-25", ...Array(3).fill("2031-11-25"), "11/25/2031 12:00:00 AM", "2031-11-25"],
  ],
  ["d06-us-dates.csv", ["2031-04-05", "2031-11-25", "2031-12-31"]],
  [
    "month-names.csv",
    [...Array(5).fill("2031-11-25"), "25-Nox-2031", "31/02/2028", "2028-02-30", "2031-11-25"],
  ],
])("the dates of %s are read", async (name, days) => {
  expect(await valuesOf(name, "valid_until")).toEqual(days);
});

test.each([
  [
    "d01-scientific.csv",
    ["9.19876E+11 has lost digits in a spreadsheet", "1.12233E+11 has lost digits in a spreadsheet"],
  ],
  [
    "x02-long-number.xlsx",
    [
      "123456789012345000 has more than 15 digits: a spreadsheet may have changed the last ones",
      "1234567890123450000000 has more than 15 digits: a spreadsheet may have changed the last ones",
    ],
  ],
  ["d15-one-bad-byte.csv", ["M\uFFFDller has a character that cannot be read"]],
  ["x01-zero-format.xlsx", []],
])("cells of %s that cannot be recovered have warnings, which are counted", async (name, warnings) => {
  const { results, ...found } = await checked(name);
  expect(found.warnings).toEqual(warnings);
  expect(results.warnings).toBe(warnings.length);
});

test.each([
  [
    "t03-unquoted-comma.csv",
    [
      [
        2,
        "This row has 5 cells, but the file has 4 columns. Put quotation marks around text with a separator.",
      ],
    ],
  ],
  [
    "long-rows.csv",
    [
      [
        3,
        "This row has 5 cells, but the file has 3 columns. Put quotation marks around text with a separator.",
      ],
    ],
  ],
  [
    "month-names.csv",
    [
      [7, "Valid Up To: 25-Nox-2031 is not a date"],
      [8, "Valid Up To: 31/02/2028 is not a date"],
      [9, "Valid Up To: 2028-02-30 is not a date"],
    ],
  ],
])("rows of %s are refused with their number and the reason", async (name, refused) => {
  expect((await checked(name)).refused).toEqual(refused);
});

test.each([
  ["d12-sep-quoted.csv", "semicolons", 16],
  ["sep-extended.csv", "semicolons", 3],
  ["sep-tab.csv", "tabs", 2],
  ["sep-bare-quoted.csv", "commas", 3],
])("the separator line of %s is obeyed and is not a row", async (name, separator, columns) => {
  const table = await tableOf(name);
  expect(table.description).toContain(`separated by ${separator}`);
  expect(table.doubts).toEqual([]);
  const [header] = await rowsOf(table);
  expect(header).toMatchObject({ number: 2 });
  expect(header?.cells).toHaveLength(columns);
});

test.each([
  ["d14-cp1251.csv", "windows-1251"],
  ["cp1251-semicolons.csv", "windows-1251"],
  ["western.csv", "windows-1252"],
  ["d15-one-bad-byte.csv", "utf-8"],
  ["bad-byte-late.csv", "utf-8"],
])("the encoding of %s is offered with the first rows in each, %s at first", async (name, value) => {
  const [doubt] = (await tableOf(name)).doubts ?? [];
  expect(doubt).toMatchObject({ name: "encoding", value });
  expect(doubt?.options.map(({ sample }) => sample).every((sample) => sample !== "")).toBe(true);
});

test("another encoding can be chosen", async () => {
  const { session, state } = await sessionOf("d14-cp1251.csv");
  expect(
    state().file?.table.doubts?.[0]?.options.find(({ value }) => value === "windows-1251")?.sample,
  ).toContain("Иван Петров");
  await session.chooseFormat("encoding", "windows-1252");
  expect(state().sheet?.sample[0]?.cells[1]).toBe("Èâàí Ïåòðîâ");
  expect(state().file?.table.description).toContain("Windows-1252");
});

test("a doubtful separator can be chosen", async () => {
  const table = await tableOf("doubtful-separator.csv");
  expect(table.doubts).toMatchObject([
    {
      name: "separator",
      value: ";",
      options: [{ value: ";" }, { value: ",", sample: "Name;City · State;Phone · home / Asha;Goa;1" }],
    },
  ]);
  const other = await table.reopen?.("separator", ",");
  expect((await cellsOf(other ?? table))[0]).toEqual(["Name;City", " State;Phone", " home"]);
});

test.each(["x04-rel-prefix.xlsx", "x14-SharedStrings-capital.xlsx"])(
  "the sheet and texts of %s are found",
  async (name) => {
    const [header, row] = await cellsOf(await tableOf(name));
    expect(header?.slice(0, 2)).toEqual(["Employee Number", "Driver Name"]);
    expect(row?.[1]).toBe("Test Person");
  },
);

test("parts in other folders are found by their relationships", async () => {
  expect(await cellsOf(await tableOf("parts-elsewhere.xlsx"))).toEqual([["ID"], ["EMP-0007"]]);
});

test("the order of dates is detected by the whole column and can be chosen", async () => {
  const { session, state } = await sessionOf("d06-us-dates.csv");
  expect([...state().reading.monthFirst]).toEqual([11]);
  expect(state().sheet?.dates[11]).toEqual({ either: ["04/05/2031"], month: "11/25/2031" });
  session.setMonthFirst(11, false);
  expect([...state().reading.monthFirst]).toEqual([]);
});

test("control characters are refused; line separators are kept", async () => {
  const { refused } = await checked("d23-control.csv");
  expect(refused).toEqual([[2, "Name: Must not contain control characters"]]);
});
