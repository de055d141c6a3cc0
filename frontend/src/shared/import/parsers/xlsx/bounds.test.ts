import fc from "fast-check";
import { expect, test } from "vitest";
import { cellsIn } from "../../testing/read";
import { workbookFiles, zipped } from "../../testing/workbooks";
import { requireFewBlanks } from "../csv";
import { UnreadableFile } from "../errors";
import { openArchive } from "./archive";
import { readXml } from "./xml";

const good = workbookFiles([
  { name: "List", rows: [["Name"], [{ inline: "Asha" }], [{ date: 46351 }], [7]] },
]);
const SHEET = "xl/worksheets/sheet1.xml";
const STYLES = "xl/styles.xml";
const WORKBOOK = "xl/workbook.xml";
const TEXTS = "xl/sharedStrings.xml";

/** Return the valid workbook with text inserted before the end of one file. */
function changed(path: string, added: string) {
  const text = good.get(path) ?? "";
  const end = text.lastIndexOf("</");
  return new Map(good).set(path, text.slice(0, end) + added + text.slice(end));
}

const sheet = (cells: string) => `<sheetData><row>${cells}</row></sheetData>`;
const inline = (text: string) => `<c t="inlineStr"><is>${text}</is></c>`;
const long = "x".repeat(32_768);
const styles = '<xf numFmtId="164"/>'.repeat(65_491);

const tooLarge: readonly (readonly [string, ReadonlyMap<string, string>, string])[] = [
  [
    "a text in a cell",
    changed(SHEET, sheet(inline(`<t>${long}</t>`))),
    "a cell has more than 32,767 characters",
  ],
  [
    "a text in many pieces",
    changed(SHEET, sheet(inline(`<r><t>${"x".repeat(999)}</t></r>`.repeat(300)))),
    "a cell has more than 32,767 characters",
  ],
  ["a shared text", changed(TEXTS, `<si><t>${long}</t></si>`), "(it begins with “xxxxxxxxxx"],
  [
    "a value",
    changed(SHEET, sheet(`<c><v>${"1".repeat(300_000)}</v></c>`)),
    "a cell has more than 32,767 characters",
  ],
  ["styles", changed(STYLES, `<cellXfs>${styles}</cellXfs>`), "it has more than 65,490 cell styles"],
  [
    "sheets",
    changed(WORKBOOK, '<sheet name="a" r:id="rId1"/>'.repeat(1_001)),
    "it has more than 1,000 sheets",
  ],
  [
    "relationships",
    changed(
      "xl/_rels/workbook.xml.rels",
      Array.from({ length: 10_001 }, (_, index) => `<Relationship Id="x${index}" Target=""/>`).join(""),
    ),
    "it has more than 10,000 relationships",
  ],
  ["an attribute", changed(SHEET, `<c r="${"A".repeat(3_000_000)}"/>`), "more than 1,000,000 characters"],
  ["a comment", changed(STYLES, `<!--${"-".repeat(3_000_000)}-->`), "more than 1,000,000 characters"],
  ["levels of XML", changed(SHEET, "<a>".repeat(101)), "nested deeper than 100 levels"],
  [
    "cells with one long text",
    changed(
      SHEET,
      `<sheetData>${`<row>${'<c t="s"><v>1</v></c>'.repeat(500)}</row>`.repeat(62)}</sheetData>`,
    ).set(TEXTS, `<sst><si><t>Name</t></si><si><t>${"x".repeat(32_767)}</t></si></sst>`),
    "it has more than 1,000,000,000 characters in its cells",
  ],
];

test.each(tooLarge)("a workbook beyond a limit is refused: %s", async (_, files, message) => {
  const refused = cellsIn(await zipped(files));
  await expect(refused).rejects.toThrow(UnreadableFile);
  await expect(refused).rejects.toThrow(
    /^This file is too large: .*\. Split it, or save the sheet as CSV\.$/,
  );
  await expect(refused).rejects.toThrow(message);
});

test("Excel's own limits are accepted", async () => {
  const most = "x".repeat(32_767);
  const files = changed(
    SHEET,
    sheet(inline(`<t>${most}</t>`) + inline(`<t>${"_x0041_".repeat(32_767)}</t>`)),
  );
  expect((await cellsIn(await zipped(files))).at(-1)).toEqual([most, "A".repeat(32_767)]);
});

test("an archive with too many files, or a file that unpacks to too much, is refused", async () => {
  const file = await zipped(
    new Map([
      ["a", "x".repeat(200_001)],
      ["b", ""],
    ]),
  );
  await expect(openArchive(file, { files: 1, bytes: 1 })).rejects.toThrow("it has more than 1 files inside");
  const archive = await openArchive(file, { files: 2, bytes: 200_000 });
  const unpacked = readXml(archive.text("a"), {});
  await expect(unpacked).rejects.toThrow("This file is too large: unpacked");
});

test("CSV that the parser would process for minutes is refused", () => {
  const marks = (count: number) => `"${'q"'.repeat(count)}x`;
  expect(() => requireFewBlanks(`${marks(50_000)}${" ".repeat(50_000)},`)).toThrow("This file is too large");
  expect(() => requireFewBlanks(`${marks(50_000)}${" \u2003".repeat(25_000)},`)).toThrow("too large");
  expect(() => requireFewBlanks(`"${"a".padEnd(2_000)}","b"\n`.repeat(500))).not.toThrow();
  expect(() => requireFewBlanks(`${'"a"\n'.repeat(50_000)}${"\n".repeat(50_000)}`)).not.toThrow();
});

test("a damaged workbook is read or refused with a message", async () => {
  const tokens = [
    ..."<>&\"'/=",
    ...[
      "<c>",
      "</c>",
      "<v>",
      "<t>",
      "<row>",
      "<row r='0'>",
      "<si>",
      "<!--",
      "<![CDATA[",
      "]]>",
      "<?",
      "&#0;",
    ],
    ...[' r="A1"', ' r="1"', ' t="s"', ' s="-1"', "_x0000_", "1e999", "\u0000", "\ud800", "x:"],
  ];
  const damage = fc.record({
    path: fc.constantFrom(...good.keys()),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat(20),
    added: fc.array(fc.constantFrom(...tokens), { maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
      const files = new Map(good);
      for (const { path, at, removed, added } of damages) {
        const text = files.get(path) ?? "";
        const start = Math.floor(at * text.length);
        files.set(path, text.slice(0, start) + added.join("") + text.slice(start + removed));
      }
      try {
        for (const cells of await cellsIn(await zipped(files)))
          for (const cell of cells) expect(cell).toBeTypeOf("string");
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableFile);
      }
    }),
    { numRuns: 200 },
  );
});
