import { requireAtMost, UnreadableFile } from "../errors";
import type { Archive } from "./archive";
import { CellText } from "./cellText";
import { isDateFormat } from "./dates";
import { readXml } from "./xml";

/** A workbook's metadata and shared texts. */
export interface Workbook {
  sheets: readonly { name: string; path: string }[];
  /** Dates count from 1904, as on old Macs. */
  isFrom1904: boolean;
  texts: readonly string[];
  /** Whether a cell style shows a number as a date. */
  isDate: readonly boolean[];
}

/** In characters of all shared texts: in memory they take at most 600 MB, measured with five million texts. */
const MOST_TEXT = 200_000_000;

/** In characters: a browser's overhead per text. */
const OF_EACH_TEXT = 20;

const MOST_SHEETS = 1_000;

const MOST_RELATIONSHIPS = 10_000;

/** Excel's limit. */
const MOST_STYLES = 65_490;

const FOLDER = "xl/";

export async function readWorkbook(archive: Archive): Promise<Workbook> {
  if (!archive.has(`${FOLDER}workbook.xml`)) {
    throw new UnreadableFile("This isn't an XLSX file. Save the table as XLSX or CSV.");
  }
  const targets = new Map<string, string>();
  await readXml(archive.text(`${FOLDER}_rels/workbook.xml.rels`), {
    opened: (name, { Id = "", Target = "" }) => {
      if (name === "Relationship")
        targets.set(Id, Target.startsWith("/") ? Target.slice(1) : FOLDER + Target);
      requireAtMost(MOST_RELATIONSHIPS, targets.size, "relationships");
    },
  });
  const sheets: { name: string; path: string }[] = [];
  let isFrom1904 = false;
  await readXml(archive.text(`${FOLDER}workbook.xml`), {
    opened: (name, attributes) => {
      if (name === "workbookPr") isFrom1904 = ["1", "true"].includes(attributes.date1904 ?? "");
      if (name !== "sheet" || (attributes.state ?? "visible") !== "visible") return;
      const path = targets.get(attributes["r:id"] ?? "") ?? "";
      if (archive.has(path) && path.includes("sheet")) sheets.push({ name: attributes.name ?? "", path });
      requireAtMost(MOST_SHEETS, sheets.length, "sheets");
    },
  });
  if (sheets.length === 0) throw new UnreadableFile("This file has no sheet with a table.");
  return { sheets, isFrom1904, texts: await readTexts(archive), isDate: await readStyles(archive) };
}

async function readTexts(archive: Archive): Promise<readonly string[]> {
  const texts: string[] = [];
  let size = 0;
  const text = new CellText();
  const reading = textReader((piece) => text.add(piece));
  await readXml(archive.text(`${FOLDER}sharedStrings.xml`), {
    ...reading,
    closed: (name) => {
      reading.closed(name);
      if (name !== "si") return;
      const whole = text.take();
      size += whole.length + OF_EACH_TEXT;
      requireAtMost(MOST_TEXT, size, "characters in its cells");
      texts.push(whole);
    },
  });
  return texts;
}

/** Return a reader of rich text that skips pronunciation. */
export function textReader(take: (text: string) => void) {
  let isText = false;
  let isPronunciation = false;
  return {
    opened: (name: string) => {
      if (name === "rPh") isPronunciation = true;
      isText = name === "t";
    },
    text: (text: string) => {
      if (isText && !isPronunciation) take(text);
    },
    closed: (name: string) => {
      if (name === "rPh") isPronunciation = false;
      isText = false;
    },
  };
}

async function readStyles(archive: Archive): Promise<boolean[]> {
  /** Whether the file's own formats are dates, by number: styles share formats. */
  const own = new Map<string, boolean>();
  const isDate: boolean[] = [];
  let isCells = false;
  await readXml(archive.text(`${FOLDER}styles.xml`), {
    opened: (name, { numFmtId = "", formatCode = "" }) => {
      if (name === "numFmt") own.set(numFmtId, isDateFormat(Number(numFmtId), formatCode));
      if (name === "cellXfs") isCells = true;
      if (name === "xf" && isCells)
        isDate.push(own.get(numFmtId) ?? isDateFormat(Number(numFmtId), undefined));
      requireAtMost(MOST_STYLES, Math.max(own.size, isDate.length), "cell styles");
    },
    closed: (name) => {
      if (name === "cellXfs") isCells = false;
    },
  });
  return isDate;
}
