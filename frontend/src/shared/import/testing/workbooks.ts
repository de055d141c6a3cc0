import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js/lib/zip-core-native.js";

/** A cell of an XLSX file. */
export type Cell =
  | string
  | number
  | boolean
  | { inline: string }
  | { date: number }
  | { formula: string; value: string | number }
  | { error: string }
  | null;

export interface SheetOf {
  name: string;
  rows: readonly (readonly Cell[])[];
  isHidden?: boolean;
}

interface Options {
  /** Dates count from 1904. */
  isFrom1904?: boolean;
  /** Prefix of all element names. */
  prefix?: string;
}

const DATE_STYLE = 1;

/** Create an XLSX file like Excel and LibreOffice. */
export function workbook(sheets: readonly SheetOf[], options: Options = {}): Promise<File> {
  return zipped(workbookFiles(sheets, options));
}

/** Return the files of an XLSX archive by path. */
export function workbookFiles(sheets: readonly SheetOf[], options: Options = {}): Map<string, string> {
  const { isFrom1904 = false, prefix = "" } = options;
  const tag = (name: string) => prefix + name;
  const texts: string[] = [];
  const shared = (text: string) => {
    if (!texts.includes(text)) texts.push(text);
    return texts.indexOf(text);
  };
  const cellXml = (cell: Cell, reference: string): string => {
    const c = (attributes: string, inner: string) =>
      `<${tag("c")} r="${reference}"${attributes}>${inner}</${tag("c")}>`;
    const v = (value: string | number) => `<${tag("v")}>${escaped(String(value))}</${tag("v")}>`;
    if (cell === null) return "";
    if (typeof cell === "string") return c(' t="s"', v(shared(cell)));
    if (typeof cell === "number") return c("", v(cell));
    if (typeof cell === "boolean") return c(' t="b"', v(cell ? 1 : 0));
    if ("inline" in cell) {
      return c(
        ' t="inlineStr"',
        `<${tag("is")}><${tag("t")}>${escaped(cell.inline)}</${tag("t")}></${tag("is")}>`,
      );
    }
    if ("date" in cell) return c(` s="${DATE_STYLE}"`, v(cell.date));
    if ("error" in cell) return c(' t="e"', v(cell.error));
    const type = typeof cell.value === "string" ? ' t="str"' : "";
    return c(type, `<${tag("f")}>${escaped(cell.formula)}</${tag("f")}>${v(cell.value)}`);
  };
  const sheetXml = ({ rows }: SheetOf) =>
    `<${tag("worksheet")}><${tag("sheetData")}>${rows
      .map(
        (cells, row) =>
          `<${tag("row")} r="${row + 1}">${cells
            .map((cell, column) => cellXml(cell, `${letters(column)}${row + 1}`))
            .join("")}</${tag("row")}>`,
      )
      .join("")}</${tag("sheetData")}></${tag("worksheet")}>`;

  const files = new Map<string, string>();
  files.set(
    "xl/workbook.xml",
    `<workbook><workbookPr${isFrom1904 ? ' date1904="1"' : ""}/><sheets>${sheets
      .map(
        ({ name, isHidden }, index) =>
          `<sheet name="${escaped(name)}" sheetId="${index + 1}"${isHidden ? ' state="hidden"' : ""} r:id="rId${index + 1}"/>`,
      )
      .join("")}</sheets></workbook>`,
  );
  files.set(
    "xl/_rels/workbook.xml.rels",
    `<Relationships>${sheets
      .map((_, index) => `<Relationship Id="rId${index + 1}" Target="worksheets/sheet${index + 1}.xml"/>`)
      .join("")}</Relationships>`,
  );
  for (const [index, sheet] of sheets.entries())
    files.set(`xl/worksheets/sheet${index + 1}.xml`, sheetXml(sheet));
  files.set(
    "xl/sharedStrings.xml",
    `<sst>${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join("")}</sst>`,
  );
  files.set(
    "xl/styles.xml",
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\-mmm\\-yyyy"/></numFmts>' +
      '<cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  );
  return files;
}

/** Create an archive. */
export async function zipped(files: ReadonlyMap<string, string>): Promise<File> {
  const archive = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [path, text] of files) {
    await archive.add(path, new Uint8ArrayReader(new TextEncoder().encode(text)));
  }
  return new File([await archive.close()], "list.xlsx");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}
