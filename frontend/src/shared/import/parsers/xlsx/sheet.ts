import { requireAtMost } from "../errors";
import { isBlank, MOST_COLUMNS, type Row, type TableFile } from "../tableFile";
import { openArchive } from "./archive";
import { CellText } from "./cellText";
import { dateText, generalText, MOST_DIGITS } from "./numberFormat";
import { readWorkbook, textReader, type Workbook } from "./workbook";
import { xmlParser } from "./xml";

/** In all cells of a sheet; a shared text counts for every cell that shows it. */
const MOST_CHARACTERS = 1_000_000_000;

/** Open an XLSX file. Rows are read while unpacking. */
export async function openXlsx(file: Blob): Promise<TableFile> {
  const archive = await openArchive(file);
  const workbook = await readWorkbook(archive);
  return {
    description: "XLSX",
    sheets: workbook.sheets.map(({ name }) => name),
    rows: (sheet) => sheetRows(archive.text(workbook.sheets[sheet]?.path ?? ""), workbook),
  };
}

async function* sheetRows(
  pieces: AsyncGenerator<string>,
  workbook: Workbook,
): AsyncGenerator<readonly Row[]> {
  let size = 0;
  const rows: Row[] = [];
  const parser = xmlParser(
    cellReader(workbook, (row) => {
      for (const cell of row.cells) size += cell.length;
      requireAtMost(MOST_CHARACTERS, size, "characters in its cells");
      if (!isBlank(row.cells)) rows.push(row);
    }),
  );
  for await (const piece of pieces) {
    parser.write(piece);
    yield rows.splice(0);
  }
  parser.end();
  yield rows;
}

/** Collect cells and report each completed row. Formulas are ignored in favour of their stored values. */
function cellReader(workbook: Workbook, take: (row: Row) => void) {
  let number = 0;
  let cells: string[] = [];
  let numbers = new Map<number, string>();
  let column = -1;
  let type = "n";
  let style = 0;
  let isValue = false;
  const text = new CellText();
  const inline = textReader((piece) => text.add(piece));
  return {
    opened: (name: string, { r = "", t = "n", s = "0" }: Readonly<Record<string, string>>) => {
      if (name === "row") {
        number = Number(r) || number + 1;
        cells = [];
        numbers = new Map();
        column = -1;
      } else if (name === "c") {
        column = r === "" ? column + 1 : columnOf(r);
        type = t;
        style = Number(s);
        text.take();
      }
      isValue = name === "v";
      inline.opened(name);
    },
    text: (piece: string) => {
      if (isValue) text.add(piece);
      else inline.text(piece);
    },
    closed: (name: string) => {
      isValue = false;
      inline.closed(name);
      if (name === "row") {
        const row = { number, cells: Array.from(cells, (cell) => cell ?? "") };
        take(numbers.size > 0 ? { ...row, numbers } : row);
      }
      if (name === "c") {
        const value = text.take();
        if (value === "" || column >= MOST_COLUMNS) return;
        const shown = valueText(value, type, style, workbook);
        cells[column] = shown;
        if (type !== "n" || workbook.formats[style] === "date") return;
        const stored = generalText(value);
        if (stored !== shown || stored.length > MOST_DIGITS) numbers.set(column, stored);
      }
    },
  };
}

function valueText(text: string, type: string, style: number, workbook: Workbook): string {
  const format = workbook.formats[style];
  const shown = (value: string) => (typeof format === "object" ? format.text(value) : value);
  switch (type) {
    case "s":
      return shown(workbook.texts[Number(text)] ?? "");
    case "str":
    case "inlineStr":
      return shown(text);
    case "e":
      return text;
    case "b":
      return text === "1" ? "TRUE" : "FALSE";
    case "d":
      return text.replace(/T00:00:00(\.0+)?Z?$/, "");
    default:
      if (format === "date") return dateText(Number(text), workbook.isFrom1904);
      return format?.number(text) ?? generalText(text);
  }
}

/** `C7` → 2. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of reference) {
    const digit = letter.charCodeAt(0) - 64;
    if (digit < 1 || digit > 26) break;
    column = column * 26 + digit;
  }
  return column - 1;
}
