import { requireAtMost, UnreadableFile } from "../errors";
import type { Archive } from "./archive";
import { CellText } from "./cellText";
import { type CellFormat, loadFormats } from "./numberFormat";
import { readXml } from "./xml";

/** A workbook's metadata and shared texts. */
export interface Workbook {
  sheets: readonly { name: string; path: string }[];
  /** Dates count from 1904, as on old Macs. */
  isFrom1904: boolean;
  texts: readonly string[];
  /** By cell style. */
  formats: readonly CellFormat[];
}

/** In characters of all shared texts: in memory they take at most 600 MB, measured with five million texts. */
const MOST_TEXT = 200_000_000;

/** In characters: a browser's overhead per text. */
const OF_EACH_TEXT = 20;

const MOST_SHEETS = 1_000;

const MOST_RELATIONSHIPS = 10_000;

/** Excel's limit. */
const MOST_STYLES = 65_490;

/** A part of the archive that another part refers to. */
interface Relationship {
  /** Last part of the type's address, e.g. `worksheet`; empty if not stated. */
  type: string;
  path: string;
}

export async function readWorkbook(archive: Archive): Promise<Workbook> {
  const root = [...(await relationshipsOf(archive, "")).values()].find(
    ({ type }) => type === "officeDocument",
  );
  const path = root?.path ?? "xl/workbook.xml";
  if (!archive.has(path)) {
    throw new UnreadableFile("This isn't an XLSX file. Save the table as XLSX or CSV.");
  }
  const related = await relationshipsOf(archive, path);
  const pathOf = (type: string) =>
    [...related.values()].find((one) => one.type === type)?.path ?? resolved(`${type}.xml`, path);
  const sheets: { name: string; path: string }[] = [];
  let isFrom1904 = false;
  await readXml(archive.text(path), {
    opened: (name, attributes) => {
      if (name === "workbookPr") isFrom1904 = ["1", "true"].includes(attributes.date1904 ?? "");
      if (name !== "sheet" || (attributes.state ?? "visible") !== "visible") return;
      // The prefix of the relationships' namespace is the writer's choice.
      const id = Object.keys(attributes).find((key) => key.endsWith(":id")) ?? "";
      const { type = "", path = "" } = related.get(attributes[id] ?? "") ?? {};
      const isSheet = type === "" ? path.includes("sheet") : type === "worksheet";
      if (isSheet && archive.has(path)) sheets.push({ name: attributes.name ?? "", path });
      requireAtMost(MOST_SHEETS, sheets.length, "sheets");
    },
  });
  if (sheets.length === 0) throw new UnreadableFile("This file has no sheet with a table.");
  const texts = await readTexts(archive, pathOf("sharedStrings"));
  return { sheets, isFrom1904, texts, formats: await readStyles(archive, pathOf("styles")) };
}

/** Read the relationships of a part by id. */
async function relationshipsOf(archive: Archive, part: string): Promise<ReadonlyMap<string, Relationship>> {
  const related = new Map<string, Relationship>();
  const [, folder = "", file = ""] = /^(.*\/)?([^/]*)$/.exec(part) ?? [];
  await readXml(archive.text(`${folder}_rels/${file}.rels`), {
    opened: (name, { Id = "", Target = "", Type = "", TargetMode = "" }) => {
      if (name !== "Relationship" || TargetMode === "External") return;
      related.set(Id, { type: Type.split("/").at(-1) ?? "", path: resolved(Target, part) });
      requireAtMost(MOST_RELATIONSHIPS, related.size, "relationships");
    },
  });
  return related;
}

/** Resolve a part's path against that of the part that refers to it. */
function resolved(target: string, part: string): string {
  try {
    return decodeURIComponent(
      new URL(target.replaceAll("\\", "/"), `https://archive/${part}`).pathname,
    ).slice(1);
  } catch {
    return "";
  }
}

async function readTexts(archive: Archive, path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  let size = 0;
  const text = new CellText();
  const reading = textReader((piece) => text.add(piece));
  await readXml(archive.text(path), {
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

async function readStyles(archive: Archive, path: string): Promise<readonly CellFormat[]> {
  /** Formats by number: styles share them. */
  const known = new Map<string, CellFormat>();
  const formats: CellFormat[] = [];
  const cellFormat = await loadFormats();
  const read = (id: string, code?: string) => {
    if (code !== undefined || !known.has(id)) known.set(id, cellFormat(Number(id), code));
    return known.get(id);
  };
  let isCells = false;
  await readXml(archive.text(path), {
    opened: (name, { numFmtId = "", formatCode = "" }) => {
      if (name === "numFmt") read(numFmtId, formatCode);
      if (name === "cellXfs") isCells = true;
      if (name === "xf" && isCells) formats.push(read(numFmtId));
      requireAtMost(MOST_STYLES, Math.max(known.size, formats.length), "cell styles");
    },
    closed: (name) => {
      if (name === "cellXfs") isCells = false;
    },
  });
  return formats;
}
